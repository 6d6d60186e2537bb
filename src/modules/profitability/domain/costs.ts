/** The costs outside the marketplace, and how far they are known. Source: docs/design/money.md#costs. */
import { costOfUnits, type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import type { Posted } from './posted.ts';

export const STATUSES = ['known', 'seller_supplied', 'partial', 'not_applicable', 'missing'] as const;
export type Status = (typeof STATUSES)[number];

/** How many lines need a cost, and have one. */
interface Coverage {
  readonly needed: number;
  readonly covered: number;
  /** Those of which the seller has entered the cost. */
  readonly entered: number;
  /** Covered ones whose cost lacks a part that the supplier has not stated. */
  readonly lacking: number;
}
export interface Covered {
  readonly supplier_cost: Coverage;
  readonly external_freight: Coverage;
}

const NO_NEED: Coverage = { needed: 0, covered: 0, entered: 0, lacking: 0 };
const UNCOVERED: Coverage = { needed: 1, covered: 0, entered: 0, lacking: 0 };
export const NOTHING_NEEDED: Covered = { supplier_cost: NO_NEED, external_freight: NO_NEED };
export const NOTHING_KNOWN: Covered = { supplier_cost: UNCOVERED, external_freight: UNCOVERED };

const add = (one: Coverage, other: Coverage): Coverage => ({
  needed: one.needed + other.needed,
  covered: one.covered + other.covered,
  entered: one.entered + other.entered,
  lacking: one.lacking + other.lacking,
});
export const addCovered = (one: Covered, other: Covered): Covered => ({
  supplier_cost: add(one.supplier_cost, other.supplier_cost),
  external_freight: add(one.external_freight, other.external_freight),
});

export function statusOf({ needed, covered, entered, lacking }: Coverage): Status {
  if (needed === 0) return 'not_applicable';
  if (covered === 0) return 'missing';
  if (covered < needed || lacking > 0) return 'partial';
  return entered > 0 ? 'seller_supplied' : 'known';
}

const isWhole = ({ needed, covered, lacking }: Coverage): boolean => needed === covered && lacking === 0;
/** Whether a known cost of goods lacks the freight that the supplier has not stated. */
export const lacksFreight = ({ supplier_cost }: Covered): boolean => supplier_cost.lacking > 0;
/** Whether every cost that is needed is known. */
export const isCovered = ({ supplier_cost, external_freight }: Covered): boolean =>
  isWhole(supplier_cost) && isWhole(external_freight);

/** A line of goods with the costs that were in force on the day of its order. */
export interface GoodsLine {
  readonly order_line_id: string;
  /** Units that left the seller. */
  readonly shipped: number;
  /** Those of them that are not back in stock. */
  readonly units: number;
  /** Millionths of the currency's unit; null: not known. */
  readonly unit_micros: bigint | null;
  /** Whether the cost comes from a purchase; null: it is not known. */
  readonly unit_bought: boolean | null;
  /** Whether the freight of the purchase is not in it. */
  readonly unit_part: boolean | null;
  readonly freight_micros: bigint | null;
  /** Units that a supplier sends, with their exact cost; null: there are none. */
  readonly supplied_units: number | null;
  readonly supplied_minor: Minor | null;
  /** Parts of that cost that the supplier has not stated. */
  readonly supplied_lacks: readonly string[] | null;
}

export interface OrderCosts {
  /** Lines of goods that have left the seller or were sold, by id; null: the cost is not known. */
  readonly goods: ReadonlyMap<string, LineCost>;
  /** Lines of goods that left the seller and were not sold, because they were lost or are on the way. */
  readonly unsold: readonly string[];
  /** What the seller's own parcels have cost; null: it is not known. */
  readonly freight: Minor | null;
  /** Whether suppliers have sent all goods: then the seller has had no parcel. */
  readonly all_supplied: boolean;
}

interface LineCost {
  readonly cost: Minor | null;
  readonly entered: boolean;
  readonly lacks: boolean;
}

/** Units that the seller has sent itself. */
const ownUnits = ({ units, supplied_units }: GoodsLine): number => Math.max(0, units - (supplied_units ?? 0));

function costOfLine(line: GoodsLine, currency: string): LineCost {
  const { shipped, unit_micros, supplied_minor } = line;
  const none = { entered: false, lacks: (line.supplied_lacks ?? []).length > 0 };
  const own = ownUnits(line);
  // Without a parcel the recorded sale is all that is known of the goods, unless a supplier has accepted them.
  if (shipped === 0) return { cost: supplied_minor, ...none };
  if (own === 0) return { cost: supplied_minor ?? minor(0), ...none };
  if (unit_micros === null) return { cost: null, ...none };
  const cost = sumMinor([costOfUnits(unit_micros, own, currency), supplied_minor ?? minor(0)]);
  return { cost, entered: line.unit_bought === false, lacks: none.lacks || line.unit_part === true };
}

const isSupplied = (line: GoodsLine): boolean => line.supplied_units !== null && ownUnits(line) === 0;

/**
 * The costs of an order.
 *
 * @param lines all lines of goods of the order, with and without parcels
 * @param posted its recorded amounts
 */
export function costsOf(
  lines: readonly GoodsLine[],
  posted: readonly Posted[],
  currency: string,
): OrderCosts {
  const sold = new Set(
    posted.flatMap(({ bucket, order_line_id }) => (bucket === 'gross' ? [order_line_id] : [])),
  );
  const counted = lines.filter(({ order_line_id, shipped }) => shipped > 0 || sold.has(order_line_id));
  const parcel = counted.find((line) => line.shipped > 0 && !isSupplied(line));
  const freight = parcel?.freight_micros ?? null;
  return {
    goods: new Map(counted.map((line) => [line.order_line_id, costOfLine(line, currency)])),
    unsold: counted.flatMap(({ order_line_id }) => (sold.has(order_line_id) ? [] : [order_line_id])),
    freight: freight === null ? null : costOfUnits(freight, 1, currency),
    all_supplied: counted.length > 0 && counted.every((line) => isSupplied(line)),
  };
}

/**
 * How far the costs of a line are known. What goods have cost that were not sold is an amount of the whole order, as
 * freight is, so every line needs it.
 *
 * @param line null for the whole order
 */
export function coverageOf(costs: OrderCosts | undefined, line: string | null): Covered {
  if (costs === undefined || costs.goods.size === 0) return NOTHING_KNOWN;
  const { goods, unsold, freight, all_supplied } = costs;
  const needed = line === null ? [...goods.keys()] : [line, ...unsold];
  return {
    supplier_cost: needed
      .flatMap((id) => goods.get(id) ?? [])
      .map(({ cost, entered, lacks }) => ({
        ...{ needed: 1, covered: cost === null ? 0 : 1, entered: entered ? 1 : 0 },
        lacking: cost !== null && lacks ? 1 : 0,
      }))
      .reduce(add, NO_NEED),
    external_freight: all_supplied
      ? NO_NEED
      : freight === null
        ? UNCOVERED
        : { needed: 1, covered: 1, entered: 1, lacking: 0 },
  };
}

/** The costs as amounts of the order, below zero. */
export function costParts(costs: OrderCosts | undefined): (Posted & { readonly units: number })[] {
  if (costs === undefined) return [];
  const part = (component: string, order_line_id: string | null, cost: Minor | null) =>
    cost === null
      ? []
      : [
          {
            component,
            order_line_id,
            bucket: 'cost' as const,
            seller_sku: null,
            amount: negated(cost),
            units: 0,
          },
        ];
  return [
    ...[...costs.goods].flatMap(([id, { cost }]) => part('supplier_cost', id, cost)),
    ...part('external_freight', null, costs.freight),
  ];
}
