/** What the seller does with a request for quotation. */
import { auAddressProblems } from '../../../kernel/australia/address.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { type FieldProblem, fail, invalid, missing } from '../../../kernel/errors.ts';
import type { EventOf } from '../../../kernel/events.ts';
import { requireMove } from '../../../kernel/moves.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { itemsOf, requireAvailable, type SupplierRow, supplierOf, supplyErrors } from '../../supply/index.ts';
import { rfqMachine } from '../domain/rfq-machine.ts';
import { sourcingEvents } from '../events.ts';
import type { RfqChange, RfqInput, SupplierRequest } from '../schemas/rfqs.ts';
import { knownProducts, lockOpenCount, type RfqLine, type RfqRow } from '../store.ts';
import { plan } from './settle.ts';

const OPEN_MAX = 50;
const HOUR_MS = 3_600_000;
const AHEAD_MIN_MS = 24 * HOUR_MS;
const AHEAD_MAX_MS = 30 * 24 * HOUR_MS;

type Ctx = Pick<HandlerCtx, 'db' | 'seller_id' | 'now'>;
type Terms = Pick<RfqRow, 'title' | 'lines' | 'supplier_ids' | 'reply_by' | 'ship_to' | 'note'>;

function replyProblems({ now }: Ctx, input: string, loc: FieldProblem['loc']): FieldProblem[] {
  const ahead = Date.parse(input) - now();
  if (ahead >= AHEAD_MIN_MS && ahead <= AHEAD_MAX_MS) return [];
  const msg = `Suppliers need time: "reply_by" must be 24 hours to 30 days ahead; it is ${input}.`;
  return [{ loc, msg, type: 'instant_out_of_range', input }];
}

const named = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];

/** @throws ApiError 404 if a supplier, an item or a product does not exist */
async function requireNamed(ctx: Ctx, { supplier_ids, lines }: Terms) {
  const itemIds = named(lines.map(({ supplier_item_id }) => supplier_item_id));
  const productIds = named(lines.map(({ product_id }) => product_id));
  const [suppliers, items, products] = await Promise.all([
    Promise.all(supplier_ids.map((id) => supplierOf(ctx.db, id))),
    itemsOf(ctx.db, itemIds),
    knownProducts(ctx, productIds),
  ]);
  const noSupplier = supplier_ids.find((_, index) => suppliers[index] === undefined);
  if (noSupplier !== undefined) throw missing(`supplier ${noSupplier}`);
  const noItem = itemIds.find((id) => !items.some(({ supplier_item_id }) => supplier_item_id === id));
  if (noItem !== undefined) throw missing(`item ${noItem}`);
  const noProduct = productIds.find((id) => !products.has(id));
  if (noProduct !== undefined) throw missing(`product ${noProduct}`);
  return { items };
}

/** An item is nameless to other suppliers: its id and title would say whose it is. */
function wordProblems(
  { supplier_ids, lines }: Terms,
  items: Awaited<ReturnType<typeof itemsOf>>,
): FieldProblem[] {
  return lines.flatMap(({ supplier_item_id, description }, index) => {
    const item = items.find((one) => one.supplier_item_id === supplier_item_id);
    if (description !== null || supplier_ids.every((id) => id === item?.supplier_id)) return [];
    const msg = 'Describe in words what you want, because not every supplier offers this item.';
    return [{ loc: ['body', 'lines', index, 'description'], msg, type: 'missing' }];
  });
}

/** @throws ApiError 404, 422 `instant_out_of_range`, `missing`, and those of an address */
async function checked(ctx: Ctx, terms: Terms, body: RfqChange): Promise<Terms> {
  const { items } = await requireNamed(ctx, terms);
  const problems = [
    ...(body.reply_by === undefined ? [] : replyProblems(ctx, terms.reply_by, ['body', 'reply_by'])),
    ...auAddressProblems({ ...terms.ship_to, country: 'AU' }, ['body', 'ship_to']),
    ...wordProblems(terms, items),
  ];
  if (problems.length > 0) throw invalid(problems);
  return terms;
}

const toLines = (lines: RfqInput['lines']): RfqLine[] =>
  lines.map((line, index) => ({
    line_no: index + 1,
    supplier_item_id: line.supplier_item_id ?? null,
    description: line.description?.trim() ?? null,
    product_id: line.product_id ?? null,
    quantity: line.quantity,
    need_on: line.need_on ?? null,
  }));

