/** Draws a page as PNG, one pixel a dot. Letters are outlines of the PDF's fonts: no font of the machine is used. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { barsOf } from './code128.ts';
import type { Drawing, Item, RectItem, TextItem } from './drawing.ts';
import { layoutOf, runsOf } from './fonts.ts';

const require = createRequire(import.meta.url);
let ready: Promise<void> | undefined;

/** Loads the renderer once per process. */
function loaded(): Promise<void> {
  ready ??= readFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm')).then(initWasm);
  return ready;
}

const rect = ({ x, y, width, height }: RectItem): string => `M${x} ${y}h${width}v${height}h${-width}z`;

/** Outlines of a text, scaled and moved to its place. */
function outlines({ x, y, text, size, weight, inverted, base }: TextItem): string {
  let at = x;
  const parts: string[] = [];
  for (const run of runsOf(text, weight, base)) {
    const scale = size / run.face.font.unitsPerEm;
    const { glyphs, positions } = layoutOf(run);
    for (const [index, glyph] of glyphs.entries()) {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      const outline = glyph.path.toSVG();
      if (outline !== '')
        parts.push(
          `<path transform="matrix(${scale} 0 0 ${-scale} ${at + xOffset * scale} ${y - yOffset * scale})" d="${outline}"/>`,
        );
      at += xAdvance * scale;
    }
  }
  return `<g fill="${inverted ? '#fff' : '#000'}">${parts.join('')}</g>`;
}

function shape(item: Item): string {
  switch (item.kind) {
    case 'rect':
      return `<path d="${rect(item)}" shape-rendering="crispEdges"/>`;
    case 'code128':
      return `<path d="${barsOf(item).map(rect).join('')}" shape-rendering="crispEdges"/>`;
    case 'cut':
      return `<path d="M${item.from.join(' ')}L${item.to.join(' ')}" stroke="#000" stroke-width="2" stroke-dasharray="12 12"/>`;
    case 'text':
      return outlines(item);
  }
}

async function render({ width, height, items }: Drawing): Promise<InstanceType<typeof Resvg>> {
  await loaded();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${items.map(shape).join('')}</svg>`;
  return new Resvg(svg, { background: '#fff', font: { loadSystemFonts: false } });
}

/** The drawing as a PNG file. */
export async function drawPng(drawing: Drawing): Promise<Buffer> {
  const renderer = await render(drawing);
  const image = renderer.render();
  try {
    return Buffer.from(image.asPng());
  } finally {
    image.free();
    renderer.free();
  }
}

/** A pixel darker than this is a dot of ink. */
const INK = 128;

/** The drawing as rows of bits for a label printer: eight dots a byte, 1 is ink. */
export async function drawBits(drawing: Drawing): Promise<{ bytesPerRow: number; data: Buffer }> {
  const renderer = await render(drawing);
  const image = renderer.render();
  try {
    const { pixels, width, height } = image;
    const bytesPerRow = Math.ceil(width / 8);
    const data = Buffer.alloc(bytesPerRow * height);
    for (let dot = 0; dot < width * height; dot += 1) {
      if ((pixels[dot * 4] ?? 255) >= INK) continue;
      const at = Math.floor(dot / width) * bytesPerRow + ((dot % width) >> 3);
      data[at] = (data[at] ?? 0) | (0x80 >> ((dot % width) & 7));
    }
    return { bytesPerRow, data };
  } finally {
    image.free();
    renderer.free();
  }
}
