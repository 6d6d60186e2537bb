/** The invariants of the ledger and the provider's transactions. Source: docs/design/money.md#invariants. */
import type { Invariant } from '../../ledger/index.ts';

export const RECONCILIATION_INVARIANTS: readonly Invariant[] = [
  {
    id: 'I19',
    title:
      'Each transaction that the provider reports is matched once, to the cent, or is a named difference',
    text: `
      select seller_id, journal_id as subject, format('matched to %s transactions', count(*)) as found
      from provider_match where reason_codes = '{}' group by seller_id, journal_id having count(*) > 1
      union all
      select min(m.seller_id), m.provider_transaction_id,
        format('reported %s, booked %s', t.net_minor, coalesce(max(o.stated), sum(e.amount_minor)))
      from provider_match m join provider_transaction t using (provider, provider_transaction_id)
      join v_ledger_journal j on j.seller_id = m.seller_id and j.journal_id = m.journal_id
      left join lateral (select charge_total_minor - charge_provider_fee_minor as stated from v_orders_sold
        where seller_id = j.seller_id and order_id = j.order_id and j.kind = 'order_captured') as o on true
      left join v_ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.account = case
        when j.kind in ('payout_sent', 'payout_failed') then 'seller_in_transit'
        when j.kind in ('refund_created', 'refund_failed') then 'buyer_refunds_payable' else 'provider_clearing' end
      group by m.provider, m.provider_transaction_id, t.net_minor
      having bool_and(m.reason_codes = '{}') and coalesce(max(o.stated), sum(e.amount_minor)) is distinct from t.net_minor`,
  },
];
