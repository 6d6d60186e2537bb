/** The part of an embedded font of the PDF library that turns texts into the codes of glyphs. */
interface EmbeddedFont {
  readonly layout: (
    text: string,
    features?: unknown,
  ) => { readonly glyphs: readonly Glyph[]; positions: unknown };
  readonly subset: { readonly glyphs: number[]; includeGlyph(id: number): number };
  /** The characters of each code. */
  readonly unicode: (readonly number[])[];
  readonly widths: number[];
  readonly scale: number;
  encode: (text: string, features?: unknown) => [codes: string[], positions: unknown];
}

interface Glyph {
  readonly id: number;
  readonly codePoints: readonly number[];
  readonly advanceWidth: number;
}

const known = new WeakSet<object>();

/**
 * Gives a glyph of a PDF a code for each text that it stands for. The library gives it one code with the text of its first
 * use. Arabic fonts draw several letters as one glyph with other dots, so a search for a name did not find it.
 *
 * @param embedded the font of the document; a second call changes nothing
 */
export function giveOwnCodes(embedded: EmbeddedFont): void {
  if (known.has(embedded)) return;
  known.add(embedded);
  const { subset, unicode, widths, scale } = embedded;
  const codes = new Map<string, number>();
  const used = new Set<number>();
  const codeOf = ({ id, codePoints, advanceWidth }: Glyph): number => {
    const key = `${id} ${codePoints.join(' ')}`;
    const found = codes.get(key);
    if (found !== undefined) return found;
    const code = used.has(id) ? subset.glyphs.push(id) - 1 : subset.includeGlyph(id);
    used.add(id);
    codes.set(key, code);
    unicode[code] ??= codePoints;
    widths[code] ??= advanceWidth * scale;
    return code;
  };
  embedded.encode = (text, features) => {
    const { glyphs, positions } = embedded.layout(text, features);
    return [glyphs.map((glyph) => codeOf(glyph).toString(16).padStart(4, '0')), positions];
  };
}
