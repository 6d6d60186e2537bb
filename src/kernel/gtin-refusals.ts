/**
 * Codes with a right check digit that do not identify a sold unit, for example `000000000000`, `123456789012` and
 * `9999999999994` (docs/design/feeds-and-imports.md#global-ids).
 */

/** Examples from manuals and test data, in 14 digits. {@link isPatterned} finds sequences and repeated digits. */
const KNOWN_EXAMPLES: ReadonlySet<string> = new Set(
  [
    '123456789012',
    '012345678905',
    '1234567890128',
    '5901234123457',
    '4012345678901',
    '96385074',
    '12345670',
  ].map((code) => code.padStart(14, '0')),
);

/** Codes that many textbooks print, but that real products have too. They are accepted with a warning. */
export const TEXTBOOK_EXAMPLES: ReadonlySet<string> = new Set(['04006381333931', '00012345000065']);

/** Three-digit prefixes of 13-digit codes that are not for trade items, both ends included (GS1). */
const RESTRICTED_PREFIXES: readonly (readonly [from: number, to: number])[] = [
  [20, 29], // in-store and variable measure
  [40, 49], // inside one company
  [50, 59], // coupons
  [200, 299], // in-store and variable measure
  [952, 952], // demonstrations and examples
  [980, 984], // refund receipts and coupons
  [990, 999], // coupons
];

type MeaningRefusal =
  | 'gtin_placeholder'
  | 'gtin_variable_measure'
  | 'gtin_case_pack'
  | 'gtin_restricted_prefix';

/**
 * Why a code cannot identify a product, although its check digit is right.
 *
 * @param entered the digits as given, which may be repeated or sequential
 * @param gtin14 the same code in canonical form
 * @param wholesale whether a case of several units is a sold unit
 */
export function refuseMeaning(entered: string, gtin14: string, wholesale: boolean): MeaningRefusal | null {
  const upcE = entered.length === 8 && !gtin14.endsWith(entered);
  if (isPlaceholderCode(upcE ? gtin14 : entered, gtin14)) return 'gtin_placeholder';
  const indicator = gtin14[0] ?? '0';
  if (indicator === '9') return 'gtin_variable_measure';
  if (indicator !== '0' && !wholesale) return 'gtin_case_pack';
  return isRestricted(gtin14) ? 'gtin_restricted_prefix' : null;
}

/** Whether a code has repeated or sequential digits, or is an example from a manual. No real product has such a code. */
export function isPlaceholderCode(entered: string, gtin14: string): boolean {
  return isPatterned(entered) || isPatterned(withoutPadding(gtin14)) || KNOWN_EXAMPLES.has(gtin14);
}

/** The same for a valid UPC-E, whose six digits can be a sequence by chance. */
export function isPlaceholderUpcE(entered: string): boolean {
  return KNOWN_EXAMPLES.has(entered.padStart(14, '0')) || /^(\d)\1{6}/.test(entered);
}

/** The digits of the unit itself: eight for a padded GTIN-8, otherwise twelve or thirteen. */
function withoutPadding(gtin14: string): string {
  if (gtin14.startsWith('000000')) return gtin14.slice(6);
  return gtin14.startsWith('00') ? gtin14.slice(2) : gtin14.slice(1);
}

function isRestricted(gtin14: string): boolean {
  if (gtin14.startsWith('000000')) return gtin14[6] === '0' || gtin14[6] === '2';
  const prefix = Number(gtin14.slice(1, 4));
  return RESTRICTED_PREFIXES.some(([from, to]) => prefix >= from && prefix <= to);
}

/** Whether the digits before the check digit are all equal, or count up or down (0 follows 9). */
function isPatterned(digits: string): boolean {
  const step = (digits.charCodeAt(1) - digits.charCodeAt(0) + 10) % 10;
  if (step !== 0 && step !== 1 && step !== 9) return false;
  for (let index = 2; index < digits.length - 1; index += 1) {
    if ((digits.charCodeAt(index) - digits.charCodeAt(index - 1) + 10) % 10 !== step) return false;
  }
  return true;
}
