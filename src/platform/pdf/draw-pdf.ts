/** Draws pages as an accessible PDF, with tags, a language and embedded fonts. */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type PDFDocument from 'pdfkit';
import { lateLibrary } from '../late-library.ts';
import { hasRightToLeft } from './bidi.ts';
import { barsOf } from './code128.ts';
import { DOTS_PER_MM, type Drawing, type Item, type TextItem } from './drawing.ts';
import { type Face, featuresOf, runsOf, runWidth } from './fonts.ts';
import { giveOwnCodes } from './own-glyphs.ts';

const POINTS_PER_DOT = 72 / 25.4 / DOTS_PER_MM;
const LANGUAGE = 'en-AU';

interface PdfInfo {
  readonly title: string;
  /** The file's creation instant, milliseconds. The same drawing and instant give the same bytes. */
  readonly madeAt: number;
}

const pdfkit = lateLibrary<typeof PDFDocument>('pdfkit');
type Doc = PDFKit.PDFDocument;

function drawText(doc: Doc, item: TextItem): void {
  let at = item.x;
  doc.fillColor(item.inverted ? '#ffffff' : '#000000').fontSize(item.size);
  for (const run of runsOf(item.text, item.weight, item.base)) {
    useFace(doc, run.face);
    const features = featuresOf(run);
    doc.text(run.text, at, item.y, {
      lineBreak: false,
      baseline: 'alphabetic',
      ...(features && { features: features as never }),
    });
    at += runWidth(run, item.size);
  }
}

/** Registers an opened font by its name, so that a document embeds it once. */
function useFace(doc: Doc, { name, font }: Face): void {
  // The library accepts opened fonts, but its types do not say so.
  doc.font(font as never, name);
  giveOwnCodes(Reflect.get(doc, '_font'));
}

function drawShape(doc: Doc, item: Exclude<Item, TextItem>): void {
  if (item.kind === 'cut') {
    doc
      .lineWidth(2)
      .dash(12, { space: 12 })
      .moveTo(...item.from)
      .lineTo(...item.to)
      .stroke('#000000')
      .undash();
    return;
  }
  for (const { x, y, width, height } of item.kind === 'code128' ? barsOf(item) : [item])
    doc.rect(x, y, width, height);
  doc.fill('#000000');
}

/** Draws a shape that has no meaning for a screen reader; it stays out of the document's structure. */
function artifact(doc: Doc, item: Exclude<Item, TextItem>): void {
  doc.markContent('Artifact', { type: 'Layout' });
  drawShape(doc, item);
  doc.endMarkedContent();
}

/**
 * The scope of a table header, which the types of the library lack, and the text in the order of reading where the glyphs
 * have another order.
 */
const optionsOf = ({ role, scope, text }: TextItem) => ({
  ...(role === 'TH' ? Object.assign({}, { scope: scope ?? 'Column' } as object) : {}),
  ...(hasRightToLeft(text) && { actual: text }),
});

/** Adds the items of one page to the structure: texts in reading order, cells in rows, barcodes as figures. */
function drawItems(doc: Doc, root: PDFKit.PDFStructureElement, items: readonly Item[]): void {
  let table: PDFKit.PDFStructureElement | undefined;
  let row: { number: number; element: PDFKit.PDFStructureElement } | undefined;
  for (const item of items) {
    if (item.kind === 'rect' || item.kind === 'cut') {
      artifact(doc, item);
    } else if (item.kind === 'code128') {
      root.add(doc.struct('Figure', { alt: `Barcode ${item.text}` }, () => drawShape(doc, item)));
    } else if (item.row === undefined) {
      table = undefined;
      row = undefined;
      root.add(doc.struct(item.role, optionsOf(item), () => drawText(doc, item)));
    } else {
      if (table === undefined) {
        table = doc.struct('Table');
        root.add(table);
      }
      if (row?.number !== item.row) {
        row = { number: item.row, element: doc.struct('TR') };
        table.add(row.element);
      }
      row.element.add(doc.struct(item.role, optionsOf(item), () => drawText(doc, item)));
    }
  }
}

/** Draws a PDF file. It yields to the event loop after each page, because a long document takes seconds. */
export async function drawPdf(pages: Iterable<Drawing>, { title, madeAt }: PdfInfo): Promise<Buffer> {
  const options: PDFKit.PDFDocumentOptions = {
    autoFirstPage: false,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    lang: LANGUAGE,
    info: {
      Title: title,
      Producer: 'Seller Partner Service',
      Creator: 'Seller Partner Service',
      CreationDate: new Date(madeAt),
    },
  };
  // The types of the library lack this profile.
  const Pdf = pdfkit();
  const doc = new Pdf(Object.assign(options, { subset: 'PDF/UA' } as object));
  const finished = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.once('end', () => resolve(Buffer.concat(chunks)));
    doc.once('error', reject);
  });
  const root = doc.struct('Document');
  doc.addStructure(root);
  for (const { width, height, items } of pages) {
    doc.addPage({ size: [width * POINTS_PER_DOT, height * POINTS_PER_DOT], margin: 0 });
    doc.scale(POINTS_PER_DOT);
    drawItems(doc, root, items);
    await othersTurn();
  }
  root.end();
  doc.end();
  return finished;
}
