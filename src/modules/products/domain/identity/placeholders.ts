/**
 * Words that people and programs write instead of an identifier. The comparison ignores case, blanks and punctuation,
 * because `N/A`, `n.a.` and `#N/A` mean the same
 * (docs/design/feeds-and-imports.md#identity).
 */

/** These words say that the product has no identifier; in a file they declare an exemption. */
const STATEMENTS_OF_ABSENCE: ReadonlySet<string> = new Set([
  'doesnotapply',
  'doesntapply',
  'notapplicable',
  'nichtzutreffend',
  'nonapplicable',
  'nonapplicabile',
  'noaplicable',
  'nietvantoepassing',
  'gtinexempt',
]);

/** Words without information. */
const FILLERS: ReadonlySet<string> = new Set([
  '',
  'na',
  'none',
  'null',
  'nil',
  'nan',
  'unknown',
  'undefined',
  'no',
  '0',
  'tbc',
  'tba',
  'tbd',
]);

/** Errors of spreadsheet formulas. */
const SPREADSHEET_ERRORS: ReadonlySet<string> = new Set(['#name?', '#ref!', '#value!', '#null!', '#div/0!']);

const NO_BRAND: ReadonlySet<string> = new Set([
  'generic',
  'unbranded',
  'nobrand',
  'nonbranded',
  'noname',
  'markenlos',
  'ohnemarke',
  'sansmarque',
  'senzamarca',
  'sinmarca',
  'merkloos',
]);

/** Whether a text is `Does not apply` or one of its translations. */
export function statesAbsence(text: string): boolean {
  return !DIGITS.test(text) && STATEMENTS_OF_ABSENCE.has(foldWord(text));
}

/** Whether a text is a statement of absence, a filler or a formula error. */
export function isPlaceholder(text: string): boolean {
  if (DIGITS.test(text)) return text === '0';
  const word = foldWord(text);
  return (
    FILLERS.has(word) || STATEMENTS_OF_ABSENCE.has(word) || SPREADSHEET_ERRORS.has(text.trim().toLowerCase())
  );
}

/** Whether a brand is `generic`, `Unbranded`, one of their translations or a placeholder. */
export function isGenericBrand(brand: string): boolean {
  return NO_BRAND.has(foldWord(brand)) || isPlaceholder(brand);
}

/** Nearly every code has only digits and needs no folding. */
const DIGITS = /^\d+$/;

const ASCII = /^[\x20-\x7e]*$/;

function foldWord(text: string): string {
  // No placeholder is so long.
  if (text.length > 40) return text;
  if (ASCII.test(text)) return text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
