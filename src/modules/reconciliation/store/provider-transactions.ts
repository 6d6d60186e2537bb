/** The transactions of payment providers, in the system's scope, because a charge may belong to several sellers. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { date, instant, integer, money, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, join, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation } from '../../../platform/db/table.ts';

/** The key of a reported transaction. */
const identity = {
  provider_transaction_id: text,
  type: text,
  amount_minor: money,
  fee_minor: money,
  net_minor: money,
  currency: text,
  source_id: nullable(text),
  seller_id: nullable(text),
};
const reported = { ...identity, available_on: nullable(date), created_at: instant };
type Rows = readonly RowOf<typeof reported>[];
const listOf = (columns: object): Part => raw(Object.keys(columns).join(', '));

/** Stores the new transactions of a report. A transaction that was reported before is not changed. */
export async function addTransactions(db: Db, provider: string, at: string, rows: Rows): Promise<void> {
  const { from, element } = asRelation(reported, rows);
  await db.run(command`
    insert into provider_transaction (provider, recorded_at, ${listOf(reported)})
    select ${provider}, ${at}::timestamptz, ${raw(Object.keys(reported).map(element).join(', '))}
      from ${from} as u (${listOf(reported)})
        on conflict (provider, provider_transaction_id) do nothing`);
}

/** Whether a report contradicts a stored transaction. */
export async function hasChanged(db: Db, provider: string, rows: Rows): Promise<boolean> {
  const found = await db.one(statement({ changed: integer })`
    select count(*)::int as changed
      from ${asRelation(identity, rows).from} as u (${listOf(identity)})
      join provider_transaction t
        on t.provider = ${provider} and t.provider_transaction_id = u.provider_transaction_id
     where (t.type, t.amount_minor, t.fee_minor, t.net_minor, t.currency, t.source_id, t.seller_id)
           is distinct from
           (u.type, u.amount_minor, u.fee_minor, u.net_minor, u.currency, u.source_id, u.seller_id)`);
  return (found?.changed ?? 0) > 0;
}

/** Stores the instant until which the provider's list is complete. An older report changes nothing. */
export async function noteProgress(db: Db, provider: string, through: string, at: string): Promise<void> {
  await db.run(command`
    insert into provider_progress (provider, data_through, recorded_at)
    values (${provider}, ${through}::timestamptz, ${at}::timestamptz)
        on conflict (provider) do update
       set data_through = greatest(provider_progress.data_through, excluded.data_through),
           recorded_at = excluded.recorded_at`);
}

/** The types of transactions whose source is a payout. */
export const PAYOUT_TYPES = [
  'payout',
  'transfer',
  'payout_failure',
  'payout_cancel',
  'transfer_reversal',
] as const;

const JOURNAL = raw('t.provider_transaction_id as id, j.seller_id, j.journal_id');
const NOT_STATED = raw('null::bigint as stated_net, null::bigint as stated_amount');
const OF_ORDER = raw('j.seller_id = o.seller_id and j.order_id = o.order_id');
const refundJournal = (kind: string) => part`
  select
    from v_ledger_journal k
   where k.seller_id = j.seller_id and k.refund_id = j.refund_id and k.kind = ${kind}`;
/** Whether money was paid to the buyer or came back. The sign decides. */
const CONFIRMED = part`
  j.kind = 'refund_confirmed'
  and exists (select
                from v_ledger_entry e
               where e.seller_id = j.seller_id and e.journal_id = j.journal_id
                 and e.account = 'provider_clearing' and sign(e.amount_minor) = sign(t.net_minor))`;

/**
 * Matches refunds of a charge whose orders were cancelled before the refunds had ids. The nth refund of an amount
 * gets the nth free journal of that amount. A refund of another amount gets all journals that are still free. If
 * none is free, the refund repeats one that has a journal.
 */
