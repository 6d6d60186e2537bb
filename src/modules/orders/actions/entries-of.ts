import { isDeepStrictEqual } from 'node:util';
import type { Work } from '../domain/work.ts';
import type { WireOrder } from '../schemas/order.ts';
import type { Change, NewEntry } from '../store/order-history.ts';

const FIELDS = ['status', 'payment_status', 'refund_status', 'attention', 'deadlines'] as const;

/** The changed fields: states of the order, and quantities of its lines by line number. */
function changesOf(before: WireOrder | undefined, after: WireOrder): Change[] {
  const changes: Change[] = FIELDS.filter((field) => !isDeepStrictEqual(before?.[field], after[field])).map(
    (field) => ({ field, before: before?.[field] ?? null, after: after[field] }),
  );
  for (const line of after.lines) {
    const old = before?.lines.find(({ order_line_id }) => order_line_id === line.order_line_id);
    const units = {
      before: { ...old?.quantities, reserved: old?.quantity_reserved, supplied: old?.quantity_supplied },
      after: { ...line.quantities, reserved: line.quantity_reserved, supplied: line.quantity_supplied },
    };
    for (const [name, value] of Object.entries(units.after)) {
      const was = (units.before as Readonly<Record<string, number | undefined>>)[name] ?? 0;
      if (was !== value) changes.push({ field: `lines.${line.line_no}.${name}`, before: was, after: value });
    }
  }
  return changes;
}

/** The history entries of one change; the first one lists the changed fields. */
export function entriesOf({ notes, at }: Work, before: WireOrder | undefined, after: WireOrder): NewEntry[] {
  const changes = changesOf(before, after);
  return notes.map(({ action, reason, detail, facts, occurred_at }, index) => ({
    order_id: after.order_id,
    version: after.version,
    action,
    reason: reason ?? null,
    detail: detail ?? null,
    facts: facts ?? null,
    changes: index === 0 ? changes : [],
    occurred_at: occurred_at ?? at,
  }));
}
