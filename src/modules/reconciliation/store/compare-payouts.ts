/** Compares payouts with the provider's bookings. It runs in the system's scope, so each statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { command, part } from '../../../platform/db/statement.ts';
import { type Compare, INTO_COMPARISONS, REPLACING_THE_LAST } from './compare-account.ts';
import { PAYOUT_TYPES } from './provider-transactions.ts';

/** Whether one transfer pays for all attempts of the settlement; the provider books no more of them. */
const FUNDED = part`
  exists (select
            from v_payouts_transfer x
           where x.seller_id = p.seller_id and x.settlement_id = p.settlement_id and x.state = 'made')`;
const LAST = part`
  not exists (select
                from v_payouts_payout l
               where l.seller_id = p.seller_id and l.settlement_id = p.settlement_id and l.attempt > p.attempt)`;
/**
 * The amount that should have left the provider. A payout in transit has left it. A transfer has left it whatever
 * becomes of the payouts, and counts for the last of them.
 */
const EXPECTED = part`
  case when case when ${FUNDED} then ${LAST} else p.status in ('in_transit', 'paid') end
       then p.amount_minor else 0 end`;
/** The instant since which the payout has its state. */
const SINCE = part`
  coalesce((select max(c.at)
              from v_payouts_change c
             where c.seller_id = p.seller_id and c.payout_id = p.payout_id), p.updated_at)`;

/** Compares each payout with the provider's bookings for it, and stores the result as the last comparison. */
export async function comparePayouts(
  db: Db,
  { sellerId, provider, currency, through, waited }: Compare,
  at: string,
): Promise<void> {
  const named = part`
    t.type = any(${textArray(PAYOUT_TYPES)}::text[])
    and t.source_id in (p.provider_payout_id, p.provider_transfer_id)
    and (not ${FUNDED} or ${LAST})
    and (t.seller_id is null or t.seller_id = p.seller_id)`;
  await db.run(command`
    ${INTO_COMPARISONS}
    select p.seller_id, 'payout', p.payout_id, p.currency, ${provider}::text, x.expected, r.reported, 0,
           (case when x.differs then greatest(r.unknown, 1) else 0 end)::int,
           array(select distinct code
                   from (select unnest(r.codes) as code
                          union all
                         select 'missing_in_ledger' where x.differs and r.overdue
                          union all
                         select 'missing_at_provider'
                          where x.differs and r.unknown = 0 and ${SINCE} < ${waited}::timestamptz) q
                  order by code),
           array(select 'missing_in_ledger' where x.differs and r.unknown > 0 and not r.overdue
                  union all
                 select 'missing_at_provider'
                  where x.differs and r.unknown = 0 and ${SINCE} >= ${waited}::timestamptz),
           ${through}::timestamptz, ${at}::timestamptz
      from v_payouts_payout p
     cross join lateral (
           select count(*)::int as seen,
                  coalesce(-sum(t.net_minor) filter (where t.currency = p.currency), 0)::bigint as reported,
                  count(*) filter (where m.journal_id is null)::int as unknown,
                  coalesce(bool_or(m.journal_id is null and t.created_at < ${waited}::timestamptz), false) as overdue,
                  string_to_array(coalesce(string_agg(nullif(array_to_string(m.reason_codes, ','), ''), ','), ''), ',')
                    as codes
             from provider_transaction t
             left join provider_match m
               on m.seller_id = p.seller_id and m.provider = t.provider
              and m.provider_transaction_id = t.provider_transaction_id
            where t.provider = ${provider} and ${named}) r
     -- A match with another amount has its reason already.
     cross join lateral (select ${EXPECTED} as expected, r.reported <> ${EXPECTED} and r.codes = '{}' as differs) x
     where p.seller_id = ${sellerId}
       and p.currency = ${currency}
       and p.status <> 'pending'
       -- A payout that another provider booked is compared with that one; one that no provider booked is awaited.
       and (r.seen > 0 or (p.status in ('in_transit', 'paid')
                           and not exists (select
                                             from provider_transaction t
                                            where t.provider <> ${provider} and ${named})))
        ${REPLACING_THE_LAST}`);
  // Deletes comparisons of payouts that are now known to belong to another provider, or to have moved no money.
  await db.run(command`
    delete from reconciliation
     where seller_id = ${sellerId}
       and scope = 'payout'
       and provider = ${provider}
       and currency = ${currency}
       and checked_at < ${at}::timestamptz`);
}
