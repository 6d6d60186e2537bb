/** One seller's ledger against what the provider reported, in the system's scope; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import { KNOWN_TYPES } from './provider-transactions.ts';

const COUNTED_AT = 'case when j.late then j.recorded_at else least(j.occurred_at, j.recorded_at) end';
const CLEARING =
  "(select sum(e.amount_minor) from v_ledger_entry e where e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.account = 'provider_clearing')";
/** The seller's own part of a charge that orders elsewhere share: that of all its orders on it. */
const OWN_PART =
  '(select sum(e.amount_minor) from v_orders_sold a join v_orders_sold b on b.seller_id = a.seller_id and b.charge_id = a.charge_id ' +
  "join v_ledger_journal k on k.seller_id = b.seller_id and k.order_id = b.order_id and k.kind = 'order_captured' " +
  "join v_ledger_entry e on e.seller_id = k.seller_id and e.journal_id = k.journal_id and e.account = 'provider_clearing' " +
  'where a.seller_id = m.seller_id and a.order_id = m.order_id)';
/** A charge that orders share was told with each of them: it is known of all when it is of one. */
const SIBLING =
  'exists (select from v_orders_sold a join v_orders_sold b on b.seller_id = a.seller_id and b.charge_id = a.charge_id ' +
  'join v_ledger_journal k on k.seller_id = b.seller_id and k.order_id = b.order_id ' +
  'join provider_match m on m.seller_id = k.seller_id and m.journal_id = k.journal_id ' +
  "where j.kind = 'order_captured' and a.seller_id = j.seller_id and a.order_id = j.order_id and a.shared)";

const SHARED =
  'exists (select from v_orders_sold o where o.seller_id = m.seller_id and o.order_id = m.order_id and o.shared)';

/** The provider books what it sends, the ledger what has arrived: until then it is waited for. */
const ON_ITS_WAY =
  '(exists (select from v_payouts_payout p where p.seller_id = $1 ' +
  "and p.status in ('pending', 'in_transit') and s.source_id in (p.provider_payout_id, p.provider_transfer_id)) " +
  "or (s.net_minor < 0 and exists (select from v_ledger_journal j where j.seller_id = $1 and j.refund_id = s.source_id and j.kind = 'refund_created') " +
  'and not exists (select from v_ledger_journal j where j.seller_id = $1 and j.refund_id = s.source_id ' +
  "and j.kind in ('refund_confirmed', 'refund_failed'))))";

// $1 seller, $2 provider, $3 through, $4 before which nothing is waited for any more, $5 currency, $6 types.
const COMPARE =
  'with own as (select j.*, c.clearing from v_ledger_journal j cross join lateral (select ' +
  `${CLEARING} as clearing) c where j.seller_id = $1 and c.clearing <> 0 and ${COUNTED_AT} <= $3::timestamptz ` +
  'and exists (select from v_ledger_entry e where e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.currency = $5)), ' +
  'matched as (select p.seller_id, p.provider_transaction_id, p.reason_codes, k.order_id, k.kind, t.net_minor, c.clearing from provider_match p ' +
  'join provider_transaction t on t.provider = p.provider and t.provider_transaction_id = p.provider_transaction_id ' +
  'join v_ledger_journal k on k.seller_id = p.seller_id and k.journal_id = p.journal_id cross join lateral (select ' +
  `${CLEARING.replaceAll('j.', 'k.')} as clearing) c where p.seller_id = $1 and p.provider = $2 and t.currency = $5), ` +
  'm as (select seller_id, provider_transaction_id, net_minor, min(order_id) as order_id, min(kind) as kind, ' +
  "bool_and(reason_codes = '{}') as agreed, sum(clearing) as clearing from matched group by 1, 2, 3), " +
  'strange as (select t.* from provider_transaction t where t.seller_id = $1 and t.provider = $2 and t.currency = $5 ' +
  'and not exists (select from provider_match p where p.seller_id = $1 and p.provider = t.provider ' +
  'and p.provider_transaction_id = t.provider_transaction_id)), ' +
  'alone as (select j.*, sum(j.clearing) over (partition by j.order_id, j.kind) as together from own j ' +
  'where not exists (select from provider_match p where p.seller_id = j.seller_id and p.journal_id = j.journal_id)), ' +
  // Given up and found again: nothing ever moved.
  `missing as (select ${COUNTED_AT} as at from alone j where not (j.kind = 'order_released' and j.together = 0) and not ${SIBLING}) ` +
  'select coalesce((select sum(clearing) from own), 0)::bigint as expected, ' +
  // What was found to be the same may be of others too.
  `(coalesce((select sum(case when not m.agreed or m.kind not in ('order_captured', 'order_released') then m.net_minor ` +
  `when m.kind = 'order_captured' and ${SHARED} then ${OWN_PART} else m.clearing end) from m), 0) ` +
  '+ coalesce((select sum(net_minor) from strange), 0))::bigint as reported, ' +
  '((select count(*) from strange) + (select count(*) from missing))::int as unmatched, ' +
  'array(select distinct code from (' +
  'select unnest(reason_codes) as code from matched union all ' +
  "select case when s.type <> all($6::text[]) then 'unclassified_type' " +
  `when s.created_at >= $4::timestamptz or ${ON_ITS_WAY} then null ` +
  "when s.type = 'refund_failure' then 'late_refund_failure' else 'missing_in_ledger' end from strange s union all " +
  "select 'missing_at_provider' from missing where at < $4::timestamptz) r where code is not null order by code) as reasons, " +
  'array(select distinct code from (' +
  `select 'missing_in_ledger' as code from strange s where s.type = any($6::text[]) and (s.created_at >= $4::timestamptz or ${ON_ITS_WAY}) union all ` +
  "select 'missing_at_provider' from missing where at >= $4::timestamptz) a order by code) as awaited";