const RELEASES = part`
  released as (
    select t.provider_transaction_id, t.source_id, t.net_minor, t.seller_id as stated_seller, t.created_at,
           j.seller_id, j.journal_id, c.clearing = t.net_minor as fits,
           exists (select
                     from provider_match m
                    where m.seller_id = j.seller_id and m.journal_id = j.journal_id) as taken
      from t
      join v_orders_sold o on o.charge_id = t.source_id and (t.seller_id is null or o.seller_id = t.seller_id)
      join v_ledger_journal j on ${OF_ORDER} and j.kind = 'order_released'
     cross join lateral (select sum(e.amount_minor) as clearing
                           from v_ledger_entry e
                          where e.seller_id = j.seller_id and e.journal_id = j.journal_id
                            and e.account = 'provider_clearing') c
     where t.type in ('refund', 'payment_refund')
       and sign(c.clearing) = sign(t.net_minor)
       and not exists (select
                         from v_orders_given_back g
                        where g.provider_transaction_id = t.provider_transaction_id)),
  ranked as (
    select r.*, fits and not taken as free,
           dense_rank() over (partition by source_id, net_minor, stated_seller, fits, taken
                              order by created_at, provider_transaction_id) as turn,
           dense_rank() over (partition by provider_transaction_id, fits, taken order by journal_id) as place,
           row_number() over (partition by provider_transaction_id, fits order by journal_id) as number
      from released r),
  paired as (select * from ranked where free and turn = place),
  preferred as (
    select provider_transaction_id, seller_id, journal_id,
           case when exists (select from paired p where p.provider_transaction_id = r.provider_transaction_id)
                then case when free and turn = place then 0 end
                when not taken
                     and not exists (select
                                       from paired p
                                      where p.seller_id = r.seller_id and p.journal_id = r.journal_id) then 1
                when fits and number = 1 then 2
                else 3 end as rank
      from ranked r),
  released_best as (
    select *
      from (select x.*, min(rank) over (partition by provider_transaction_id) as best from preferred x) y
     where rank = best)`;

/** The journals that a transaction may match: those of the source that the provider names, of the kind of its type. */
const CANDIDATES = join(
  [
    // If several sellers share a charge, each of their orders states the whole charge.
    part`
      select ${JOURNAL}, o.charge_total_minor - o.charge_provider_fee_minor as stated_net,
             coalesce(o.charge_total_minor, o.captured_minor) as stated_amount
        from t
        join v_orders_sold o on o.charge_id = t.source_id
        join v_ledger_journal j on ${OF_ORDER} and j.kind = 'order_captured'
       where t.type in ('charge', 'payment')`,
    part`
      select ${JOURNAL}, ${NOT_STATED}
        from t
        join v_orders_given_back o on o.provider_transaction_id = t.provider_transaction_id
        join v_ledger_journal j on ${OF_ORDER} and j.refund_id = o.refund_id and ${CONFIRMED}
       where t.type in ('refund', 'payment_refund')`,
    // A refund that failed before it was confirmed was never posted. The refund and its failure cancel out.
    part`
      select ${JOURNAL}, ${NOT_STATED}
        from t
        join v_ledger_journal j on j.refund_id = t.source_id and (t.seller_id is null or j.seller_id = t.seller_id)
         and (${CONFIRMED}
              or j.kind = case when t.net_minor < 0 then 'refund_created' else 'refund_failed' end
                 and exists (${refundJournal('refund_failed')})
                 and not exists (${refundJournal('refund_confirmed')}))
       where t.type in ('refund', 'payment_refund', 'refund_failure')`,
    part`
      select provider_transaction_id as id, seller_id, journal_id, ${NOT_STATED}
        from released_best`,
    part`
      select ${JOURNAL}, ${NOT_STATED}
        from t
        join v_ledger_journal j on j.dispute_id = t.source_id
         and j.kind = case when t.net_minor < 0 then 'chargeback_opened' else 'chargeback_won' end
         and (t.seller_id is null or j.seller_id = t.seller_id)
       where t.type in ('dispute', 'dispute_reversal', 'adjustment')`,
    // A failed payout has left no balance. The payout and its failure cancel out.
    part`
      select ${JOURNAL}, sign(t.net_minor)::bigint * p.amount_minor as stated_net, null::bigint as stated_amount
        from t
        join v_payouts_payout p on (p.provider_payout_id = t.source_id or p.provider_transfer_id = t.source_id)
         and (t.seller_id is null or p.seller_id = t.seller_id)
         -- A transfer that pays for all attempts of a settlement is that of the attempt which has arrived.
         and (p.status = 'paid'
              or not exists (select
                               from v_payouts_transfer x
                              where x.seller_id = p.seller_id and x.settlement_id = p.settlement_id
                                and x.provider_transfer_id = t.source_id))
        join v_ledger_journal j on j.seller_id = p.seller_id and j.payout_id = p.payout_id
         and j.kind = case when t.net_minor < 0
                           then case when p.status in ('failed', 'canceled') then 'payout_sent' else 'payout_paid' end
                           else case when p.status = 'returned' then 'payout_returned' else 'payout_failed' end end
       where t.type in (${raw(PAYOUT_TYPES.map((type) => `'${type}'`).join(', '))})`,
  ],
  ' union ',
);

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

