import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { moveErrors } from '../../../kernel/moves.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { resource } from '../../../platform/rest/resource.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { supplyErrors } from '../../supply/index.ts';
import { PURCHASE_EXAMPLE, PurchaseOrder } from '../../wholesale/index.ts';
import { awardRfq } from '../actions/award.ts';
import { changeRfq, createRfq, openRfq, requireDraft, withdrawRfq } from '../actions/rfqs.ts';
import { compare } from '../domain/comparison.ts';
import { awardErrors } from '../errors.ts';
import { COMPARISON_EXAMPLE, Comparison, toWireComparison } from '../schemas/comparison.ts';
import {
  AWARD_EXAMPLE,
  AwardInput,
  QUOTE_EXAMPLE,
  Quote,
  quoteStatus,
  toWireQuote,
} from '../schemas/quotes.ts';
import {
  RFQ_EXAMPLE,
  RFQ_INPUT_EXAMPLE,
  Rfq,
  RfqChange,
  RfqInput,
  rfqStatus,
  toWire,
} from '../schemas/rfqs.ts';
import { answersOf, quotes, quotesOf, rfqs } from '../store.ts';

const area = 'purchasing';
const rfq = resource({
  ...{ id: 'sourcing.rfqs', one: 'request for quotation', many: 'requests for quotation', kind: 'rfq_' },
  ...{ area, table: rfqs, schema: Rfq, example: RFQ_EXAMPLE, view: toWire },
});
const quote = resource({
  ...{ id: 'sourcing.quotes', one: 'quote of a supplier', kind: 'quo_' },
  ...{ area, table: quotes, schema: Quote, example: QUOTE_EXAMPLE, view: toWireQuote },
});

const params = Type.Object({
  rfq_id: Type.String({ description: 'Id of the request for quotation, `rfq_…`' }),
});
const find = async (ctx: HandlerCtx, rfq_id: string, lock?: 'for update') =>
  requireFound(await rfqs.find(ctx, { rfq_id }, lock));

const quotesOfRfq = pageRoute({
  id: 'sourcing.rfq_quotes.list',
  path: '/rfqs/{rfq_id}/quotes',
  summary: 'List the quotes for a request',
  description: 'Newest first. The terms of a quote never change; a newer quote of its supplier withdraws it.',
  access: reads(area),
  params,
  filters: { status: Type.Optional(quoteStatus) },
  schema: Quote,
  example: QUOTE_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { filters, ...page }, { rfq_id = '' }) => {
    await find(ctx, rfq_id);
    return quotesOf(ctx, rfq_id, filters.status, page);
  },
  position: ({ quote_id }) => [quote_id],
  view: toWireQuote,
});

const comparison = defineRoute({
  id: 'sourcing.comparison.get',
  method: 'GET',
  path: '/rfqs/{rfq_id}/comparison',
  params,
  summary: 'Compare the quotes for a request by their landed cost',
  description:
    'The open quotes, and after an award those that it decided about. A quote without freight has no landed cost and no rank, whatever its price.',
  access: reads(area),
  cache: 'no-store',
  ok: okJson('The comparison', Comparison, COMPARISON_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { rfq_id } }) => {
    const asked = await find(ctx, rfq_id);
    const { quotes: all } = await answersOf(ctx, rfq_id);
    const compared = all.filter(
      ({ status, valid_until }) =>
        status === 'accepted' ||
        status === 'declined' ||
        (status === 'open' && Date.parse(valid_until) > ctx.now()),
    );
    const body = toWireComparison(asked, compare(asked.lines, compared, asked.currency), ctx.at());
    // The same comparison a moment later has the same tag.
    const shown = { ...body, generated_at: '' };
    return { body, etag: { version: `${rfq_id}.${asked.version}`, shown } };
  },
});

const { supplier_not_available, currency_mismatch, too_many_open, ...quantityErrors } = supplyErrors;
const { quantity_below_minimum, quantity_above_maximum, quantity_not_in_packs } = quantityErrors;

const Award = Type.Object(
  { purchase_orders: Type.Array(PurchaseOrder, { description: 'A draft for each supplier' }) },
  { title: 'Award', description: 'What an award has made.' },
);
const award = defineRoute({
  id: 'sourcing.rfqs.award',
  method: 'POST',
  path: '/rfqs/{rfq_id}/award',
  params,
  summary: 'Award the quotes for a request',
  description:
    'Makes one draft of a purchase order for each supplier, with the quoted prices and terms; submit the drafts in wholesale. The other open quotes are declined.',
  access: writes(area),
  body: { kind: 'json', schema: AwardInput, example: AWARD_EXAMPLE },
  ok: [
    {
      ...{ status: 201, description: 'The drafts', schema: Award },
      example: { purchase_orders: [PURCHASE_EXAMPLE] },
    },
  ],
  errors: [
    ...[coreErrors.not_found, coreErrors.precondition_failed, moveErrors.invalid_transition],
    ...[awardErrors.quote_not_open, awardErrors.line_not_quoted, supplier_not_available, currency_mismatch],
    ...[quantity_below_minimum, quantity_above_maximum, quantity_not_in_packs],
  ],
  handler: async (ctx, { params: { rfq_id }, headers, body }) => {
    const before = await find(ctx, rfq_id, 'for update');
    checkIfMatch(headers, `${rfq_id}.${before.version}`);
    const { purchase_orders } = await awardRfq(ctx, before, body.lines);
    ctx.audit({ changed_fields: ['status'] });
    return { status: 201, body: { purchase_orders } };
  },
});

export const rfqRoutes = [
  rfq.list({ filters: { status: Type.Optional(rfqStatus) } }),
  rfq.get(),
  rfq.create({
    description: 'It is a draft until it is opened.',
    body: RfqInput,
    example: RFQ_INPUT_EXAMPLE,
    errors: [coreErrors.not_found],
    run: createRfq,
  }),
  rfq.update({
    description: 'Of a draft. `lines` replaces all lines.',
    body: RfqChange,
    example: { title: 'Mugs for spring' },
    errors: [moveErrors.invalid_transition],
    run: changeRfq,
  }),
  rfq.delete({
    description: 'Of a draft.',
    errors: [moveErrors.invalid_transition],
    run: requireDraft,
  }),
  rfq.move({
    verb: 'open',
    summary: 'Ask the suppliers for quotes',
    description: 'Each supplier gets the request, and learns nothing about the others.',
    errors: [moveErrors.invalid_transition, supplier_not_available, currency_mismatch, too_many_open],
    run: openRfq,
  }),
  rfq.move({
    verb: 'withdraw',
    summary: 'Withdraw a request for quotation',
    description: 'Each supplier is told. Its quotes can no longer be awarded.',
    errors: [moveErrors.invalid_transition],
    run: withdrawRfq,
  }),
  award,
  quotesOfRfq,
  quote.get(),
  comparison,
];