export interface AccountComparison {
  readonly expected: bigint;
  readonly reported: bigint;
  readonly unmatched: number;
  readonly reasons: readonly string[];
  /** What one side has and the other is waited for. */
  readonly awaited: readonly string[];
}

export interface Compare {
  readonly sellerId: string;
  readonly provider: string;
  readonly currency: string;
  /** Instants, RFC 3339: until when the provider's figures are known, and before which nothing may be missing. */
  readonly through: string;
  readonly waited: string;
}

/** Both sides of a seller's account, and what is wrong with single movements. */
export async function compareAccount(db: Db, of: Compare): Promise<AccountComparison> {
  const values = [of.sellerId, of.provider, of.through, of.waited, of.currency, KNOWN_TYPES];
  const row = await db.one<AccountComparison>(sql(COMPARE, values));
  if (row === undefined) throw new Error('a comparison answered nothing');
  return row;
}

const WRITE =
  'insert into reconciliation (seller_id, scope, subject_id, currency, provider, expected_minor, reported_minor, unmatched_count, ' +
  "reason_codes, awaited_codes, data_through, checked_at) values ($1, 'account', '', $2, $3, $4, $5, $6, $7, $8, $9::timestamptz, $10::timestamptz) " +
  'on conflict (seller_id, scope, subject_id, currency, provider) do update set expected_minor = excluded.expected_minor, ' +
  'reported_minor = excluded.reported_minor, unmatched_count = excluded.unmatched_count, reason_codes = excluded.reason_codes, ' +
  'awaited_codes = excluded.awaited_codes, data_through = excluded.data_through, checked_at = excluded.checked_at';

/** Keeps the outcome as the last look. */
export async function keepComparison(
  db: Db,
  { sellerId, currency, provider, through }: Compare,
  found: AccountComparison,
  at: string,
): Promise<void> {
  const { expected, reported, unmatched, reasons, awaited } = found;
  await db.run(
    sql(WRITE, [sellerId, currency, provider, expected, reported, unmatched, reasons, awaited, through, at]),
  );
}

const IN_TURN = "select pg_advisory_xact_lock(hashtextextended('reconcile ' || $1, 0))";

/** One comparison of a seller at a time, until the transaction ends: an older look must not be kept over a newer one. */
export async function compareInTurn(db: Db, sellerId: string): Promise<void> {
  await db.run(sql(IN_TURN, [sellerId]));
}

const CURRENCIES =
  'select distinct currency from v_ledger_day where seller_id = $1 union select currency from provider_transaction ' +
  'where seller_id = $1 order by 1';

export async function currenciesOf(db: Db, sellerId: string): Promise<string[]> {
  return (await db.all<{ currency: string }>(sql(CURRENCIES, [sellerId]))).map(({ currency }) => currency);
}
