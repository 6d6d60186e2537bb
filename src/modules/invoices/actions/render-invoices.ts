/** Makes the file of each fee document once. All later downloads get the same file. */

import { drawPdf } from '../../../platform/pdf/draw-pdf.ts';
import type { Services } from '../../../platform/services.ts';
import { operatorOf } from '../../settlements/index.ts';
import { canRender, HEADINGS } from '../domain/invoice.ts';
import {
  type InvoiceReference,
  type InvoiceRow,
  invoicesOf,
  keepPdf,
  markPdfFailed,
  referencesOf,
} from '../store/invoices.ts';
import { invoicePages } from './invoice-pages.ts';

type Tools = Pick<Services, 'withSeller' | 'files' | 'config' | 'now'>;

/** Makes the file of a document. The same document always gives the same bytes. */
export function renderInvoice(invoice: InvoiceRow, adjusts: readonly InvoiceReference[]): Promise<Buffer> {
  return drawPdf(invoicePages(invoice, adjusts), {
    title: `${HEADINGS[invoice.kind]} ${invoice.invoice_number}`,
    madeAt: Date.parse(invoice.created_at),
  });
}

async function renderOne(
  { withSeller, files, now }: Tools,
  sellerId: string,
  invoice: InvoiceRow,
): Promise<void> {
  const adjusts = await withSeller(sellerId, 'read', (db) =>
    referencesOf({ db, seller_id: sellerId }, invoice.adjusts_invoice_ids),
  );
  const data = await renderInvoice(invoice, adjusts);
  await withSeller(sellerId, 'write', async (db) => {
    const file = { sellerId, purpose: 'invoice', contentType: 'application/pdf', now: now() } as const;
    const { file_id, sha256 } = await files.put(db, file, [data]);
    const kept = { file_id, sha256: sha256.toString('hex'), supplier: invoice.supplier };
    // Another worker was faster, and its file is kept.
    if (!(await keepPdf({ db, seller_id: sellerId }, invoice.invoice_id, kept)))
      await files.remove(db, file_id);
  });
}

/**
 * Makes the missing files of the documents of a settlement. They show the operator's particulars at the day of issue.
 * If these were missing then, the files show the present ones.
 *
 * @throws the error of the renderer, after the document was marked `failed`; a retry is safe
 */
export async function renderInvoices(tools: Tools, sellerId: string, settlementId: string): Promise<void> {
  const invoices = await tools.withSeller(sellerId, 'read', (db) =>
    invoicesOf({ db, seller_id: sellerId }, settlementId),
  );
  for (const invoice of invoices) {
    const supplier = canRender(invoice.supplier, invoice.gst_mode)
      ? invoice.supplier
      : operatorOf(tools.config);
    if (invoice.pdf_status === 'available' || !canRender(supplier, invoice.gst_mode)) continue;
    try {
      await renderOne(tools, sellerId, { ...invoice, supplier });
    } catch (error) {
      await tools.withSeller(sellerId, 'write', (db) =>
        markPdfFailed({ db, seller_id: sellerId }, invoice.invoice_id),
      );
      throw error;
    }
  }
}
