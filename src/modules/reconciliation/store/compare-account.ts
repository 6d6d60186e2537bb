/**
 * Compares a seller's ledger with the provider's report. It runs in the system's scope, so each statement names the
 * seller.
 */

import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { integer, money, type RowOf, text, texts } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, part, raw, statement } from '../../../platform/db/statement.ts';
import { KNOWN_TYPES } from './provider-transactions.ts';

/** The seller and the provider that are compared. */
export interface Compare {
  readonly sellerId: string;
  readonly provider: string;
  readonly currency: string;
  /**
   * Instants, RFC 3339: the end of the provider's complete list, and the instant before which nothing may be missing.
   */
  readonly through: string;
  readonly waited: string;
}

const COUNTED_AT = raw('case when j.late then j.recorded_at else least(j.occurred_at, j.recorded_at) end');
/** The amount that a journal moves of the provider's money. */
const clearingOf = (journal: string) => part`
  (select sum(e.amount_minor)
     from v_ledger_entry e
    where e.seller_id = ${raw(journal)}.seller_id and e.journal_id = ${raw(journal)}.journal_id
      and e.account = 'provider_clearing')`;
/** The seller's part of a charge that it shares with other sellers: the sum of its orders' parts. */
const OWN_PART = part`
  (select sum(e.amount_minor)
     from v_orders_sold a
     join v_orders_sold b on b.seller_id = a.seller_id and b.charge_id = a.charge_id
     join v_ledger_journal k on k.seller_id = b.seller_id and k.order_id = b.order_id and k.kind = 'order_captured'
     join v_ledger_entry e on e.seller_id = k.seller_id and e.journal_id = k.journal_id
      and e.account = 'provider_clearing'
    where a.seller_id = m.seller_id and a.order_id = m.order_id)`;
/** Each order that shares a charge states the whole charge, so a match of one order is a match of all. */
const SIBLING = part`
  exists (select
            from v_orders_sold a
            join v_orders_sold b on b.seller_id = a.seller_id and b.charge_id = a.charge_id
            join v_ledger_journal k on k.seller_id = b.seller_id and k.order_id = b.order_id
            join provider_match m on m.seller_id = k.seller_id and m.journal_id = k.journal_id
           where j.kind = 'order_captured' and a.seller_id = j.seller_id and a.order_id = j.order_id and a.shared)`;
const SHARED = part`
  exists (select
            from v_orders_sold o
           where o.seller_id = m.seller_id and o.order_id = m.order_id and o.shared)`;

/** The provider books a payout when it sends it, the ledger when it has arrived. Until then it is not a difference. */
const inTransit = (sellerId: string) => part`
  (exists (select
             from v_payouts_payout p
            where p.seller_id = ${sellerId} and p.status in ('pending', 'in_transit')
              and s.source_id in (p.provider_payout_id, p.provider_transfer_id))
   or (s.net_minor < 0
       and exists (select
                     from v_ledger_journal j
                    where j.seller_id = ${sellerId} and j.refund_id = s.source_id and j.kind = 'refund_created')
       and not exists (select
                         from v_ledger_journal j
                        where j.seller_id = ${sellerId} and j.refund_id = s.source_id
                          and j.kind in ('refund_confirmed', 'refund_failed'))))`;

/** Journals of payouts that a transfer has funded. The transfer is the provider's only movement for all of them. */
const FUNDED = raw("('payout_paid', 'payout_returned')");
/** How long a movement that a person must look at is shown as a difference. */
const EXCEPTION_SHOWN = raw("interval '30 days'");

const comparison = {
  expected: money,
  reported: money,
  in_flight: money,
  unmatched: integer,
  reasons: texts,
  /** Amounts of one side that the other side may still report. */
  awaited: texts,
};
type AccountComparison = RowOf<typeof comparison>;

