import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { INVOICE_KINDS } from '../domain/invoice.ts';
import { invoiceErrors } from '../invoice/errors.ts';
import { INVOICE_EXAMPLE, Invoice } from '../schemas/invoice.ts';
import { invoiceToWire } from '../schemas/invoice-to-wire.ts';
import { findInvoice, type InvoiceRow, listInvoices } from '../store/invoices.ts';

const access = { auth: 'seller', permission: 'finance:read', rate: 'read', idempotency: 'none' } as const;
const params = Type.Object({ invoice_id: Type.String() });
const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

/** Seconds until the file of a document that was just issued is there, and until somebody has configured the rest. */
const RETRY_AFTER = { pending: '5', failed: '60', unavailable: '3600', available: '0' } as const;

const list = defineRoute({
  id: 'financials.invoices.list',
  method: 'GET',
  path: '/invoices',
  summary: 'List fee invoices and adjustment notes',
  description:
    'Newest first. One invoice for each settlement with fees, and an adjustment note where credits concern an earlier invoice; together they are the fees of the settlement to the cent.',
  access,
  cache: 'no-store',
  query: Type.Object({
    kind: Type.Optional(StringEnum(INVOICE_KINDS)),
    status: Type.Optional(StringEnum(['issued', 'adjusted'])),
    settlement_id: Type.Optional(Type.String({ maxLength: 100 })),
    issued_from: Day('First Sydney day of issue'),
    issued_to: Day('Last Sydney day of issue'),
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Page(Invoice),
      example: { data: [INVOICE_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
    const { seller_id } = ctx.seller;
    const { cursors } = ctx.services;
    const scope = { seller_id, route: 'financials.invoices.list', filters };
    const after = cursor === undefined ? undefined : cursors.decode(scope, cursor).map(String);
    const [day = '', id = ''] = after ?? [];
    const rows = await ctx.db.all(
      listInvoices(seller_id, filters, limit, after === undefined ? undefined : [day, id]),
    );
    const next = ({ issued_on, invoice_id }: InvoiceRow) => cursors.encode(scope, [issued_on, invoice_id]);
    const { data, page } = pageOf(rows, limit, next);
    return { body: { data: data.map(invoiceToWire), page } };
  },
});

type Reader = Parameters<typeof findInvoice>[0];

async function load(db: Reader, sellerId: string, given: string): Promise<InvoiceRow> {
  // An id of another shape names nothing; the database is not asked.
  const known = new RegExp(idPattern('invoice')).test(given);
  const row = known ? await findInvoice(db, sellerId, given) : undefined;
  if (row === undefined) throw fail(coreErrors.not_found);
  return row;
}

const get = defineRoute({
  id: 'financials.invoices.get',
  method: 'GET',
  path: '/invoices/{invoice_id}',
  summary: 'Read a fee invoice or adjustment note',
  description:
    'What it says never changes; whether an adjustment note concerns it, and its file, may come later.',
  access,
  cache: 'no-store',
  params,
  ok: [{ status: 200, description: 'The document', schema: Invoice, example: INVOICE_EXAMPLE }],
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const row = await load(ctx.db, ctx.seller.seller_id, request.params.invoice_id);
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
  cache: 'no-store',
  params,
  ok: [{ status: 200, description: 'The document', contentTypes: ['application/pdf'] }],
  errors: [coreErrors.not_found, invoiceErrors.invoice_pdf_unavailable],
  handler: async (ctx, request) => {
    const row = await load(ctx.db, ctx.seller.seller_id, request.params.invoice_id);
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
