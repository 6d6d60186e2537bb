import { drawPdf } from '../../../platform/pdf/draw-pdf.ts';
import { drawPng } from '../../../platform/pdf/draw-png.ts';
import { drawZpl } from '../../../platform/pdf/draw-zpl.ts';
import type { Label, LabelFile, LabelFormat, LabelSize } from './label.ts';
import { labelDrawing, onSheet } from './layout.ts';

/**
 * A label as a file. PDF and PNG come as the label alone (A6, 105 by 148 mm) or on a sheet (A4); PNG has
 * 203 dots an inch. ZPL is for label printers, which know no sheets: always A6. The same label is the same file.
 *
 * @throws Error when the tracking number cannot stand in a barcode; those that `checkTracking` lets pass can
 */
export async function renderLabel(
  label: Label,
  { format, size }: { readonly format: LabelFormat; readonly size: LabelSize },
): Promise<LabelFile> {
  const alone = labelDrawing(label);
  if (format === 'zpl') return { type: 'application/zpl', data: await drawZpl(alone) };
  const drawing = size === 'a4' ? onSheet(alone) : alone;
  if (format === 'png') return { type: 'image/png', data: await drawPng(drawing) };
  const info = { title: `Label ${label.tracking_number}`, madeAt: Date.parse(label.created_at) };
  return { type: 'application/pdf', data: await drawPdf([drawing], info) };
}
