import { drawPdf } from '../../../platform/pdf/draw-pdf.ts';
import { drawPng } from '../../../platform/pdf/draw-png.ts';
import { drawZpl } from '../../../platform/pdf/draw-zpl.ts';
import type { Label, LabelFile, LabelFormat, LabelSize } from '../domain/label.ts';
import { labelDrawing, onSheet } from './label-layout.ts';

/**
 * Labels of a parcel's packages as one file, each on a page of its own. PDF and PNG come as the label alone (A6, 105
 * by 148 mm) or on a sheet (A4); PNG has 203 dots an inch, and is one picture: the first. ZPL is for label printers,
 * which know no sheets: always A6. The same labels are the same file.
 *
 * @throws Error when a tracking number cannot stand in a barcode; those that `checkTracking` lets pass can
 */
export async function renderLabels(
  labels: readonly [Label, ...Label[]],
  { format, size }: { readonly format: LabelFormat; readonly size: LabelSize },
): Promise<LabelFile> {
  const [{ tracking_number, created_at }] = labels;
  const alone = labels.map(labelDrawing);
  if (format === 'zpl')
    return { type: 'application/zpl', data: Buffer.concat(await Promise.all(alone.map(drawZpl))) };
  const drawings = size === 'a4' ? alone.map(onSheet) : alone;
  const [first] = drawings;
  if (format === 'png' && first !== undefined) return { type: 'image/png', data: await drawPng(first) };
  const info = { title: `Label ${tracking_number}`, madeAt: Date.parse(created_at) };
  return { type: 'application/pdf', data: await drawPdf(drawings, info) };
}