/** Both sides of a seller's account, and the differences of single movements. */
export async function compareAccount(
  db: Db,
  { sellerId, provider, currency, through, waited }: Compare,
): Promise<AccountComparison> {
  const known = textArray(KNOWN_TYPES);
  const row = await db.one(statement(comparison)`
    with own as (
      select j.*, c.clearing
        from v_ledger_journal j
       cross join lateral (select ${clearingOf('j')} as clearing) c
       where j.seller_id = ${sellerId}
         and c.clearing <> 0
         and ${COUNTED_AT} <= ${through}::timestamptz
         and exists (select
                       from v_ledger_entry e
                      where e.seller_id = j.seller_id and e.journal_id = j.journal_id
                        and e.currency = ${currency})),
    -- Transfers to the seller's account at the provider. Until a payout has arrived, they are in flight.
    flow as (
      select x.settlement_id, t.provider_transaction_id, t.net_minor, t.net_minor = -x.amount_minor as agreed,
             coalesce((select sum(o.clearing)
                         from own o
                        where o.settlement_id = x.settlement_id and o.kind in ${FUNDED}), 0) = 0 as flying
        from v_payouts_transfer x
        join provider_transaction t
          on t.provider = x.provider and t.source_id = x.provider_transfer_id and t.type = 'transfer'
       where x.seller_id = ${sellerId} and x.provider = ${provider} and x.currency = ${currency}),
    matched as (
      select p.seller_id, p.provider_transaction_id, p.reason_codes, k.order_id, k.kind, t.net_minor, c.clearing
        from provider_match p
        join provider_transaction t
          on t.provider = p.provider and t.provider_transaction_id = p.provider_transaction_id
        join v_ledger_journal k on k.seller_id = p.seller_id and k.journal_id = p.journal_id
       cross join lateral (select ${clearingOf('k')} as clearing) c
       where p.seller_id = ${sellerId} and p.provider = ${provider} and t.currency = ${currency}
         and p.provider_transaction_id not in (select f.provider_transaction_id from flow f)),
    m as (
      select seller_id, provider_transaction_id, net_minor, min(order_id) as order_id, min(kind) as kind,
             bool_and(reason_codes = '{}') as agreed, sum(clearing) as clearing
        from matched
       group by 1, 2, 3),
    strange as (
      select t.*
        from provider_transaction t
       where t.seller_id = ${sellerId} and t.provider = ${provider} and t.currency = ${currency}
         and t.provider_transaction_id not in (select f.provider_transaction_id from flow f)
         and not exists (select
                           from provider_match p
                          where p.seller_id = ${sellerId} and p.provider = t.provider
                            and p.provider_transaction_id = t.provider_transaction_id)),
    alone as (
      select j.*, sum(j.clearing) over (partition by j.order_id, j.kind) as together
        from own j
       where not (j.kind in ${FUNDED} and j.settlement_id in (select f.settlement_id from flow f))
         and not exists (select
                           from provider_match p
                          where p.seller_id = j.seller_id and p.journal_id = j.journal_id)),
    -- A release and its reversal move nothing together.
    missing as (
      select ${COUNTED_AT} as at
        from alone j
       where not (j.kind = 'order_released' and j.together = 0)
         and not ${SIBLING})
    select (coalesce((select sum(clearing) from own), 0)
            + coalesce((select sum(net_minor) from flow where flying), 0))::bigint as expected,
           coalesce((select -sum(net_minor) from flow where flying), 0)::bigint as in_flight,
           -- A shared transaction that agrees is of other sellers too: only the own part counts.
           (coalesce((select sum(case when not m.agreed or m.kind not in ('order_captured', 'order_released')
                                      then m.net_minor
                                      when m.kind = 'order_captured' and ${SHARED} then ${OWN_PART}
                                      else m.clearing end)
                        from m), 0)
            + coalesce((select sum(net_minor) from strange), 0)
            + coalesce((select sum(net_minor) from flow), 0))::bigint as reported,
           ((select count(*) from strange) + (select count(*) from missing))::int as unmatched,
           array(select distinct code
                   from (select unnest(reason_codes) as code from matched
                          union all
                         select 'amount_differs' from flow where not agreed
                          union all
                         select x.kind
                           from v_payouts_exception x
                          where x.seller_id = ${sellerId} and x.provider = ${provider}
                            and x.noted_at > ${through}::timestamptz - ${EXCEPTION_SHOWN}
                          union all
                         select case when s.type <> all(${known}::text[]) then 'unclassified_type'
                                     when s.created_at >= ${waited}::timestamptz or ${inTransit(sellerId)} then null
                                     when s.type = 'refund_failure' then 'late_refund_failure'
                                     else 'missing_in_ledger' end
                           from strange s
                          union all
                         select 'missing_at_provider' from missing where at < ${waited}::timestamptz) r
                  where code is not null
                  order by code) as reasons,
           array(select distinct code
                   from (select 'missing_in_ledger' as code
                           from strange s
                          where s.type = any(${known}::text[])
                            and (s.created_at >= ${waited}::timestamptz or ${inTransit(sellerId)})
                          union all
                         select 'missing_at_provider' from missing where at >= ${waited}::timestamptz) a
                  order by code) as awaited`);
  if (row === undefined) throw new Error('a comparison has no row');
  return row;
}

/** The columns in which comparisons are stored. */
export const INTO_COMPARISONS = part`
  insert into reconciliation (seller_id, scope, subject_id, currency, provider, expected_minor, reported_minor,
                              in_flight_minor, unmatched_count, reason_codes, awaited_codes, data_through,
                              checked_at)`;
/** Only the last comparison is kept. */
export const REPLACING_THE_LAST = part`
  on conflict (seller_id, scope, subject_id, currency, provider) do update
     set expected_minor = excluded.expected_minor, reported_minor = excluded.reported_minor,
         in_flight_minor = excluded.in_flight_minor,
         unmatched_count = excluded.unmatched_count, reason_codes = excluded.reason_codes,
         awaited_codes = excluded.awaited_codes, data_through = excluded.data_through,
         checked_at = excluded.checked_at`;

/** Stores the result as the last comparison. */
export async function storeComparison(
  db: Db,
  { sellerId, currency, provider, through }: Compare,
  { expected, reported, in_flight, unmatched, reasons, awaited }: AccountComparison,
  at: string,
): Promise<void> {
  await db.run(command`
    ${INTO_COMPARISONS}
    values (${sellerId}, 'account', '', ${currency}, ${provider}, ${expected}, ${reported}, ${in_flight},
            ${unmatched}, ${textArray(reasons)}, ${textArray(awaited)}, ${through}::timestamptz, ${at}::timestamptz)
        ${REPLACING_THE_LAST}`);
}

/** Locks the comparison of a seller, so that an older result does not overwrite a newer one. */
export async function lockComparison(db: Db, sellerId: string): Promise<void> {
  await lockName(db, `reconcile ${sellerId}`);
}

export async function currenciesOf(db: Db, sellerId: string): Promise<string[]> {
  const rows = await db.all(statement({ currency: text })`
    select distinct currency
      from v_ledger_day
     where seller_id = ${sellerId}
     union
    select currency
      from provider_transaction
     where seller_id = ${sellerId}
     order by 1`);
  return rows.map(({ currency }) => currency);
}
