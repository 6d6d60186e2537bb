/** Drafts of purchase orders: by hand, or from a quote. */
import { isDeepStrictEqual } from 'node:util';
import { auAddressProblems } from '../../../kernel/australia/address.ts';
import type { Acting } from '../../../kernel/context.ts';
import { invalid, missing } from '../../../kernel/errors.ts';
import { jsonOrNull, minor } from '../../../kernel/money.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { changedFields } from '../../../platform/audit/changed-fields.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { type ItemTerms, requireAvailable, type SupplierRow, supplierOf } from '../../supply/index.ts';
import type { FreightTerms } from '../domain/priced.ts';
import { purchaseMachine } from '../domain/purchase-machine.ts';
import type { PurchaseChange, PurchaseInput, WirePurchase } from '../schemas/orders.ts';
import {
  deleteLines,
  type LineRow,
  lines,
  nextNumber,
  type Purchase,
  type PurchaseRow,
  purchases,
  type ShipTo,
} from '../store/orders.ts';
import { type AskedLine, amountsOf, newLine, priceLines, requirePayable } from './price-draft.ts';
import { showPurchase } from './show-purchase.ts';

/** @throws ApiError 404 if there is no such supplier, 409 `supplier_not_available`, `currency_mismatch` */
export async function requireSupplier(
  ctx: Pick<Acting, 'db'>,
  supplierId: string,
  currency: string,
): Promise<SupplierRow> {
  const supplier = await supplierOf(ctx.db, supplierId);
  if (supplier === undefined) throw missing(`supplier ${supplierId}`);
  requireAvailable(supplier, currency);
  return supplier;
}

const askedOf = (input: PurchaseInput['lines']): AskedLine[] =>
  input.map(({ supplier_item_id, quantity, product_id = null }) => ({
    ...{ supplier_item_id, product_id, ordered: quantity, quoted_terms: null },
  }));

/** @throws ApiError 422 for an address that does not exist */
function requireAddress(address: PurchaseInput['ship_to']): ShipTo | null {
  if (address == null) return null;
  const problems = auAddressProblems(address, ['body', 'ship_to']);
  if (problems.length > 0) throw invalid(problems);
  return address as ShipTo;
}

interface Draft {
  readonly supplier: SupplierRow;
  readonly asked: readonly AskedLine[];
  readonly currency: string;
  readonly own: Pick<
    PurchaseRow,
    | 'origin'
    | 'rfq_id'
    | 'quoted_freight'
    | 'reference'
    | 'note'
    | 'ship_to'
    | 'requested_on'
    | 'payment_terms'
  >;
}

/**
 * Prices the lines of a draft, checks what they cost and writes them.
 *
 * @returns the amounts of the draft
 * @throws ApiError 404, 409 of the items and the quantities, 422 `amount_out_of_range`
 */
async function writeLines(
  ctx: Acting,
  {
    purchase_order_id,
    currency,
    quoted_freight,
  }: Pick<PurchaseRow, 'purchase_order_id' | 'currency' | 'quoted_freight'>,
  supplier: SupplierRow,
  asked: readonly AskedLine[],
) {
  const priced = await priceLines(ctx, supplier, asked);
  const amounts = amountsOf(priced, supplier, quoted_freight);
  requirePayable(priced, amounts.freight_minor ?? minor(0), currency);
  const rows = priced.map((line, index) => newLine(ctx, purchase_order_id, line, index));
  await lines.appendMany(ctx, rows);
  return amounts;
}

/** Makes the rows of a new draft; the lines are written. */
async function newDraft(
  ctx: Acting,
  fresh: Pick<PurchaseRow, 'purchase_order_id' | 'version' | 'created_at' | 'updated_at'>,
  { supplier, asked, currency, own }: Draft,
): Promise<PurchaseRow> {
  const { supplier_id, name: supplier_name } = supplier;
  const amounts = await writeLines(ctx, { ...fresh, ...own, currency }, supplier, asked);
  return {
    ...{ ...fresh, ...own, number: await nextNumber(ctx), supplier_id, supplier_name, status: 'draft' },
    ...{ currency, ...amounts, freight_cap_minor: null },
    ...{ submitted_at: null, answer_by: null, closed_at: null, close_reason: null, overdue_told: null },
  };
}

/** @throws ApiError 404, 409 of the supplier, the items and the quantities, 422 */
export async function createDraft(
  ctx: HandlerCtx,
  body: PurchaseInput,
  fresh: Parameters<typeof newDraft>[1],
): Promise<PurchaseRow> {
  const { currency } = await ctx.standing();
  const ship_to = requireAddress(body.ship_to);
  const supplier = await requireSupplier(ctx, body.supplier_id, currency);
  const { reference = null, note = null, requested_on = null } = body;
  return newDraft(ctx, fresh, {
    ...{ supplier, currency, asked: askedOf(body.lines) },
    own: {
      ...{ origin: 'manual', rfq_id: null, quoted_freight: null, reference, note, ship_to, requested_on },
      payment_terms: supplier.payment_terms,
    },
  });
}

