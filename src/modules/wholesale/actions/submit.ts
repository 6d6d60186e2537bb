/** The seller submits a draft. The supplier gets a total that the seller has seen. */
import { endOfBusinessDay } from '../../../kernel/australia/business-days.ts';
import type { Acting } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { jsonOrNull, type Minor, minor, minorOrNull } from '../../../kernel/money.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { loadSender } from '../../shipping/index.ts';
import { supplyErrors } from '../../supply/index.ts';
import { totalOf } from '../domain/priced.ts';
import { purchaseMachine } from '../domain/purchase-machine.ts';
import { wholesaleErrors } from '../errors.ts';
import { purchaseEvents } from '../events.ts';
import {
  findPurchase,
  type LineRow,
  lines,
  lockOpenCount,
  type Purchase,
  type PurchaseRow,
  purchases,
} from '../store/orders.ts';
import { addFact, planDue } from './add-fact.ts';
import { requireSupplier } from './drafts.ts';
import { amountsOf, isQuoted, priceLines, requirePayable } from './price-draft.ts';
import { showRead } from './show-purchase.ts';

const OPEN_MAX = 500;
const ANSWER_DAYS = 5;

interface Submission {
  readonly expected_total_minor?: number | undefined;
  readonly freight_cap_minor?: number | undefined;
}
interface Change {
  readonly line_no: number | null;
  readonly field: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** The draft as the supplier sells now. @throws ApiError 404, 409 */
async function repriced(ctx: Acting, { order, lines: before }: Purchase) {
  const supplier = await requireSupplier(ctx, order.supplier_id, order.currency);
  const { supplier_id, name: supplier_name, payment_terms } = supplier;
  const priced = await priceLines(ctx, { supplier_id }, before);
  const amounts = amountsOf(priced, supplier, order.quoted_freight);
  const now = before.map((line, index): LineRow => ({ ...line, ...priced[index] }));
  return { supplier, now, change: { ...amounts, supplier_name, payment_terms } };
}

function changesOf(
  order: PurchaseRow,
  before: readonly LineRow[],
  now: readonly LineRow[],
  freight: Minor | null,
) {
  const ofLines = now.flatMap((line, index): Change[] => {
    const { line_no } = line;
    const was = before[index] ?? line;
    const [old, next] = [jsonOrNull(was.pack_price_minor), jsonOrNull(line.pack_price_minor)];
    return [
      ...(old === next ? [] : [{ line_no, field: 'pack_price_minor', before: old, after: next }]),
      ...(was.pack_size === line.pack_size
        ? []
        : [{ line_no, field: 'pack_size', before: was.pack_size, after: line.pack_size }]),
    ];
  });
  const [before_, after] = [jsonOrNull(order.freight_minor), jsonOrNull(freight)];
  return before_ === after
    ? ofLines
    : [...ofLines, { line_no: null, field: 'freight_minor', before: before_, after }];
}

/**
 * Submits a locked draft.
 *
 * @throws ApiError 409 `price_changed`, `freight_not_stated`, `order_below_minimum`, `address_missing`, `too_many_open`,
 *   those of the supplier, the items and the quantities; 422 `amount_out_of_range`
 */
export async function submitDraft(ctx: Acting, draft: Purchase, asked: Submission): Promise<Purchase> {
  const { order } = draft;
  requireMove(purchaseMachine, 'submit', order.status);
  const { supplier, now, change } = await repriced(ctx, draft);
  const { goods_minor, freight_minor } = change;
  const total_minor = jsonOrNull(totalOf(goods_minor, freight_minor));
  const changes: Change[] = changesOf(order, draft.lines, now, freight_minor);
  const { expected_total_minor: expected = total_minor } = asked;
  if (changes.length === 0 && expected !== total_minor)
    changes.push({ line_no: null, field: 'total_minor', before: expected, after: total_minor });
  if (changes.length > 0) throw fail(wholesaleErrors.price_changed, { facts: { changes, total_minor } });
  const cap = freight_minor === null ? asked.freight_cap_minor : undefined;
  if (freight_minor === null && cap === undefined) throw fail(wholesaleErrors.freight_not_stated);
  const { minimum_order_minor: least } = supplier;
  if (!isQuoted(now) && goods_minor < least)
    throw fail(wholesaleErrors.order_below_minimum, {
      facts: { goods_minor: jsonOrNull(goods_minor), minimum_order_minor: jsonOrNull(least) },
    });
  requirePayable(now, freight_minor ?? minor(cap ?? 0), order.currency);
  const ship_to = order.ship_to ?? (await loadSender(ctx)).address;
  if (ship_to === null) throw fail(wholesaleErrors.address_missing);
  if ((await lockOpenCount(ctx)) >= OPEN_MAX)
    throw fail(supplyErrors.too_many_open, { facts: { limit: OPEN_MAX } });
  const due = endOfBusinessDay(ctx.now(), ANSWER_DAYS);
  const submitted = await addFact(
    ctx,
    draft,
    { fact_id: 'submit', happened_at: ctx.at(), fact: { kind: 'submitted' } },
    {
      ...{ ...change, ship_to, submitted_at: ctx.at(), answer_by: new Date(due).toISOString() },
      freight_cap_minor: minorOrNull(cap),
    },
  );
  await planDue(ctx, order.purchase_order_id, due);
  await ctx.emit(purchaseEvents.submitted.of(await showRead(ctx, submitted)));
  return submitted;
}

/** Writes the present prices into a draft, after a refusal of its submission has shown them. */
export async function repriceDraft(ctx: Acting, orderId: string): Promise<void> {
  const draft = await findPurchase(ctx, orderId, 'for update');
  if (draft?.order.status !== 'draft') return;
  const { now, change } = await repriced(ctx, draft);
  await lines.upsertMany(ctx, now);
  await writeVersion(purchases, ctx, draft.order, change);
}
