/** The invariants of the ledger, the settlements and their payouts. Source: docs/design/money.md#invariants. */
import type { Invariant } from '../../ledger/index.ts';

/** The amount that the marketplace still owes a seller, on all accounts. */
const OWED = "('seller_payable', 'seller_reserve', 'seller_settled', 'seller_in_transit')";
/** The states of attempts whose money has left, or may have left. */
const LIVE = "('pending', 'in_transit', 'paid')";

export const PAYOUT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'I10',
    title: 'A settlement has at most one live payout, of its whole amount, and its status fits the payout',
    text: `
      select s.seller_id, s.settlement_id as subject,
        format('%s of %s: %s live payouts, %s paid, %s in work', s.status, s.payout_amount_minor, p.live, p.paid, p.working) as found
      from v_settlements_settlement s left join (
        select seller_id, settlement_id, count(*) filter (where status in ${LIVE}) as live,
          count(*) filter (where status = 'paid') as paid,
          count(*) filter (where status in ('pending', 'in_transit')) as working
        from payout group by seller_id, settlement_id) as p using (seller_id, settlement_id)
      where p.live > 1 or (s.status = 'paid') <> (coalesce(p.paid, 0) > 0)
        or (s.status = 'processing') <> (coalesce(p.working, 0) > 0)
      union all
      select p.seller_id, p.payout_id, format('%s %s of %s %s', p.amount_minor, p.currency, s.payout_amount_minor, s.currency)
      from payout p left join v_settlements_settlement s using (seller_id, settlement_id)
      where (p.amount_minor, p.currency) is distinct from (s.payout_amount_minor, s.currency)`,
  },
  {
    id: 'I11',
    title: 'The settled and in-transit balances agree with the settlements and payouts',
    text: `
      select seller_id, currency as subject, format('%s: %s in the ledger, %s in the records', account, -sum(amount), sum(known)) as found
      from (
        select seller_id, currency, account, amount_minor as amount, 0::bigint as known
        from v_ledger_entry where account in ('seller_settled', 'seller_in_transit')
        union all
        select seller_id, currency, case status when 'in_transit' then 'seller_in_transit' else 'seller_settled' end, 0, amount_minor
        from payout where status in ('in_transit', 'pending')
        union all
        select seller_id, currency, 'seller_settled', 0, payout_amount_minor
        from v_settlements_settlement where status in ('ready', 'on_hold', 'payment_failed')) as both_sides
      group by seller_id, currency, account having sum(amount) + sum(known) <> 0`,
  },
  {
    id: 'I12',
    title: 'Sales less fees plus adjustments are the sum of the paid and the owed amounts',
    text: `
      select seller_id, currency as subject, format('earned %s, paid out %s, owed %s', sum(earned), sum(paid), sum(owed)) as found
      from (
        select seller_id, currency, case when bucket in ('gross', 'fees', 'adjustments') then -amount_minor else 0 end as earned,
          0::bigint as paid, -amount_minor as owed
        from v_ledger_entry where account in ${OWED}
        union all
        select seller_id, currency, 0, amount_minor, 0 from payout where status = 'paid') as parts
      group by seller_id, currency having sum(earned) <> sum(paid) + sum(owed)`,
  },
];
