/** What suppliers answer: quotes, and their withdrawals. The facts are kept in any order. */
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { minorOrNull } from '../../../kernel/money.ts';
import { Instant, Nullable } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import {
  knownItems,
  requirePast,
  requireTerms,
  type SupplierRow,
  supplierFields,
  supplierNamed,
} from '../../supply/index.ts';
import { plan, settle } from '../actions/settle.ts';
import { isTooLarge } from '../domain/answers.ts';
import { rfqMachine } from '../domain/rfq-machine.ts';
import { quoteEvents } from '../events.ts';
import { toWireQuote } from '../schemas/quotes.ts';
import { LINES_MAX, SUPPLIER } from '../schemas/rfqs.ts';
import { answersOf, type QuoteLine, type QuoteRow, quotes, type RfqRow, rfqs, withdraw } from '../store.ts';

const { named, optional, amount, days, terms } = supplierFields;
const Quoted = Type.Object({
  supplier_id: named(100),
  quote_ref: named(100),
  valid_until: Instant(),
  lines: Type.Array(
    Type.Object({
      line_no: Type.Integer({ minimum: 1, maximum: LINES_MAX }),
      supplier_sku: named(100),
      ...terms,
      lead_time_days: optional(days),
    }),
    { minItems: 1, maxItems: LINES_MAX },
  ),
  freight_minor: optional(amount),
  free_freight_from_minor: optional(amount),
  note: optional(Type.String({ maxLength: 2_000 })),
});
type Quoted = Static<typeof Quoted>;
const Withdrawn = Type.Object({
  supplier_id: named(100),
  quote_ref: Nullable(named(100)),
  reason: optional(Type.String({ maxLength: 2_000 })),
});

const APPLIED: IntakeOutcome = { status: 'applied' };
const STALE: IntakeOutcome = { status: 'stale' };
const invalid = (detail: string) => new IntakeRejection('data_invalid', detail);

/**
 * Locks the request of an event.
 *
 * @throws IntakeRejection `seller_not_found`, `rfq_not_found`, `supplier_not_found`, `rfq_closed`, `data_invalid`
 */
async function lockNamed(
  intake: IntakeCtx,
  { seller_id, subject, time, data }: MarketplaceEvent<{ readonly supplier_id: string }>,
) {
  requirePast(intake, { time });
  const ctx = await actingForSeller(intake, seller_id, 'sellerid must be the seller of the request.');
  const rfq = await rfqs.find(ctx, { rfq_id: subject ?? '' }, 'for update');
  // No supplier knows of a draft.
  if (rfq === undefined || rfq.status === 'draft')
    throw new IntakeRejection('rfq_not_found', 'The seller has no such request.');
  const supplier = await supplierNamed(ctx.db, data.supplier_id);
  if (supplier === undefined || !rfq.supplier_ids.includes(supplier.supplier_id))
    throw new IntakeRejection('supplier_not_found', 'The request does not ask this supplier.');
  if (!rfqMachine.allows('quote', rfq.status))
    throw new IntakeRejection('rfq_closed', `The request is ${rfq.status}.`);
  return { ctx, rfq, supplier };
}

/** @throws IntakeRejection `item_not_found`, `price_breaks_invalid`, `data_invalid` */
async function linesOf(ctx: Acting, { supplier_id }: SupplierRow, { lines }: Quoted, rfq: RfqRow) {
  const skus = lines.map(({ supplier_sku }) => supplier_sku);
  const items = await knownItems(ctx.db, supplier_id, [], skus);
  return lines.map((line, index): QuoteLine => {
    const place = `data/lines/${index}`;
    const {
      line_no,
      supplier_sku,
      pack_size,
      minimum_quantity,
      maximum_quantity = null,
      price_breaks,
    } = line;
    if (!rfq.lines.some((asked) => asked.line_no === line_no))
      throw invalid(`${place}/line_no: the request has no line ${line_no}`);
    if (lines.findIndex((other) => other.line_no === line_no) !== index)
      throw invalid(`${place}/line_no: the quote has line ${line_no} twice`);
    const item = items.find((one) => one.supplier_sku === supplier_sku);
    if (item === undefined)
      throw new IntakeRejection('item_not_found', `${place}: the supplier has no item ${supplier_sku}`);
    requireTerms(line, place);
    const { supplier_item_id } = item;
    return {
      ...{ line_no, supplier_item_id, supplier_sku, pack_size, minimum_quantity, maximum_quantity },
      ...{ price_breaks, lead_time_days: line.lead_time_days ?? null },
    };
  });
}

