import { drawPdf } from '../../../platform/pdf/draw-pdf.ts';
import { drawPng } from '../../../platform/pdf/draw-png.ts';
import { drawZpl } from '../../../platform/pdf/draw-zpl.ts';
import type { Label, LabelFile, LabelFormat, LabelSize } from '../domain/label.ts';
import { labelDrawing, onSheets } from './label-layout.ts';

/**
 * Makes one file of labels. PDF and PNG have the size of the label (A6, 105 by 148 mm), or are sheets (A4) with four
 * labels each. PNG has 203 dots an inch and shows only the first page. ZPL is for label printers and is always A6. The
 * same labels always give the same file.
 *
 * @throws Error if a barcode cannot show a tracking number. It can show all numbers that `checkTracking` accepts.
 */
export async function renderLabels(
  labels: readonly [Label, ...Label[]],
  { format, size }: { readonly format: LabelFormat; readonly size: LabelSize },
): Promise<LabelFile> {
  const [{ tracking_number, created_at }] = labels;
  const alone = labels.map(labelDrawing);
  if (format === 'zpl')
    return { type: 'application/zpl', data: Buffer.concat(await Promise.all(alone.map(drawZpl))) };
  const drawings = size === 'a4' ? onSheets(alone) : alone;
  const [first] = drawings;
  if (format === 'png' && first !== undefined) return { type: 'image/png', data: await drawPng(first) };
  const info = { title: `Label ${tracking_number}`, madeAt: Date.parse(created_at) };
  return { type: 'application/pdf', data: await drawPdf(drawings, info) };
}
