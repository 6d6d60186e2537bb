/** What the payment provider reports: in the system's scope, because a charge may be of several sellers. */
import type { Db } from '../../../kernel/context.ts';
import { bigintArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface ReportedTransaction {
  readonly provider_transaction_id: string;
  readonly type: string;
  readonly amount_minor: number;
  readonly fee_minor: number;
  readonly net_minor: number;
  readonly currency: string;
  readonly source_id: string | null;
  readonly seller_id: string | null;
  /** Day, `YYYY-MM-DD`. */
  readonly available_on: string | null;
  /** RFC 3339. */
  readonly created_at: string;
}

const INSERT =
  'insert into provider_transaction (provider, provider_transaction_id, type, amount_minor, fee_minor, net_minor, currency, ' +
  'source_id, seller_id, available_on, created_at, recorded_at) ' +
  'select $1, u.id, u.type, u.amount, u.fee, u.net, u.currency, u.source, u.seller, u.available_on::date, ' +
  'u.created_at::timestamptz, $2::timestamptz from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], ' +
  '$8::text[], $9::text[], $10::text[], $11::text[], $12::text[]) as u (id, type, amount, fee, net, currency, source, seller, ' +
  'available_on, created_at) on conflict (provider, provider_transaction_id) do nothing';

/** Keeps what is new of a report; a transaction that was reported before stays as it was. */
export async function keepTransactions(
  db: Db,
  provider: string,
  at: string,
  rows: readonly ReportedTransaction[],
): Promise<void> {
  const text = (get: (row: ReportedTransaction) => string | null) => textArray(rows.map(get));
  const amount = (get: (row: ReportedTransaction) => number) =>
    bigintArray(rows.map((row) => BigInt(get(row))));
  await db.run(
    sql(INSERT, [
      provider,
      at,
      text((row) => row.provider_transaction_id),
      text((row) => row.type),
      amount((row) => row.amount_minor),
      amount((row) => row.fee_minor),
      amount((row) => row.net_minor),
      text((row) => row.currency),
      text((row) => row.source_id),
      text((row) => row.seller_id),
      text((row) => row.available_on),
      text((row) => row.created_at),
    ]),
  );
}

const CHANGED =
  'select count(*)::int as changed from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], ' +
  '$8::text[], $9::text[]) as u (id, type, amount, fee, net, currency, source, seller) ' +
  'join provider_transaction t on t.provider = $1 and t.provider_transaction_id = u.id ' +
  'where (t.type, t.amount_minor, t.fee_minor, t.net_minor, t.currency, t.source_id, t.seller_id) ' +
  'is distinct from (u.type, u.amount, u.fee, u.net, u.currency, u.source, u.seller)';

/** Whether a report says anything else of a transaction than what is kept of it: what it is, of what, whose, how much. */
export async function hasChanged(
  db: Db,
  provider: string,
  rows: readonly ReportedTransaction[],
): Promise<boolean> {
  const found = await db.one<{ changed: number }>(
    sql(CHANGED, [
      provider,
      textArray(rows.map(({ provider_transaction_id }) => provider_transaction_id)),
      textArray(rows.map(({ type }) => type)),
      bigintArray(rows.map(({ amount_minor }) => BigInt(amount_minor))),
      bigintArray(rows.map(({ fee_minor }) => BigInt(fee_minor))),
      bigintArray(rows.map(({ net_minor }) => BigInt(net_minor))),
      textArray(rows.map(({ currency }) => currency)),
      textArray(rows.map(({ source_id }) => source_id)),
      textArray(rows.map(({ seller_id }) => seller_id)),
    ]),
  );
  return (found?.changed ?? 0) > 0;
}

const PROGRESS =
  'insert into provider_progress (provider, data_through, recorded_at) values ($1, $2::timestamptz, $3::timestamptz) ' +
  'on conflict (provider) do update set data_through = greatest(provider_progress.data_through, excluded.data_through), ' +
  'recorded_at = excluded.recorded_at';

/** Notes until when the provider's figures are known; an older word changes nothing. */
export async function noteProgress(db: Db, provider: string, through: string, at: string): Promise<void> {
  await db.run(sql(PROGRESS, [provider, through, at]));
}

/** Types that are about a payout, which the provider names as their source. */
export const PAYOUT_TYPES = [
  'payout',
  'transfer',
  'payout_failure',
  'payout_cancel',
  'transfer_reversal',
] as const;

const COLUMNS = 't.provider_transaction_id as id, j.seller_id, j.journal_id';
const OF_ORDER = 'j.seller_id = o.seller_id and j.order_id = o.order_id';
const NONE = 'null::bigint as told, null::bigint as told_amount';
const OF_REFUND = (kind: string) =>
  `select from v_ledger_journal k where k.seller_id = j.seller_id and k.refund_id = j.refund_id and k.kind = '${kind}'`;
/** Paid to the buyer, or come back: told apart by the sign. */
const CONFIRMED =
  "j.kind = 'refund_confirmed' and exists (select from v_ledger_entry e where e.seller_id = j.seller_id and e.journal_id = j.journal_id " +
  "and e.account = 'provider_clearing' and sign(e.amount_minor) = sign(t.net_minor))";
/** Money of a charge that went back because something was cancelled, before any refund had a name. */
const RELEASED =
  'select t.provider_transaction_id, t.source_id, t.net_minor, t.seller_id as told_seller, t.created_at, j.seller_id, j.journal_id, ' +
  'c.clearing = t.net_minor as fits, exists (select from provider_match m where m.seller_id = j.seller_id ' +
  'and m.journal_id = j.journal_id) as taken from t join v_orders_sold o on o.charge_id = t.source_id ' +
  `and (t.seller_id is null or o.seller_id = t.seller_id) join v_ledger_journal j on ${OF_ORDER} and j.kind = 'order_released' ` +
  'cross join lateral (select sum(e.amount_minor) as clearing from v_ledger_entry e where e.seller_id = j.seller_id ' +
  "and e.journal_id = j.journal_id and e.account = 'provider_clearing') c " +
  "where t.type in ('refund', 'payment_refund') and sign(c.clearing) = sign(t.net_minor) and not exists (" +
  'select from v_orders_given_back g where g.provider_transaction_id = t.provider_transaction_id)';
/**
 * Each such refund is the first free journal of its sum, the next refund of that sum the next one; a refund of no such
 * sum is of all that is still free. What has nothing left is the same once more.
 */
const RELEASES =
  `released as (${RELEASED}), ` +
  'in_turn as (select r.*, fits and not taken as free, ' +
  'dense_rank() over (partition by source_id, net_minor, told_seller, fits, taken order by created_at, provider_transaction_id) as turn, ' +
  'dense_rank() over (partition by provider_transaction_id, fits, taken order by journal_id) as place, ' +
  'row_number() over (partition by provider_transaction_id, fits order by journal_id) as number from released r), ' +
  'paired as (select * from in_turn where free and turn = place), ' +
  'released_by_rank as (select provider_transaction_id, seller_id, journal_id, case when exists (select from paired p ' +
  'where p.provider_transaction_id = r.provider_transaction_id) then case when free and turn = place then 0 end ' +
  'when not taken and not exists (select from paired p where p.seller_id = r.seller_id and p.journal_id = r.journal_id) then 1 ' +
  'when fits and number = 1 then 2 else 3 end as rank from in_turn r), ' +
  'released_best as (select * from (select x.*, min(rank) over (partition by provider_transaction_id) as best ' +
  'from released_by_rank x) y where rank = best)';
/** Journals that a transaction may be: by the source that the provider names, and the kind that goes with the type. */
const CANDIDATES = [
  // Of a charge that several sellers share, the whole was told with each of their orders.
  `select ${COLUMNS}, o.charge_total_minor - o.charge_provider_fee_minor as told, coalesce(o.charge_total_minor, o.captured_minor) as told_amount from t ` +
    `join v_orders_sold o on o.charge_id = t.source_id join v_ledger_journal j on ${OF_ORDER} and j.kind = 'order_captured' ` +
    "where t.type in ('charge', 'payment')",
  `select ${COLUMNS}, ${NONE} from t join v_orders_given_back o on o.provider_transaction_id = t.provider_transaction_id ` +
    `join v_ledger_journal j on ${OF_ORDER} and j.refund_id = o.refund_id and ${CONFIRMED} ` +
    "where t.type in ('refund', 'payment_refund')",
  // A refund that failed before it was confirmed never left our books: it and its failure take nothing together.
  `select ${COLUMNS}, ${NONE} from t join v_ledger_journal j on j.refund_id = t.source_id ` +
    `and (t.seller_id is null or j.seller_id = t.seller_id) and (${CONFIRMED} ` +
    "or j.kind = case when t.net_minor < 0 then 'refund_created' else 'refund_failed' end " +
    `and exists (${OF_REFUND('refund_failed')}) and not exists (${OF_REFUND('refund_confirmed')})) ` +
    "where t.type in ('refund', 'payment_refund', 'refund_failure')",
  `select provider_transaction_id as id, seller_id, journal_id, ${NONE} from released_best`,
  `select ${COLUMNS}, ${NONE} from t join v_ledger_journal j on j.dispute_id = t.source_id ` +
    "and j.kind = case when t.net_minor < 0 then 'chargeback_opened' else 'chargeback_won' end " +
    'and (t.seller_id is null or j.seller_id = t.seller_id) ' +
    "where t.type in ('dispute', 'dispute_reversal', 'adjustment')",
  // A payout that failed never left our books: it and its failure take nothing together.
  `select ${COLUMNS}, sign(t.net_minor)::bigint * p.amount_minor as told, null::bigint as told_amount from t ` +
    'join v_payouts_payout p on (p.provider_payout_id = t.source_id or p.provider_transfer_id = t.source_id) ' +
    'and (t.seller_id is null or p.seller_id = t.seller_id) ' +
    'join v_ledger_journal j on j.seller_id = p.seller_id and j.payout_id = p.payout_id and j.kind = case ' +
    "when t.net_minor < 0 then case when p.status in ('failed', 'canceled') then 'payout_sent' else 'payout_paid' end " +
    "else case when p.status = 'returned' then 'payout_returned' else 'payout_failed' end end " +
    `where t.type in (${PAYOUT_TYPES.map((type) => `'${type}'`).join(', ')})`,
].join(' union ');

/** Types that {@link CANDIDATES} knows. */
export const KNOWN_TYPES = [
  'charge',
  'payment',
  'refund',
  'payment_refund',
  'refund_failure',
  'dispute',
  'dispute_reversal',
  'adjustment',
  ...PAYOUT_TYPES,
] as const;

/** What a journal moves of the provider's money, or says of money that came back before it had moved. */
const CLEARING =
  'select sum(e.amount_minor) from v_ledger_journal k join v_ledger_entry e on e.seller_id = k.seller_id and e.journal_id = k.journal_id ' +
  "and e.account = case when k.kind in ('refund_created', 'refund_failed') then 'buyer_refunds_payable' else 'provider_clearing' end " +
  'where k.seller_id = c.seller_id and k.journal_id = c.journal_id';
const OTHER_CURRENCY =
  'select e.currency from v_ledger_entry e where e.seller_id = c.seller_id and e.journal_id = c.journal_id limit 1';

const match = (which: string): string =>
  `with t as (select * from provider_transaction x where x.provider = $1 ${which} ` +
  'and not exists (select from provider_match m where m.provider = x.provider and m.provider_transaction_id = x.provider_transaction_id)), ' +
  `${RELEASES}, candidate as (${CANDIDATES}), ` +
  `weighed as (select c.*, (${CLEARING}) as clearing, (${OTHER_CURRENCY}) as currency from candidate c), ` +
  'compared as (select w.id, coalesce(max(w.told), sum(w.clearing)) as net, max(w.told_amount) as amount, min(w.currency) as currency ' +
  'from weighed w group by w.id) ' +
  'insert into provider_match (seller_id, provider, provider_transaction_id, journal_id, reason_codes, matched_at) ' +
  'select w.seller_id, $1, w.id, w.journal_id, array_remove(array[' +
  "case when t.currency <> c.currency then 'currency_differs' end, " +
  "case when t.net_minor is distinct from c.net then case when t.amount_minor = c.amount then 'fee_differs' else 'amount_differs' end end, " +
  // Told before, or twice in one report.
  'case when exists (select from provider_match m where m.seller_id = w.seller_id and m.journal_id = w.journal_id) ' +
  'or row_number() over (partition by w.seller_id, w.journal_id order by t.created_at, w.id) > 1 ' +
  "then 'duplicate_at_provider' end], null), $2::timestamptz " +
  'from weighed w join compared c on c.id = w.id join t on t.provider_transaction_id = w.id ' +
  'on conflict (seller_id, provider, provider_transaction_id, journal_id) do nothing';
const MATCH_ALL = match('');
// Apart: with 'all or these' in one statement each of these is held against every transaction that there is.
const MATCH_THESE = match('and x.provider_transaction_id = any($3::text[])');

const HOLD = 'select from provider_progress where provider = $1 for update';

/**
 * Matches transactions with the journals that they are: of the ids given, or null for all that have none. A provider's
 * transactions are matched by one transaction at a time: two would each see a journal that is free.
 *
 * @returns how many journals were matched
 */
export async function matchTransactions(
  db: Db,
  provider: string,
  at: string,
  transactionIds: readonly string[] | null,
): Promise<number> {
  await db.run(sql(HOLD, [provider]));
  return transactionIds === null
    ? db.run(sql(MATCH_ALL, [provider, at]))
    : db.run(sql(MATCH_THESE, [provider, at, textArray(transactionIds)]));
}

const TOUCHED =
  'select m.seller_id from provider_match m where m.provider = $1 and m.provider_transaction_id = any($2::text[]) ' +
  'union select t.seller_id from provider_transaction t join v_sellers_standing s on s.seller_id = t.seller_id ' +
  'where t.provider = $1 and t.provider_transaction_id = any($2::text[])';

/** Sellers that transactions concern, as far as they are known here. */
export async function touchedSellers(
  db: Db,
  provider: string,
  transactionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.all<{ seller_id: string }>(sql(TOUCHED, [provider, textArray(transactionIds)]));
  return rows.map(({ seller_id }) => seller_id).sort();
}

const UNMATCHED =
  'select t.provider_transaction_id as id from provider_transaction t where t.provider = $1 and t.seller_id = any($2::text[]) ' +
  'and not exists (select from provider_match m where m.provider = t.provider and m.provider_transaction_id = t.provider_transaction_id)';

/** Transactions that the provider says are of these sellers, and that are none of the ledger's yet. */
export async function unmatchedOf(db: Db, provider: string, sellerIds: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql(UNMATCHED, [provider, textArray(sellerIds)]));
  return rows.map(({ id }) => id);
}

const PROVIDERS = 'select provider, data_through from provider_progress order by provider';
const WITH_LEDGER = 'select seller_id from v_ledger_head order by seller_id';

export const providers = (db: Db): Promise<{ provider: string; data_through: string }[]> =>
  db.all(sql(PROVIDERS));
export async function sellersWithLedger(db: Db): Promise<string[]> {
  return (await db.all<{ seller_id: string }>(sql(WITH_LEDGER))).map(({ seller_id }) => seller_id);
}
