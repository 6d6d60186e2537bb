/**
 * Draws a label in ZPL II, the language of label printers, for 203 dots an inch. The printer's own font writes ASCII
 * and Latin-1; other texts are sent as pictures. Characters that could be commands, and those outside ASCII, are
 * hexadecimal escapes, so that no address can hold a command.
 */
import { drawBits } from './draw-png.ts';
import type { BarcodeItem, CutItem, Drawing, Item, TextItem } from './drawing.ts';
import { runsOf, textWidth } from './fonts.ts';

/** Characters that font 0 has on every printer. */
const IN_PRINTER = /^[\x20-\x7e\u00a0-\u00ff]*$/;
/** Characters without an escape. */
const PLAIN = /^[0-9A-Za-z .,:/()-]$/;

function escaped(text: string): string {
  return [...text]
    .map((character) =>
      PLAIN.test(character)
        ? character
        : [...Buffer.from(character)]
            .map((byte) => `_${byte.toString(16).toUpperCase().padStart(2, '0')}`)
            .join(''),
    )
    .join('');
}

/** A text as a picture, with room below and above for letters that exceed their height. */
async function picture(item: TextItem): Promise<string> {
  const above = Math.ceil(item.size * 1.1);
  const height = above + Math.ceil(item.size * 0.5);
  const width = Math.ceil(textWidth(item.text, item.size, item.weight)) + 1;
  const items = [{ ...item, x: 0, y: above }];
  const { bytesPerRow, data } = await drawBits({ width, height, items });
  const top = Math.max(0, Math.round(item.y - above));
  return `^FO${Math.round(item.x)},${top}^GFA,${data.length},${data.length},${bytesPerRow},${data.toString('hex').toUpperCase()}^FS`;
}

async function text(item: TextItem): Promise<string> {
  const shown = runsOf(item.text, item.weight, item.base)
    .map((run) => run.text)
    .join('');
  const reverse = item.inverted ? '^FR' : '';
  if (!IN_PRINTER.test(shown)) return picture({ ...item, inverted: false });
  const size = Math.round(item.size);
  return `^FT${Math.round(item.x)},${Math.round(item.y)}${reverse}^A0N,${size},${size}^FH_^FD${escaped(shown)}^FS`;
}

/** The printer chooses the subsets, as the other formats do. The human-readable line is a separate text. */
const barcode = ({ x, y, height, module, text: data }: BarcodeItem): string =>
  `^FO${x},${y}^BY${module}^BCN,${height},N,N,N,A^FH_^FD${escaped(data)}^FS`;

const line = ({ from, to }: CutItem): string =>
  `^FO${from.join(',')}^GB${Math.max(1, to[0] - from[0])},${Math.max(1, to[1] - from[1])},1^FS`;

function command(item: Item): string | Promise<string> {
  switch (item.kind) {
    case 'text':
      return text(item);
    case 'code128':
      return barcode(item);
    case 'cut':
      return line(item);
    case 'rect': {
      // The third number is the thickness of the frame. With the length of the shorter side it fills the box.
      const { x, y, width, height } = item;
      return `^FO${x},${y}^GB${width},${height},${Math.min(width, height)}^FS`;
    }
  }
}

/** Draws one label. */
export async function drawZpl(drawing: Drawing): Promise<Buffer> {
  const commands = await Promise.all(drawing.items.map(command));
  const start = `^XA^CI28^LH0,0^PW${drawing.width}^LL${drawing.height}`;
  return Buffer.from(`${[start, ...commands, '^XZ'].join('\n')}\n`);
}