/** What a seller orders of an awarded quote. */
interface QuotedPurchase {
  /** The request that the quote answers, `rfq_…`. */
  readonly rfq_id: string;
  readonly supplier_id: string;
  /** Currency of the quoted prices, which is the seller's. */
  readonly currency: string;
  readonly lines: readonly {
    readonly supplier_item_id: string;
    /** The product of the seller that the units become; null: none. */
    readonly product_id: string | null;
    /** Units; whole packs of the quoted terms. */
    readonly quantity: number;
    /** Pack, minimum, maximum and prices as they were quoted. They hold instead of those of the catalogue. */
    readonly terms: ItemTerms;
  }[];
  /** The freight as it was quoted; `flat: null`: not stated. It holds instead of the supplier's published freight. */
  readonly freight: FreightTerms;
  readonly note?: string | null;
}

/**
 * Makes a draft of a purchase order from the terms of a quote (`origin: quote`). Call it in the transaction of the
 * award, once for each supplier. The seller submits it as any other draft: then the quoted terms hold, the supplier has
 * to be active, and neither the catalogue's prices nor the supplier's minimum order matter.
 * Source: docs/design/wholesale.md#quotes.
 *
 * @returns the draft as the API shows it (schema `PurchaseOrder`)
 * @throws ApiError 404 for an unknown supplier, item or product; 409 `supplier_not_available`, `currency_mismatch`,
 *   `quantity_below_minimum`, `quantity_above_maximum`, `quantity_not_in_packs`; 422 `amount_out_of_range`
 */
export async function draftFromQuote(ctx: Acting, quoted: QuotedPurchase): Promise<WirePurchase> {
  const { rfq_id, supplier_id, currency, freight, note = null } = quoted;
  const supplier = await requireSupplier(ctx, supplier_id, currency);
  const asked = quoted.lines.map(({ supplier_item_id, product_id, quantity, terms }): AskedLine => {
    const { pack_size, minimum_quantity, maximum_quantity, price_breaks } = terms;
    const quoted_terms = { pack_size, minimum_quantity, maximum_quantity, price_breaks };
    return { supplier_item_id, product_id, ordered: quantity, quoted_terms };
  });
  const fresh = { purchase_order_id: ctx.ids.next('por_'), ...firstVersion(ctx.at()) };
  const order = await newDraft(ctx, fresh, {
    ...{ supplier, currency, asked },
    own: {
      ...{ origin: 'quote', rfq_id, reference: null, note, ship_to: null, requested_on: null },
      quoted_freight: { flat: jsonOrNull(freight.flat), free_from: jsonOrNull(freight.free_from) },
      payment_terms: supplier.payment_terms,
    },
  });
  await purchases.insert(ctx, order);
  return showPurchase(ctx, order);
}

const askedBefore = ({ supplier_item_id, product_id, ordered, quoted_terms }: LineRow): AskedLine => ({
  ...{ supplier_item_id, product_id, ordered, quoted_terms },
});

/**
 * Lines of a changed draft. A line of a quote stays one: its item keeps the quoted terms. Of several lines of an item the
 * first gets the terms of the first.
 */
function askedNow(before: Purchase, body: PurchaseChange): AskedLine[] {
  const known = before.lines.map(askedBefore);
  if (body.lines === undefined) return known;
  return askedOf(body.lines).map((line) => {
    const same = known.findIndex(({ supplier_item_id }) => supplier_item_id === line.supplier_item_id);
    const quoted = same === -1 ? undefined : known.splice(same, 1)[0];
    return { ...line, quoted_terms: quoted?.quoted_terms ?? null };
  });
}

/** @throws ApiError 404, 409 `invalid_transition` and those of a new draft, 422 */
export async function changeDraft(
  ctx: HandlerCtx,
  before: Purchase,
  body: PurchaseChange,
): Promise<PurchaseRow> {
  const { order } = before;
  requireMove(purchaseMachine, 'change', order.status);
  const { lines: _, ship_to, ...fields } = body;
  const own = { ...fields, ...(ship_to !== undefined && { ship_to: requireAddress(ship_to) }) };
  const asked = askedNow(before, body);
  const hasOtherLines = !isDeepStrictEqual(asked, before.lines.map(askedBefore));
  const changed_fields = [...changedFields(order, own), ...(hasOtherLines ? ['lines'] : [])];
  if (changed_fields.length === 0) return order;
  ctx.audit({ changed_fields });
  if (!hasOtherLines) return writeVersion(purchases, ctx, order, own);
  const supplier = await requireSupplier(ctx, order.supplier_id, order.currency);
  await deleteLines(ctx, order.purchase_order_id);
  const amounts = await writeLines(ctx, order, supplier, asked);
  return writeVersion(purchases, ctx, order, { ...own, ...amounts });
}

/** @throws ApiError 409 `invalid_transition` */
export function requireDraft(_ctx: HandlerCtx, { status }: PurchaseRow): void {
  requireMove(purchaseMachine, 'change', status);
}
