import Type from 'typebox';
import { sha256Hex } from '../../../kernel/digest.ts';
import { coreErrors, fail, requireFound } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { described, nameFilter, PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { PAGE_EXAMPLE, readPage } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
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
import { findInvoice, type InvoicePosition, type InvoiceRow, listInvoices } from '../store/invoices.ts';

const CONTRACT = 'financials.invoices.v1';
const params = Type.Object({ invoice_id: Type.String({ description: 'Id of the invoice, `inv_…`' }) });
const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

/** Seconds to wait before a retry: the file is being made, has failed, or needs settings of the operator. */
const RETRY_AFTER = { pending: '5', failed: '60', unavailable: '3600', available: '0' } as const;

interface DraftFilter {
  readonly kind?: string;
  readonly settlement_id?: string;
  readonly issued_from?: string;
  readonly issued_to?: string;
}

/** The drafts that match a filter. A filter by day of issue matches none. */
async function draftsOf(ctx: HandlerCtx, filter: DraftFilter): Promise<InvoiceResource[]> {
  const { kind, settlement_id, issued_from, issued_to } = filter;
  if (issued_from !== undefined || issued_to !== undefined) return [];
  const drafts = await draftInvoices(ctx);
  return drafts.filter(
    (draft) =>
      (kind === undefined || draft.kind === kind) &&
      (settlement_id === undefined || draft.settlement_id === settlement_id),
  );
}

const list = defineRoute({
  id: 'financials.invoices.list',
  method: 'GET',
  path: '/invoices',
  summary: 'List fee invoices and adjustment notes',
  description:
    'Newest first. A settlement with fees has an invoice, and an adjustment note if credits concern an earlier invoice. Together they sum to the fees of the settlement.',
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
    settlement_id: nameFilter('Documents of this settlement'),
    issued_from: Day('First Sydney day of issue'),
    issued_to: Day('Last Sydney day of issue'),
    ...pageQuery,
  }),
  ok: okJson('One page', Page(Invoice, listMetadata), {
    data: [INVOICE_EXAMPLE],
    page: PAGE_EXAMPLE,
    ...listMetadataExample(CONTRACT),
  }),
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor: _, status, ...filters } = query;
    if (status === 'draft') {
      const data = await draftsOf(ctx, filters);
      const page = { ...PAGE_EXAMPLE, limit };
      return { body: { data, page, ...(await describeList(ctx, CONTRACT, data)) } };
    }
    const { data, page } = await readPage(
      ctx,
      { route: 'financials.invoices.list', filters: { ...filters, status } },
      query,
      (after, size) => listInvoices(ctx, { ...filters, status }, size, after as InvoicePosition | undefined),
      ({ issued_on, invoice_number }) => [issued_on, invoice_number],
    );
    const source = await describeList(ctx, CONTRACT, data);
    return { body: { data: data.map(invoiceToWire), page, ...source } };
  },
});

type Found = { readonly row: InvoiceRow } | { readonly draft: InvoiceResource };

/** @throws ApiError 404 */
async function load(ctx: HandlerCtx, given: string): Promise<Found> {
  // An id of another form names no document, so no query is needed.
  if (!new RegExp(idPattern('inv_')).test(given)) throw fail(coreErrors.not_found);
  const row = await findInvoice(ctx, given);
  if (row !== undefined) return { row };
  const drafts = await draftInvoices(ctx);
  const draft = requireFound(drafts.find(({ invoice_id }) => invoice_id === given));
  return { draft };
}

const get = defineRoute({
  id: 'financials.invoices.get',
  method: 'GET',
  path: '/invoices/{invoice_id}',
  summary: 'Read a fee invoice or adjustment note',
  description: 'Its content never changes. Its file, and adjustment notes about it, may come later.',
  access,
  ...figures,
  params,
  ok: okJson('The document', Invoice, INVOICE_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const found = await load(ctx, request.params.invoice_id);
    // A draft changes with every fee.
    if ('draft' in found) return { body: found.draft, etag: sha256Hex(JSON.stringify(found.draft)) };
    const { row } = found;
    return { body: invoiceToWire(row), etag: `${row.invoice_id}.${row.status}.${row.pdf_status}` };
  },
});

const FILE_NAMES: Readonly<Record<InvoiceRow['kind'], string>> = {
  tax_invoice: 'invoice',
  invoice: 'invoice',
  adjustment_note: 'adjustment-note',
};

const pdf = defineRoute({
  id: 'financials.invoices.export',
  method: 'GET',
  path: '/invoices/{invoice_id}/pdf',
  summary: 'Download a fee invoice or adjustment note as PDF',
  description:
    'The file is made once and never changes; `pdf_sha256` of the record is its SHA-256. Until it is made the answer is 503, and `pdf_status` of the record says why.',
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
      headers: {
        'content-disposition': `attachment; filename="${FILE_NAMES[row.kind]}-${invoice_number}.pdf"`,
      },
    };
  },
});

export const invoiceRoutes = [list, get, pdf];
