/** Payouts against what the provider took for them, in the system's scope; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Compare } from './compare-account.ts';
import { PAYOUT_TYPES } from './provider-transactions.ts';

/** What should have left the provider in the end; what is on its way has left it. */
const EXPECTED = "case when p.status in ('in_transit', 'paid') then p.amount_minor else 0 end";
/** Since when it stands as it does. */
const STANDS_SINCE =
  'coalesce((select max(c.at) from v_payouts_change c where c.seller_id = p.seller_id and c.payout_id = p.payout_id), p.updated_at)';
const NAMED =
  't.type = any($7::text[]) and t.source_id in (p.provider_payout_id, p.provider_transfer_id) ' +
  'and (t.seller_id is null or t.seller_id = p.seller_id)';

// $1 seller, $2 provider, $3 through, $4 now, $5 currency, $6 before which nothing is waited for any more, $7 types.
const COMPARE =
  'select p.seller_id, p.payout_id, p.currency, x.expected, r.reported, ' +
  '(case when x.differs then greatest(r.unknown, 1) else 0 end)::int as unmatched, array(select distinct code from (' +
  'select unnest(r.codes) as code union all ' +
  "select 'missing_in_ledger' where x.differs and r.overdue union all " +
  `select 'missing_at_provider' where x.differs and r.unknown = 0 and ${STANDS_SINCE} < $6::timestamptz) q order by code) as reasons, ` +
  "array(select 'missing_in_ledger' where x.differs and r.unknown > 0 and not r.overdue union all " +
  `select 'missing_at_provider' where x.differs and r.unknown = 0 and ${STANDS_SINCE} >= $6::timestamptz) as awaited ` +
  'from v_payouts_payout p cross join lateral (select count(*)::int as seen, ' +
  'coalesce(-sum(t.net_minor) filter (where t.currency = p.currency), 0)::bigint as reported, ' +
  'count(*) filter (where m.journal_id is null)::int as unknown, ' +
  'coalesce(bool_or(m.journal_id is null and t.created_at < $6::timestamptz), false) as overdue, ' +
  "string_to_array(coalesce(string_agg(nullif(array_to_string(m.reason_codes, ','), ''), ','), ''), ',') as codes " +
  'from provider_transaction t left join provider_match m on m.seller_id = p.seller_id and m.provider = t.provider ' +
  `and m.provider_transaction_id = t.provider_transaction_id where t.provider = $2 and ${NAMED}) r ` +
  // What was matched with another amount has its reason already.
  `cross join lateral (select ${EXPECTED} as expected, r.reported <> ${EXPECTED} and r.codes = '{}' as differs) x ` +
  "where p.seller_id = $1 and p.currency = $5 and p.status <> 'pending' " +
  // What another provider knows is its own; of what nobody knows only the arrival is waited for.
  "and (r.seen > 0 or (p.status in ('in_transit', 'paid') and not exists (select from provider_transaction t " +
  `where t.provider <> $2 and ${NAMED})))`;
const WRITE =
  'insert into reconciliation (seller_id, scope, subject_id, currency, provider, expected_minor, reported_minor, unmatched_count, ' +
  "reason_codes, awaited_codes, data_through, checked_at) select c.seller_id, 'payout', c.payout_id, c.currency, $2, c.expected, c.reported, " +
  `c.unmatched, c.reasons, c.awaited, $3::timestamptz, $4::timestamptz from (${COMPARE}) c ` +
  'on conflict (seller_id, scope, subject_id, currency, provider) do update set expected_minor = excluded.expected_minor, ' +
  'reported_minor = excluded.reported_minor, unmatched_count = excluded.unmatched_count, reason_codes = excluded.reason_codes, ' +
  'awaited_codes = excluded.awaited_codes, data_through = excluded.data_through, checked_at = excluded.checked_at';
/** An earlier look at what has turned out to be another provider's, or has moved nothing in the end. */
const FORGET =
  "delete from reconciliation where seller_id = $1 and scope = 'payout' and provider = $2 and currency = $3 and checked_at < $4::timestamptz";

/** Each payout against all that the provider says it booked for it; the outcome is kept as the last look. */
export async function comparePayouts(
  db: Db,
  { sellerId, provider, currency, through, waited }: Compare,
  at: string,
): Promise<void> {
  await db.run(sql(WRITE, [sellerId, provider, through, at, currency, waited, PAYOUT_TYPES]));
  await db.run(sql(FORGET, [sellerId, provider, currency, at]));
}
