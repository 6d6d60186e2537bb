/**
 * Global trade item numbers: GTIN-8, 12, 13, 14, UPC-E, ISBN-10 and ISBN-13, read into 14 canonical digits.
 *
 * A number that may mean something other than one sold unit is refused with an error code. A damaged number is
 * never repaired; the answer only suggests what it may have been.
 * Source: docs/design/feeds-and-imports.md#global-ids, GS1 prefix list.
 */
import { gtinCheckDigit, hasValidCheckDigit, isbn10CheckDigit } from './gtin-check-digit.ts';
import { isPlaceholderCode, isPlaceholderUpcE, refuseMeaning, TEXTBOOK_EXAMPLES } from './gtin-refusals.ts';

/** The schemes of a code. */
const GTIN_SCHEMES = ['GTIN-8', 'UPC-E', 'GTIN-12', 'GTIN-13', 'GTIN-14', 'ISBN-10', 'ISBN-13'] as const;
export type GtinScheme = (typeof GTIN_SCHEMES)[number];

type GtinRefusalCode =
  | 'gtin_length'
  | 'gtin_not_numeric'
  | 'gtin_check_digit'
  | 'gtin_restricted_prefix'
  | 'gtin_placeholder'
  | 'gtin_scheme_mismatch'
  | 'gtin_scientific_notation'
  | 'gtin_case_pack'
  | 'gtin_variable_measure';

export interface Gtin {
  readonly ok: true;
  /** Canonical form for storing and matching: zero-padded to 14 digits. */
  readonly gtin14: string;
  /** How the code was read. */
  readonly scheme: GtinScheme;
  /** `ambiguous_gtin`: the digits are also a valid GTIN-8. */
  readonly warning: 'ambiguous_gtin' | 'gtin_textbook_example' | null;
}

export interface GtinRefusal {
  readonly ok: false;
  readonly code: GtinRefusalCode;
  /** The right check digit, the allowed lengths, the scheme found, or a suggested code. */
  readonly expected: string | null;
  /** A code that the seller may have meant. The seller has to send it. */
  readonly suggestion: string | null;
}

interface GtinOptions {
  /** Scheme that the sender states (`EAN`, `GTIN-13`, `isbn`, …); any case, separators ignored. */
  readonly scheme?: string | undefined;
  /** Whether a case pack (GTIN-14, indicator 1 to 8) is a sold unit here. */
  readonly wholesale?: boolean | undefined;
}

/** Schemes that a sender may state and the readings that each allows. */
const STATED_SCHEMES: Readonly<Record<string, readonly GtinScheme[]>> = {
  GTIN: ['GTIN-8', 'UPC-E', 'GTIN-12', 'GTIN-13', 'GTIN-14', 'ISBN-10', 'ISBN-13'],
  GTIN8: ['GTIN-8'],
  GTIN12: ['GTIN-12'],
  GTIN13: ['GTIN-13', 'ISBN-13'],
  GTIN14: ['GTIN-14'],
  EAN: ['GTIN-13', 'ISBN-13', 'GTIN-8'],
  EAN8: ['GTIN-8'],
  EAN13: ['GTIN-13', 'ISBN-13'],
  JAN: ['GTIN-13', 'GTIN-8'],
  UPC: ['GTIN-12', 'UPC-E'],
  UPCA: ['GTIN-12'],
  UPCE: ['UPC-E'],
  ISBN: ['ISBN-10', 'ISBN-13'],
  ISBN10: ['ISBN-10'],
  ISBN13: ['ISBN-13'],
};

const LENGTHS = '8, 12, 13 or 14 digits, or an ISBN of 10';
/** Blanks and hyphens of every kind, which people and spreadsheets put into codes. */
const SEPARATORS = /[\s\u200b-\u200d\u2060\ufeff\u2010-\u2015\u2212-]/g;
const SCIENTIFIC = /^\d(?:[.,]\d*)?e\+?\d{1,3}$/i;
const DIGITS = /^\d+$/;
const ISBN10 = /^\d{9}[\dX]$/;

/**
 * Reads a global id.
 *
 * @param text as entered; blanks, hyphens and one leading apostrophe are ignored
 * @returns the canonical code, or the first reason for refusing it
 */
export function parseGtin(text: string, options: GtinOptions = {}): Gtin | GtinRefusal {
  const code = normaliseGtinText(text);
  if (!DIGITS.test(code) && !ISBN10.test(code)) {
    return refusal(SCIENTIFIC.test(code) ? 'gtin_scientific_notation' : 'gtin_not_numeric');
  }
  const stated = options.scheme === undefined ? null : statedSchemes(options.scheme);
  if (stated === undefined) return refusal('gtin_scheme_mismatch', GTIN_SCHEME_NAMES.join(', '));
  const read = readCode(code, stated);
  if (!read.ok) return read;
  const refused = refuseMeaning(code, read.gtin14, options.wholesale === true);
  if (refused !== null) return refusal(refused);
  if (stated !== null && !matchesStated(read, stated, options.scheme)) {
    return refusal('gtin_scheme_mismatch', read.scheme);
  }
  return TEXTBOOK_EXAMPLES.has(read.gtin14) ? { ...read, warning: 'gtin_textbook_example' } : read;
}

