/** What the units of a dropship order cost the seller. Source: docs/design/supply.md#costs. */
import { type Minor, minor, splitMinor, sumMinor, timesUnits } from '../../../kernel/money.ts';
import { compare, type Fact, type FoldedLine } from './fold.ts';

type Answer = Fact & { readonly kind: 'answer' };

/** The answers of the supplier, the newest first. */
const answersOf = (facts: readonly Fact[]): Answer[] =>
  facts
    .filter((fact): fact is Answer => fact.kind === 'answer')
    .toSorted((a, b) => compare(b.at, a.at) || compare(b.fact_id, a.fact_id));

/** The most that a unit of a line has cost by what was published when it was sent. */
export function publishedCost(facts: readonly Fact[], orderLineId: string): number | undefined {
  const costs = facts.flatMap((fact) =>
    fact.kind === 'send'
      ? fact.lines.flatMap((line) => (line.order_line_id === orderLineId ? [line.unit_cost_minor] : []))
      : [],
  );
  return costs.length === 0 ? undefined : Math.max(...costs);
}

/** The most that an order has cost by what was published when it was sent. */
export function publishedFee(facts: readonly Fact[]): number | undefined {
  const fees = facts.flatMap((fact) => (fact.kind === 'send' ? [fact.fee_minor] : []));
  return fees.length === 0 ? undefined : Math.max(...fees);
}

/** What the supplier asks: its newest answer, else what was published. Null: it does not say. */
export function termsOf(facts: readonly Fact[]) {
  const answers = answersOf(facts);
  const fee = answers.find(({ fee_minor }) => fee_minor !== null)?.fee_minor ?? publishedFee(facts);
  const freight = answers.find(({ freight_minor }) => freight_minor !== null)?.freight_minor ?? null;
  const unitCost = (orderLineId: string): number | undefined =>
    answers
      .flatMap(({ lines }) => lines)
      .find((line) => line.order_line_id === orderLineId && line.unit_cost_minor !== null)?.unit_cost_minor ??
    publishedCost(facts, orderLineId);
  return { fee, freight, unitCost };
}

interface CostedLine {
  readonly unit_cost_minor: Minor;
  readonly line: FoldedLine;
}

/**
 * The cost of each line: its units at their cost, and its share of fee and freight by the goods. Cancelled and
 * returned units cost nothing, and an order without others has no fee.
 */
export function costsOf(lines: readonly CostedLine[], fee: Minor, freight: Minor | null) {
  const units = lines.map(({ line }) => line.accepted_open + line.shipped);
  const goods = lines.map(({ unit_cost_minor }, index) => timesUnits(unit_cost_minor, units[index] ?? 0));
  const isFree = sumMinor(goods) === 0n;
  const weights = isFree ? units.map((one) => minor(one)) : goods;
  const hasUnits = units.some((one) => one > 0);
  const shares = hasUnits ? splitMinor(sumMinor([fee, freight ?? minor(0)]), weights) : [];
  return goods.map((one, index) => ({
    cost_units: units[index] ?? 0,
    cost_minor: sumMinor([one, shares[index] ?? minor(0)]),
    cost_missing: freight === null ? ['inbound_freight'] : [],
  }));
}
