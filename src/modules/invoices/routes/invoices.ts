import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { pageOf } from '../../../kernel/cursor.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { described, PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute, type WithServices } from '../../../platform/http/define-route.ts';
import {
  access,
  describeList,
  figures,
  listMetadata,
  listMetadataExample,
} from '../../reconciliation/index.ts';
import { draftInvoices } from '../actions/draft-invoices.ts';
import { invoiceErrors } from '../errors.ts';
import { INVOICE_EXAMPLE, Invoice, type InvoiceResource } from '../schemas/invoice.ts';
import { invoiceToWire } from '../schemas/invoice-to-wire.ts';
import { findInvoice, type InvoiceRow, listInvoices } from '../store/invoices.ts';

const CONTRACT = 'financials.invoices.v1';
const params = Type.Object({ invoice_id: Type.String({ description: 'Id of the invoice, `inv_…`' }) });
const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

/** Seconds after which a retry makes sense: the file is being made, failed, or waits for the operator's settings. */
const RETRY_AFTER = { pending: '5', failed: '60', unavailable: '3600', available: '0' } as const;

interface DraftFilter {
  readonly kind?: string;
  readonly settlement_id?: string;
  readonly issued_from?: string;
  readonly issued_to?: string;
}

/** Drafts of a filter; a filter by day of issue matches none. */
async function draftsOf(ctx: SellerCtx & WithServices, filter: DraftFilter): Promise<InvoiceResource[]> {
  const { kind, settlement_id, issued_from, issued_to } = filter;
  if (issued_from !== undefined || issued_to !== undefined) return [];
  const drafts = await draftInvoices(ctx);
  return drafts.filter(
    (draft) =>
      (kind === undefined || draft.kind === kind) &&
      (settlement_id === undefined || draft.settlement_id === settlement_id),
  );
}
const wholePage = (limit: number) => ({ limit, next_cursor: null, has_more: false });

const list = defineRoute({
  id: 'financials.invoices.list',
  method: 'GET',
  path: '/invoices',
  summary: 'List fee invoices and adjustment notes',
  description:
    'Newest first. One invoice for each settlement with fees, and an adjustment note where credits concern an earlier invoice; together they are the fees of the settlement to the cent.',
  access,
  ...figures,
  query: Type.Object({
    kind: Type.Optional(described('Documents of this kind', Invoice.properties.kind)),
    status: Type.Optional(
      described(
        'Documents in this state; drafts, the fees of the open settlement so far, are listed only with this filter',
        Invoice.properties.status,
      ),
    ),
    settlement_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Documents of this settlement' }),
    ),
    issued_from: Day('First Sydney day of issue'),
    issued_to: Day('Last Sydney day of issue'),
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Page(Invoice, listMetadata),
      example: { data: [INVOICE_EXAMPLE], page: wholePage(50), ...listMetadataExample(CONTRACT) },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, status, ...filters } = query;
    const { seller_id } = ctx.seller;
    const { cursors } = ctx.services;
    const scope = { seller_id, route: 'financials.invoices.list', filters: { ...filters, status } };
    const after = cursor === undefined ? undefined : cursors.decode(scope, cursor).map(String);
    if (status === 'draft') {
      const data = await draftsOf(ctx, filters);
      return { body: { data, page: wholePage(limit), ...(await describeList(ctx, CONTRACT, data)) } };
    }
    const [day = '', number = ''] = after ?? [];
    const position = after === undefined ? undefined : ([day, number] as const);
    const rows = await listInvoices(ctx, { ...filters, status }, limit, position);
    const next = ({ issued_on, invoice_number }: InvoiceRow) =>
      cursors.encode(scope, [issued_on, invoice_number]);
    const { data, page } = pageOf(rows, limit, next);
    const source = await describeList(ctx, CONTRACT, data);
    return { body: { data: data.map(invoiceToWire), page, ...source } };
  },
});

type Found = { readonly row: InvoiceRow } | { readonly draft: InvoiceResource };

/** @throws ApiError 404 */
async function load(ctx: SellerCtx & WithServices, given: string): Promise<Found> {
  // An id of another shape names no document, so the database is not queried.
  if (!new RegExp(idPattern('inv_')).test(given)) throw fail(coreErrors.not_found);
  const row = await findInvoice(ctx, given);
  if (row !== undefined) return { row };
  const drafts = await draftInvoices(ctx);
  const draft = drafts.find(({ invoice_id }) => invoice_id === given);
  if (draft === undefined) throw fail(coreErrors.not_found);
  return { draft };
}

const get = defineRoute({
  id: 'financials.invoices.get',
  method: 'GET',
  path: '/invoices/{invoice_id}',
  summary: 'Read a fee invoice or adjustment note',
  description:
    'What it says never changes; whether an adjustment note concerns it, and its file, may come later.',
  access,
  ...figures,
  params,
  ok: [{ status: 200, description: 'The document', schema: Invoice, example: INVOICE_EXAMPLE }],
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const found = await load(ctx, request.params.invoice_id);
    // A draft changes with every fee.
    if ('draft' in found) return { body: found.draft, etag: sha256Hex(JSON.stringify(found.draft)) };
    const { row } = found;
    return { body: invoiceToWire(row), etag: `${row.invoice_id}.${row.status}.${row.pdf_status}` };
  },
});

const pdf = defineRoute({
  id: 'financials.invoices.export',
  method: 'GET',
  path: '/invoices/{invoice_id}/pdf',
  summary: 'Download a fee invoice or adjustment note as PDF',
  description:
    'Made once and served as it is; `pdf_sha256` of the record is its SHA-256. While it is not there the answer is 503, and `pdf_status` of the record says why.',
  access: { ...access, rate: 'export' },
  ...figures,
  params,
  ok: [{ status: 200, description: 'The document', contentTypes: ['application/pdf'] }],
  errors: [coreErrors.not_found, invoiceErrors.invoice_draft, invoiceErrors.invoice_pdf_unavailable],
  handler: async (ctx, request) => {
    const found = await load(ctx, request.params.invoice_id);
    if ('draft' in found) throw fail(invoiceErrors.invoice_draft, { facts: { status: 'draft' } });
    const { row } = found;
    const { pdf_status, pdf_file_id, pdf_sha256, invoice_number } = row;
    if (pdf_status !== 'available' || pdf_file_id === null || pdf_sha256 === null) {
      throw fail(invoiceErrors.invoice_pdf_unavailable, {
        facts: { pdf_status },
        headers: { 'retry-after': RETRY_AFTER[pdf_status] },
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of ctx.services.files.read(ctx.db, pdf_file_id)) chunks.push(chunk);
    return {
      content: { type: 'application/pdf', data: Buffer.concat(chunks) },
      etag: pdf_sha256,
      headers: { 'content-disposition': `attachment; filename="invoice-${invoice_number}.pdf"` },
    };
  },
});

export const invoiceRoutes = [list, get, pdf];