const toTerms = ({ title, lines, suppliers, reply_by, ship_to, note }: RfqInput): Terms => ({
  ...{ title: title.trim(), lines: toLines(lines), supplier_ids: suppliers, ship_to, note: note ?? null },
  reply_by: new Date(reply_by).toISOString(),
});

/** @throws ApiError 404, 422 */
export async function createRfq(
  ctx: HandlerCtx,
  body: RfqInput,
  fresh: Pick<RfqRow, 'rfq_id' | 'version' | 'created_at' | 'updated_at'>,
): Promise<RfqRow> {
  const terms = await checked(ctx, toTerms(body), body);
  return { ...fresh, ...terms, currency: (await ctx.standing()).currency, status: 'draft', quotes: 0 };
}

/** @throws ApiError 404, 409 `invalid_transition`, 422 */
export function changeRfq(ctx: HandlerCtx, before: RfqRow, body: RfqChange): Promise<Partial<RfqRow>> {
  requireMove(rfqMachine, 'change', before.status);
  return checked(
    ctx,
    toTerms({ ...before, lines: [...before.lines], suppliers: [...before.supplier_ids], ...body }),
    body,
  );
}

/** @throws ApiError 409 `invalid_transition` */
export function requireDraft(_ctx: HandlerCtx, { status }: RfqRow): void {
  requireMove(rfqMachine, 'change', status);
}

/** One event for each supplier. Of items, each supplier learns its own. */
async function toEachSupplier(
  { db }: Pick<Acting, 'db'>,
  row: RfqRow,
  event: EventOf<SupplierRequest>,
  suppliers: readonly SupplierRow[],
): Promise<DeclaredEvent[]> {
  const items = await itemsOf(db, named(row.lines.map(({ supplier_item_id }) => supplier_item_id)));
  const { rfq_id, title, reply_by, ship_to, note, currency, status, version } = row;
  return suppliers.map(({ supplier_id, external_id, name }) => {
    const own = items.filter((item) => item.supplier_id === supplier_id);
    const lines = row.lines.map(({ line_no, supplier_item_id, description, quantity, need_on }) => ({
      line_no,
      supplier_sku: own.find((item) => item.supplier_item_id === supplier_item_id)?.supplier_sku ?? null,
      ...{ description, quantity, need_on },
    }));
    return event.of({
      ...{ rfq_id, supplier: { supplier_id, name, external_id }, title, reply_by, ship_to: { ...ship_to } },
      ...{ note, currency, lines, status, version },
    });
  });
}

async function suppliersOf({ db }: Pick<Acting, 'db'>, { supplier_ids }: RfqRow): Promise<SupplierRow[]> {
  const found = await Promise.all(supplier_ids.map((id) => supplierOf(db, id)));
  return found.filter((one) => one !== undefined);
}

/** The row as it will be written, for the events of the move. */
const next = (ctx: Acting, before: RfqRow, status: RfqRow['status']): RfqRow => ({
  ...{ ...before, status, version: before.version + 1, updated_at: ctx.at() },
});

/** @throws ApiError 409 `invalid_transition`, `supplier_not_available`, `currency_mismatch`, `too_many_open`, 422 */
export async function openRfq(ctx: HandlerCtx, before: RfqRow): Promise<Partial<RfqRow>> {
  requireMove(rfqMachine, 'open', before.status);
  const problems = replyProblems(ctx, before.reply_by, ['path', 'rfq_id']);
  if (problems.length > 0) throw invalid(problems);
  const suppliers = await suppliersOf(ctx, before);
  for (const supplier of suppliers) requireAvailable(supplier, before.currency);
  const used = await lockOpenCount(ctx);
  if (used >= OPEN_MAX) throw fail(supplyErrors.too_many_open, { facts: { limit: OPEN_MAX } });
  await plan(ctx, before, before.reply_by);
  const after = next(ctx, before, 'open');
  await ctx.emit(...(await toEachSupplier(ctx, after, sourcingEvents.opened, suppliers)));
  return { status: 'open' };
}

/** @throws ApiError 409 `invalid_transition` */
export async function withdrawRfq(ctx: HandlerCtx, before: RfqRow): Promise<Partial<RfqRow>> {
  requireMove(rfqMachine, 'withdraw', before.status);
  const suppliers = await suppliersOf(ctx, before);
  const after = next(ctx, before, 'withdrawn');
  await ctx.emit(...(await toEachSupplier(ctx, after, sourcingEvents.withdrawn, suppliers)));
  return { status: 'withdrawn' };
}
