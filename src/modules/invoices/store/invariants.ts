/** The invariants of the ledger, the settlements and their invoices. Source: docs/design/money.md#invariants. */
import type { Invariant } from '../../ledger/index.ts';

export const INVOICE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'I18',
    title:
      'Invoices and adjustment notes of a settlement are its fees, each fee on one of them, without a gap in their numbers',
    text: `
      select s.seller_id, s.settlement_id as subject, format('fees %s, invoiced %s', s.fees_minor, coalesce(i.total, 0)) as found
      from v_settlements_settlement s left join (
        select seller_id, settlement_id, sum(total_minor) as total from invoice group by seller_id, settlement_id) as i
      using (seller_id, settlement_id) where s.fees_minor <> coalesce(i.total, 0)
      union all
      select l.seller_id, l.entry_id, format('on document %s', i.invoice_id)
      from v_settlements_line l join v_ledger_entry e using (seller_id, entry_id)
      left join invoice_line il using (seller_id, entry_id) left join invoice i using (seller_id, invoice_id)
      where (e.bucket = 'fees' and i.settlement_id is distinct from l.settlement_id) or (e.bucket <> 'fees' and il.entry_id is not null)
      union all
      select seller_id, entry_id, format('on %s documents', count(*)) from invoice_line
      group by seller_id, entry_id having count(*) > 1
      union all
      select i.seller_id, i.invoice_id, format('total %s, lines %s', i.total_minor, coalesce(sum(e.amount_minor), 0))
      from invoice i left join invoice_line l using (seller_id, invoice_id) left join v_ledger_entry e using (seller_id, entry_id)
      group by i.seller_id, i.invoice_id having i.total_minor <> coalesce(sum(e.amount_minor), 0)
      union all
      select seller_id, 'invoice_series', format('%s documents, last number %s', count(i.invoice_id), max(n.last))
      from invoice i full join invoice_series n using (seller_id)
      group by seller_id having count(i.invoice_id) is distinct from max(n.last)`,
  },
];