/** The amount that a journal moves of the provider's money, or states for money that came back before it was moved. */
const CLEARING = part`
  (select sum(e.amount_minor)
     from v_ledger_journal k
     join v_ledger_entry e on e.seller_id = k.seller_id and e.journal_id = k.journal_id
      and e.account = case when k.kind in ('refund_created', 'refund_failed')
                           then 'buyer_refunds_payable' else 'provider_clearing' end
    where k.seller_id = c.seller_id and k.journal_id = c.journal_id)`;
const CURRENCY = part`
  (select e.currency
     from v_ledger_entry e
    where e.seller_id = c.seller_id and e.journal_id = c.journal_id
    limit 1)`;

const match = (provider: string, which: Part, at: string) => command`
  with t as (
    select *
      from provider_transaction x
     where x.provider = ${provider} ${which}
       and not exists (select
                         from provider_match m
                        where m.provider = x.provider and m.provider_transaction_id = x.provider_transaction_id)),
  ${RELEASES},
  candidate as (${CANDIDATES}),
  weighed as (select c.*, ${CLEARING} as clearing, ${CURRENCY} as currency from candidate c),
  compared as (
    select w.id, coalesce(max(w.stated_net), sum(w.clearing)) as net, max(w.stated_amount) as amount,
           min(w.currency) as currency
      from weighed w
     group by w.id)
  insert into provider_match (seller_id, provider, provider_transaction_id, journal_id, reason_codes, matched_at)
  select w.seller_id, ${provider}, w.id, w.journal_id,
         array_remove(array[
           case when t.currency <> c.currency then 'currency_differs' end,
           case when t.net_minor is distinct from c.net
                then case when t.amount_minor = c.amount then 'fee_differs' else 'amount_differs' end end,
           -- Matched before, or twice in one report.
           case when exists (select
                               from provider_match m
                              where m.seller_id = w.seller_id and m.journal_id = w.journal_id)
                     or row_number() over (partition by w.seller_id, w.journal_id order by t.created_at, w.id) > 1
                then 'duplicate_at_provider' end], null),
         ${at}::timestamptz
    from weighed w
    join compared c on c.id = w.id
    join t on t.provider_transaction_id = w.id
      on conflict (seller_id, provider, provider_transaction_id, journal_id) do nothing`;

/**
 * Matches transactions with their journals: the transactions with the given ids, or all without a journal. Only one
 * database transaction at a time may do this for a provider, because two would see the same free journal.
 *
 * @returns the number of matched journals
 */
export async function matchTransactions(
  db: Db,
  provider: string,
  at: string,
  transactionIds: readonly string[] | null,
): Promise<number> {
  await db.run(command`select from provider_progress where provider = ${provider} for update`);
  // There are two statements, because a condition "all or these" would compare each id with every stored transaction.
  const which =
    transactionIds === null
      ? raw('')
      : part`and x.provider_transaction_id = any(${textArray(transactionIds)}::text[])`;
  return db.run(match(provider, which, at));
}

/** The existing sellers of transactions. */
export async function touchedSellers(
  db: Db,
  provider: string,
  transactionIds: readonly string[],
): Promise<string[]> {
  const ids = textArray(transactionIds);
  const rows = await db.all(statement({ seller_id: text })`
    select m.seller_id
      from provider_match m
     where m.provider = ${provider} and m.provider_transaction_id = any(${ids}::text[])
     union
    select t.seller_id
      from provider_transaction t
      join v_sellers_standing s on s.seller_id = t.seller_id
     where t.provider = ${provider} and t.provider_transaction_id = any(${ids}::text[])`);
  return rows.map(({ seller_id }) => seller_id).sort();
}

/** The transactions that the provider assigns to these sellers and that have no journal yet. */
export async function unmatchedOf(db: Db, provider: string, sellerIds: readonly string[]): Promise<string[]> {
  const rows = await db.all(statement({ id: text })`
    select t.provider_transaction_id as id
      from provider_transaction t
     where t.provider = ${provider}
       and t.seller_id = any(${textArray(sellerIds)}::text[])
       and not exists (select
                         from provider_match m
                        where m.provider = t.provider and m.provider_transaction_id = t.provider_transaction_id)`);
  return rows.map(({ id }) => id);
}

export const providers = (db: Db) =>
  db.all(statement({ provider: text, data_through: instant })`
    select provider, data_through
      from provider_progress
     order by provider`);

export async function sellersWithLedger(db: Db): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select seller_id
      from v_ledger_head
     order by seller_id`);
  return rows.map(({ seller_id }) => seller_id);
}
