/**
 * A text cell that a spreadsheet would run as a formula gets a leading apostrophe. Some spreadsheets fold full-width
 * signs to plain ones, and some drop a leading NUL or LF; so these characters count too.
 * A cell that begins with an apostrophe gets one more, so that a reader can tell guard from content.
 * Source: OWASP ASVS 1.2.10 and "CSV Injection", docs/design/feeds-and-imports.md#exports.
 */
const FORMULA_START = '=+\\-@\\t\\r\\n\\0\uff1d\uff0b\uff0d\uff20';
const NEEDS_GUARD = new RegExp(`^['${FORMULA_START}]`);
const GUARDED = new RegExp(`^'['${FORMULA_START}]`);

/** The text as it is written into an exported cell. */
export function guardCell(text: string): string {
  return NEEDS_GUARD.test(text) ? `'${text}` : text;
}

/** The inverse of {@link guardCell}; a text that {@link guardCell} cannot have made stays as it is. */
export function unguardCell(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
