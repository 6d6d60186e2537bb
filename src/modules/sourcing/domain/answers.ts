/**
 * What the answers of suppliers make of quotes and of their request. The facts alone decide, so that events may come in
 * any order. Source: docs/design/sourcing.md#quotes.
 */
import { MINOR_MAX, MINOR_SUM_MAX, minor } from '../../../kernel/money.ts';
import { compare, type Quoted } from './comparison.ts';
import { type QuoteStatus, type RfqStatus, rfqMachine } from './rfq-machine.ts';

interface QuoteFact {
  readonly supplier_id: string;
  readonly quote_ref: string;
  /** When the supplier made it. */
  readonly quoted_at: string;
  readonly valid_until: string;
  readonly status: QuoteStatus;
}
/** A supplier withdraws one quote, or declines the request with all of its quotes so far. */
interface WithdrawalFact {
  readonly supplier_id: string;
  /** Null: it declines the request. */
  readonly quote_ref: string | null;
  readonly withdrawn_at: string;
}

/** Of two quotes of one instant the one with the greater reference is newer, whichever comes first. */
const isNewer = (a: QuoteFact, b: QuoteFact): boolean =>
  Date.parse(a.quoted_at) - Date.parse(b.quoted_at) > 0 ||
  (Date.parse(a.quoted_at) === Date.parse(b.quoted_at) && a.quote_ref > b.quote_ref);

function isWithdrawn(
  quote: QuoteFact,
  quotes: readonly QuoteFact[],
  withdrawals: readonly WithdrawalFact[],
): boolean {
  const bySame = (one: { readonly supplier_id: string }) => one.supplier_id === quote.supplier_id;
  return (
    quotes.some((other) => bySame(other) && isNewer(other, quote)) ||
    withdrawals.some((one) =>
      one.quote_ref === null
        ? bySame(one) && Date.parse(one.withdrawn_at) >= Date.parse(quote.quoted_at)
        : bySame(one) && one.quote_ref === quote.quote_ref,
    )
  );
}

/** The state of a quote of a request that is not awarded. @param now milliseconds */
export function statusOfQuote(
  quote: QuoteFact,
  quotes: readonly QuoteFact[],
  withdrawals: readonly WithdrawalFact[],
  now: number,
): QuoteStatus {
  if (isWithdrawn(quote, quotes, withdrawals)) return 'withdrawn';
  return Date.parse(quote.valid_until) <= now ? 'expired' : 'open';
}

interface Asked {
  readonly status: RfqStatus;
  readonly reply_by: string;
  readonly supplier_ids: readonly string[];
}

/**
 * The state of a request, and how many quotes stand. A draft, withdrawn or awarded request keeps its state.
 *
 * @param quotes with the states of {@link statusOfQuote}
 * @param now milliseconds
 */
export function stateOfRequest(
  { status, reply_by, supplier_ids }: Asked,
  quotes: readonly QuoteFact[],
  withdrawals: readonly WithdrawalFact[],
  now: number,
): { readonly status: RfqStatus; readonly quotes: number } {
  const standing = quotes.filter((quote) => quote.status !== 'withdrawn');
  const count = { quotes: standing.length };
  if (!rfqMachine.allows('quote', status)) return { status, ...count };
  const hasAnswered = (id: string) =>
    standing.some(({ supplier_id }) => supplier_id === id) ||
    withdrawals.some(({ supplier_id, quote_ref }) => supplier_id === id && quote_ref === null);
  const isOver = now >= Date.parse(reply_by) || supplier_ids.every(hasAnswered);
  if (!isOver) return { status: 'open', ...count };
  return { status: standing.length > 0 ? 'answered' : 'expired', ...count };
}

/** Whether an amount of the comparison would be too large for a JSON number; every amount of a quote is part of one. */
export function isTooLarge(wanted: Parameters<typeof compare>[0], quote: Quoted, currency: string): boolean {
  const { lines, quotes } = compare(
    wanted,
    [{ ...quote, freight_minor: quote.freight_minor ?? minor(0) }],
    currency,
  );
  const micros = lines.flatMap(({ options }) => options.map((one) => one.landed_unit_micros ?? 0n));
  return (
    quotes.some(({ landed_minor }) => (landed_minor ?? 0n) > MINOR_MAX) ||
    micros.some((one) => one > MINOR_SUM_MAX)
  );
}