/** The terms of a quote, by which a repetition is known. */
const termsOf = ({
  valid_until,
  lines,
  freight_minor,
  free_freight_from_minor,
  note,
  quoted_at,
}: QuoteRow) => ({
  ...{ valid_until, lines, freight_minor, free_freight_from_minor, note, quoted_at },
});

async function applyQuote(intake: IntakeCtx, event: MarketplaceEvent<Quoted>): Promise<IntakeOutcome> {
  const { data, time } = event;
  const { ctx, rfq, supplier } = await lockNamed(intake, event);
  const quoted_at = new Date(time).toISOString();
  if (Date.parse(quoted_at) >= Date.parse(rfq.reply_by))
    throw new IntakeRejection('rfq_closed', `Suppliers could quote until ${rfq.reply_by}.`);
  if (Date.parse(data.valid_until) <= Date.parse(time))
    throw invalid('data/valid_until is not after the quote');
  const { supplier_id, name: supplier_name } = supplier;
  const row: QuoteRow = {
    ...{ quote_id: ctx.ids.next('quo_'), rfq_id: rfq.rfq_id, supplier_id, supplier_name },
    ...{ quote_ref: data.quote_ref, quoted_at, valid_until: new Date(data.valid_until).toISOString() },
    ...{ currency: rfq.currency, lines: await linesOf(ctx, supplier, data, rfq) },
    freight_minor: minorOrNull(data.freight_minor),
    free_freight_from_minor: minorOrNull(data.free_freight_from_minor),
    ...{ note: data.note ?? null, status: 'open', ...firstVersion(ctx.at()) },
  };
  if (isTooLarge(rfq.lines, row, rfq.currency)) throw invalid('data/lines: an amount is too large');
  const known = (await answersOf(ctx, rfq.rfq_id)).quotes.find(
    (one) => one.supplier_id === supplier_id && one.quote_ref === row.quote_ref,
  );
  if (known !== undefined) {
    if (isDeepStrictEqual(termsOf(known), termsOf(row))) return STALE;
    throw new IntakeRejection(
      'id_reused',
      `The quote ${row.quote_ref} has other terms; its terms never change.`,
    );
  }
  await quotes.insert(ctx, row);
  await ctx.emit(quoteEvents.received.of(toWireQuote(row)));
  await plan(ctx, rfq, row.valid_until);
  await settle(ctx, rfq);
  return APPLIED;
}

async function applyWithdrawal(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Withdrawn>>,
): Promise<IntakeOutcome> {
  const { quote_ref, reason = null } = event.data;
  const { ctx, rfq, supplier } = await lockNamed(intake, event);
  const withdrawn_at = new Date(event.time).toISOString();
  const { supplier_id } = supplier;
  if (!(await withdraw(ctx, rfq.rfq_id, { supplier_id, quote_ref, withdrawn_at, reason }))) return STALE;
  await settle(ctx, rfq);
  return APPLIED;
}

export const supplierAnswers = [
  defineMarketplaceEvent({
    type: 'marketplace.supplier.quoted',
    summary: 'A supplier quotes for a request; its newer quote withdraws the older one',
    subject: 'rfq id',
    schema: Quoted,
    example: {
      ...{ supplier_id: SUPPLIER.supplier_id, quote_ref: 'q-1', valid_until: '2026-07-31T14:00:00Z' },
      lines: [
        {
          ...{ line_no: 1, supplier_sku: 'BC-MUG-BLU', pack_size: 12, minimum_quantity: 24 },
          price_breaks: [
            { min_quantity: 24, pack_price_minor: 5_940 },
            { min_quantity: 144, pack_price_minor: 5_520 },
          ],
          ...{ maximum_quantity: null, lead_time_days: 4 },
        },
      ],
      ...{ freight_minor: 3_850, free_freight_from_minor: 90_000, note: 'Ex stock.' },
    },
    apply: applyQuote,
  }),
  defineMarketplaceEvent({
    type: 'marketplace.supplier.quote_withdrawn',
    summary: 'A supplier withdraws a quote, or declines a request with all of its quotes so far',
    subject: 'rfq id',
    schema: Withdrawn,
    example: { supplier_id: SUPPLIER.supplier_id, quote_ref: null, reason: 'Out of clay.' },
    apply: applyWithdrawal,
  }),
];
