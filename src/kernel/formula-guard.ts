/**
 * Guards text cells against formulas: a cell that a spreadsheet would run as a formula gets a leading apostrophe. Some
 * spreadsheets read full-width signs as plain ones, and some drop a leading NUL or LF, so such cells are guarded too.
 * A cell that begins with an apostrophe gets another one, so that a reader can distinguish the guard from the content.
 * Source: OWASP ASVS 1.2.10 and "CSV Injection", docs/design/feeds-and-imports.md#exports.
 */
const FORMULA_START = '=+\\-@\\t\\r\\n\\0\uff1d\uff0b\uff0d\uff20';
const NEEDS_GUARD = new RegExp(`^['${FORMULA_START}]`);
const GUARDED = new RegExp(`^'['${FORMULA_START}]`);

/** Adds the guard to a text, if it needs one. */
export function guardCell(text: string): string {
  return NEEDS_GUARD.test(text) ? `'${text}` : text;
}

/** Removes the guard of {@link guardCell}. A text that {@link guardCell} cannot have made is not changed. */
export function unguardCell(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
