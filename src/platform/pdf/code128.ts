/** Code 128 (ISO/IEC 15417) as bars. */
import type bwipJs from 'bwip-js';
import { lateLibrary } from '../late-library.ts';
import type { BarcodeItem, RectItem } from './drawing.ts';

const bwip = lateLibrary<typeof bwipJs>('bwip-js');

/** Characters of tracking numbers. Some scanners and printers read other characters as commands. */
const ENCODABLE = /^[0-9A-Z][0-9A-Z ./-]{0,47}$/;

/** Widths of alternating bars and spaces in modules, beginning with a bar, without the quiet zones. */
function widthsOf(text: string): readonly number[] {
  if (!ENCODABLE.test(text)) throw new Error('The text has characters that no barcode holds.');
  const [symbol] = bwip().raw('code128', text);
  if (symbol === undefined || !('sbs' in symbol))
    throw new Error('The text could not be encoded as a barcode.');
  return symbol.sbs;
}

/** Width from the first bar to the last, in modules. Scanners need ten blank modules on either side. */
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
