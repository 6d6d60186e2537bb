/** Quotes of several suppliers on one basis: their landed cost. Source: docs/design/sourcing.md#comparison. */
import { type Minor, microsOfUnit, minor, splitMinor, sumMinor } from '../../../kernel/money.ts';
import { freightOf, goodsOf, type ItemTerms, orderable } from '../../supply/domain/terms.ts';

interface QuotedLine extends ItemTerms {
  readonly line_no: number;
  readonly lead_time_days: number | null;
}
export interface Quoted {
  readonly quote_id: string;
  readonly lines: readonly QuotedLine[];
  readonly freight_minor: Minor | null;
  readonly free_freight_from_minor: Minor | null;
}
interface Wanted {
  readonly line_no: number;
  readonly quantity: number;
}

/** The lines that a quote can deliver, for the quantities that it would deliver, with their shares of its freight. */
function landedLines(quote: Quoted, wanted: readonly Wanted[]) {
  const lines = quote.lines.flatMap((line) => {
    const asked = wanted.find(({ line_no }) => line_no === line.line_no);
    const quantity = asked === undefined ? null : orderable(line, asked.quantity);
    return quantity === null ? [] : [{ line_no: line.line_no, quantity, goods: goodsOf(line, quantity) }];
  });
  const amounts = lines.map(({ goods }) => goods);
  const goods = sumMinor(amounts);
  const stated = { flat: quote.freight_minor, free_from: quote.free_freight_from_minor };
  const freight = lines.length === 0 ? null : freightOf(stated, goods);
  // Goods that cost nothing share the freight by units.
  const weights = goods > 0n ? amounts : lines.map(({ quantity }) => minor(quantity));
  const shares = freight === null ? [] : splitMinor(freight, weights);
  return {
    landed: freight === null ? null : sumMinor([goods, freight]),
    lines: new Map(lines.map((line, index) => [line.line_no, { ...line, share: shares[index] ?? null }])),
  };
}

/** Competition ranks, the lowest first: 1, 1, 3. What has no figure has no rank. */
function ranksOf(figures: readonly (bigint | null)[]): (number | null)[] {
  const isBelow = (figure: bigint) => (other: bigint | null) => other !== null && other < figure;
  return figures.map((figure) => (figure === null ? null : 1 + figures.filter(isBelow(figure)).length));
}

interface Ranked {
  readonly quote_id: string;
  readonly rank: number | null;
  readonly lead_time_days?: number | null;
}
const last = (value: number | null | undefined): number => value ?? Number.MAX_SAFE_INTEGER;
/** By rank, of equal ranks the shorter lead time first; the ids make the order one that does not depend on the input. */
const byRank = (a: Ranked, b: Ranked): number =>
  last(a.rank) - last(b.rank) ||
  last(a.lead_time_days) - last(b.lead_time_days) ||
  (a.quote_id < b.quote_id ? -1 : 1);

/** What a quote offers for a line. A line that it cannot deliver has no figures. */
function optionOf(
  { quote_id }: Quoted,
  { lead_time_days }: QuotedLine,
  landed: { quantity: number; goods: Minor; share: Minor | null } | undefined,
  wanted: number,
  currency: string,
) {
  const base = { quote_id, lead_time_days, is_available: landed !== undefined };
  if (landed === undefined)
    return {
      ...{ ...base, quantity: null, excess_units: null, goods_minor: null, goods_unit_micros: null },
      ...{ freight_share_minor: null, landed_minor: null, landed_unit_micros: null },
    };
  const { quantity, goods, share } = landed;
  const whole = share === null ? null : sumMinor([goods, share]);
  return {
    ...{ ...base, quantity, excess_units: quantity - wanted, goods_minor: goods },
    goods_unit_micros: microsOfUnit(goods, quantity, currency),
    ...{ freight_share_minor: share, landed_minor: whole },
    landed_unit_micros: whole === null ? null : microsOfUnit(whole, quantity, currency),
  };
}

/**
 * Compares quotes for the wanted quantities. The answer does not depend on the order of the quotes.
 *
 * @param currency of all quotes
 */
export function compare(wanted: readonly Wanted[], quotes: readonly Quoted[], currency: string) {
  const landed = quotes.map((quote) => landedLines(quote, wanted));
  const lines = wanted.map(({ line_no, quantity }) => {
    const options = quotes.flatMap((quote, index) => {
      const line = quote.lines.find((one) => one.line_no === line_no);
      const found = landed[index]?.lines.get(line_no);
      return line === undefined ? [] : [optionOf(quote, line, found, quantity, currency)];
    });
    const ranks = ranksOf(options.map(({ landed_unit_micros }) => landed_unit_micros));
    const ranked = options.map((option, index) => ({ ...option, rank: ranks[index] ?? null }));
    return { line_no, quantity, options: ranked.sort(byRank) };
  });
  const wholes = quotes.map(({ quote_id }, index) => {
    const { lines: delivered = new Map<number, unknown>(), landed: whole = null } = landed[index] ?? {};
    const covers_all = delivered.size === wanted.length;
    return { quote_id, lines_quoted: delivered.size, covers_all, landed_minor: whole };
  });
  const ranks = ranksOf(wholes.map(({ covers_all, landed_minor }) => (covers_all ? landed_minor : null)));
  const ranked = wholes.map((whole, index) => ({ ...whole, rank: ranks[index] ?? null }));
  return { lines, quotes: ranked.sort(byRank) };
}