/** The code without separators and without one leading apostrophe; `x` of an ISBN-10 in upper case. */
export function normaliseGtinText(text: string): string {
  if (DIGITS.test(text)) return text;
  return text.replace(SEPARATORS, '').replace(/^['’]/, '').toUpperCase();
}

/** Names that `scheme` may have on the wire. */
const GTIN_SCHEME_NAMES = [
  'GTIN-8',
  'GTIN-12',
  'GTIN-13',
  'GTIN-14',
  'ISBN-10',
  'ISBN-13',
  'UPC-E',
  'UPC',
  'EAN',
  'JAN',
] as const;

function readCode(code: string, stated: readonly GtinScheme[] | null): Gtin | GtinRefusal {
  switch (code.length) {
    case 8:
      return readEightDigits(code, stated);
    case 10:
      return readIsbn10(code);
    case 12:
      return readPlain(code, 'GTIN-12');
    case 13:
      return readPlain(code, isIsbn13(code) ? 'ISBN-13' : 'GTIN-13');
    case 14:
      return readPlain(code, 'GTIN-14');
    default: {
      const padded = `0${code}`;
      const lostZero = code.length === 11 && hasValidCheckDigit(padded);
      return refusal('gtin_length', LENGTHS, lostZero ? padded : null);
    }
  }
}

function readPlain(code: string, scheme: GtinScheme): Gtin | GtinRefusal {
  // This is checked before the check digit, because "all ones" is a better answer than "wrong check digit".
  if (isPlaceholderCode(code, code.padStart(14, '0'))) return refusal('gtin_placeholder');
  const expected = gtinCheckDigit(code.slice(0, -1));
  if (expected !== code.slice(-1)) return refusal('gtin_check_digit', expected);
  return accepted(code, scheme);
}

/**
 * Eight digits that read as a valid UPC-E are UPC-E (docs/design/feeds-and-imports.md#global-ids), unless
 * the sender states GTIN-8. GTIN-8 codes that begin with 0 are for use inside one company anyway.
 */
function readEightDigits(code: string, stated: readonly GtinScheme[] | null): Gtin | GtinRefusal {
  const onlyGtin8 = stated?.includes('GTIN-8') === true && !stated.includes('UPC-E');
  const upcA = onlyGtin8 ? null : expandUpcE(code);
  if (upcA === null) return readPlain(code, 'GTIN-8');
  if (isPlaceholderUpcE(code)) return refusal('gtin_placeholder');
  const both = code[0] !== '0' && hasValidCheckDigit(code);
  return { ...accepted(upcA, 'UPC-E'), warning: both ? 'ambiguous_gtin' : null };
}

function readIsbn10(code: string): Gtin | GtinRefusal {
  const expected = isbn10CheckDigit(code.slice(0, 9));
  if (/^(\d)\1{8}/.test(code)) return refusal('gtin_placeholder');
  if (expected !== code.slice(9)) {
    const padded = `00${code}`;
    const lostZeros = DIGITS.test(code) && hasValidCheckDigit(padded);
    return refusal('gtin_check_digit', expected, lostZeros ? padded : null);
  }
  const body = `978${code.slice(0, 9)}`;
  return accepted(body + gtinCheckDigit(body), 'ISBN-10');
}

/**
 * Expands UPC-E (number system, six digits, check digit) to the UPC-A that it abbreviates.
 *
 * @returns the 12 digits, or `null` when the eight digits are no valid UPC-E
 */
export function expandUpcE(code: string): string | null {
  if (!/^[01]\d{7}$/.test(code)) return null;
  const [system, m, last, check] = [code.slice(0, 1), code.slice(1, 6), code.slice(6, 7), code.slice(7)];
  let body: string;
  if (last <= '2') body = `${m.slice(0, 2)}${last}0000${m.slice(2)}`;
  else if (last === '3') body = `${m.slice(0, 3)}00000${m.slice(3)}`;
  else if (last === '4') body = `${m.slice(0, 4)}00000${m.slice(4)}`;
  else body = `${m}0000${last}`;
  return gtinCheckDigit(system + body) === check ? system + body + check : null;
}

/** ISBN-13 begins with 978 or 979; 979-0 is printed music. */
function isIsbn13(code: string): boolean {
  return code.startsWith('978') || (code.startsWith('979') && code[3] !== '0');
}

function statedSchemes(scheme: string): readonly GtinScheme[] | null | undefined {
  const folded = scheme.replace(/[^a-z0-9]/gi, '').toUpperCase();
  return folded === '' ? null : STATED_SCHEMES[folded];
}

function matchesStated(read: Gtin, stated: readonly GtinScheme[], scheme: string | undefined): boolean {
  if (!stated.includes(read.scheme)) return false;
  if (scheme?.toUpperCase() !== 'JAN') return true;
  const prefix = read.scheme === 'GTIN-8' ? read.gtin14.slice(6, 8) : read.gtin14.slice(1, 3);
  return prefix === '45' || prefix === '49';
}

function accepted(code: string, scheme: GtinScheme): Gtin {
  return { ok: true, gtin14: code.padStart(14, '0'), scheme, warning: null };
}

function refusal(
  code: GtinRefusalCode,
  expected: string | null = null,
  suggestion: string | null = null,
): GtinRefusal {
  return { ok: false, code, expected, suggestion };
}
