/**
 * Text cells that a spreadsheet would run as a formula get a leading apostrophe; the full-width signs because
 * some spreadsheets fold them, NUL and LF because some drop them before they look.
 * A cell that begins with an apostrophe gets one more, so that guard and content can be told apart when the file
 * comes back. Source: OWASP ASVS 1.2.10 and "CSV Injection", docs/design/feeds-and-imports.md#exports.
 */
const FORMULA_START = '=+\\-@\\t\\r\\n\\0\uff1d\uff0b\uff0d\uff20';
const NEEDS_GUARD = new RegExp(`^['${FORMULA_START}]`);
const GUARDED = new RegExp(`^'['${FORMULA_START}]`);

/** The text as it stands in an exported cell. */
export function guardCell(text: string): string {
  return NEEDS_GUARD.test(text) ? `'${text}` : text;
}

/** The inverse of {@link guardCell}; a text that it cannot have made comes back as it is. */
export function unguardCell(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
