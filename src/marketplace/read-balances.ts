/**
 * The balances of the ledger's accounts at an instant, for the marketplace.
 * Source: docs/design/wire.md#internal-listener.
 */

import { addDays } from '../kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../kernel/australia/sydney.ts';
import { type FieldProblem, invalid } from '../kernel/errors.ts';
import { isDay, parseInstant } from '../kernel/instant.ts';
import type { Services } from '../platform/services.ts';
import { type AccountBalance, countEntries, ledgerBalances } from './store/ledger-balances.ts';

interface LedgerBalances {
  /** RFC 3339. */
  readonly as_of: string;
  readonly seller_id: string | null;
  /** Debits are above zero, credits below. The balances of a currency sum to zero. */
  readonly data: readonly AccountBalance[];
  readonly ledger_entries: number;
}

const KNOWN = ['as_of', 'seller_id'];

/** @throws ApiError 422 that names the parameter */
function readParameters(
  query: unknown,
  now: number,
): { readonly at: number; readonly sellerId: string | null } {
  const given = query as Readonly<Record<string, unknown>>;
  const problems: FieldProblem[] = Object.keys(given)
    .filter((name) => !KNOWN.includes(name))
    .map((name) => ({
      loc: ['query', name],
      msg: 'There is no such parameter.',
      type: 'extra_forbidden',
      input: given[name],
    }));
  const { as_of: text, seller_id: seller } = given;
  const refuse = (msg: string, type: string) =>
    problems.push({ loc: ['query', 'as_of'], msg, type, input: text });
  const asked =
    typeof text !== 'string' ? undefined : isDay(text) ? dayOf(text).next - 1 : parseInstant(text);
  if (text !== undefined && asked === undefined)
    refuse('Must be an RFC 3339 instant or a day, YYYY-MM-DD.', 'format_invalid');
  const today = typeof text === 'string' && text === sydneyDate(now);
  if (asked !== undefined && asked > now && !today) refuse('Must not be in the future.', 'less_than_equal');
  if (problems.length > 0) throw invalid(problems);
  const at = asked === undefined || today ? now : asked;
  return { at, sellerId: typeof seller === 'string' ? seller : null };
}

/**
 * Balances of all accounts, of all sellers or of one.
 *
 * @param query `as_of`: an instant, or a Sydney day, which means its end; `seller_id`
 */
export async function readBalances(
  { withSystem, now }: Pick<Services, 'withSystem' | 'now'>,
  query: unknown,
): Promise<LedgerBalances> {
  const present = now();
  const { at, sellerId } = readParameters(query, present);
  // The last millisecond of a day includes all its entries. No entry is later than now.
  const wholeBefore = at === present ? addDays(sydneyDate(at), 1) : sydneyDate(at + 1);
  const as_of = new Date(at).toISOString();
  return withSystem('marketplace-event', 'snapshot', async (db) => ({
    as_of,
    seller_id: sellerId,
    data: await ledgerBalances(db, wholeBefore, as_of, sellerId),
    ledger_entries: await countEntries(db, sellerId),
  }));
}
