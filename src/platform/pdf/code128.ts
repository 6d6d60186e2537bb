/** Code 128 (ISO/IEC 15417) as bars. */
import bwip from 'bwip-js';
import type { BarcodeItem, RectItem } from './drawing.ts';

/** Tracking numbers are made of these; everything else means something to one scanner or printer or another. */
const ENCODABLE = /^[0-9A-Z][0-9A-Z ./-]{0,47}$/;

/** Widths of bars and spaces in turn, in modules, beginning with a bar. Without the quiet zones. */
function widthsOf(text: string): readonly number[] {
  if (!ENCODABLE.test(text)) throw new Error('The text cannot stand in a barcode.');
  const [symbol] = bwip.raw('code128', text);
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('The text has no barcode.');
  return symbol.sbs;
}

/** Modules from the first bar to the last; a scanner wants ten blank ones on either side. */
export function code128Modules(text: string): number {
  return widthsOf(text).reduce((sum, width) => sum + width, 0);
}
export const QUIET_MODULES = 10;

/** The bars of a barcode. */
export function barsOf({ x, y, height, module, text }: BarcodeItem): RectItem[] {
  const bars: RectItem[] = [];
  let at = x;
  for (const [index, width] of widthsOf(text).entries()) {
    if (index % 2 === 0) bars.push({ kind: 'rect', x: at, y, width: width * module, height });
    at += width * module;
  }
  return bars;
}
