/** Texts of conversations: what sellers may write, and what is stored of the texts of others. */
import { type FieldProblem, invalid } from '../errors.ts';
import { type ContactKind, type ContactSpan, inspect, type Known } from './inspect-text.ts';

export const TEXT_CHARS_MAX = 4_000;

/** Control characters but tabs and line ends, and characters that change the direction of text. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const isControl = (character: string): boolean => !'\t\n\r'.includes(character);

const REMOVED: Readonly<Record<ContactKind, string>> = {
  email: '[email removed]',
  phone: '[phone removed]',
  url: '[link removed]',
  payment_card: '[card number removed]',
};

const REFUSED: Readonly<Record<ContactKind, readonly [type: string, msg: string]>> = {
  email: ['contact_email', 'The text has an e-mail address; remove it.'],
  phone: ['contact_phone', 'The text has a telephone number; remove it.'],
  url: ['contact_url', 'The text has a link to a host that is not allowed; remove it.'],
  payment_card: ['payment_card_number', 'The text has the number of a payment card; remove it.'],
};

interface TextRules {
  readonly known: Known;
  /** Kinds that are refused; default: all. */
  readonly kinds?: readonly ContactKind[];
  readonly charsMax?: number;
}

/**
 * Checks a text that the seller writes.
 *
 * @param loc where it stands in the request
 * @returns the text as it is stored: composed (NFC) and without blanks around it
 * @throws ApiError 422 with each finding and its span in that text
 */
export function checkSellerText(text: string, loc: FieldProblem['loc'], rules: TextRules): string {
  const { known, kinds, charsMax = TEXT_CHARS_MAX } = rules;
  const clean = text.normalize('NFC').trim();
  const problem = (type: string, msg: string, span?: Pick<ContactSpan, 'start' | 'end'>): FieldProblem => ({
    ...{ loc, msg, type },
    ...(span && { ctx: { start: span.start, end: span.end } }),
  });
  if (clean === '') throw invalid([problem('string_too_short', 'Must not be blank.')]);
  // Code points, as schemas count them.
  if ([...clean].length > charsMax)
    throw invalid([problem('string_too_long', `Must have at most ${charsMax} characters.`)]);
  const controls = [...clean.matchAll(CONTROLS)]
    .filter(([character]) => isControl(character))
    .map(({ index }) =>
      problem('control_chars', 'Remove this control character.', { start: index, end: index + 1 }),
    );
  if (controls.length > 0) throw invalid(controls);
  const found = inspect(clean, known, kinds);
  if (found.length === 0) return clean;
  throw invalid(found.map(({ kind, ...span }) => problem(...REFUSED[kind], span)));
}

/**
 * Checks what a seller adds to a reason, for the marketplace alone. Contact data are allowed.
 *
 * @returns null for no text
 * @throws ApiError 422 for card numbers and control characters
 */
export const checkDetail = (detail: string | null | undefined): string | null =>
  detail == null || detail.trim() === ''
    ? null
    : checkSellerText(detail, ['body', 'detail'], {
        known: { strings: [], hosts: [] },
        kinds: ['payment_card'],
      });

interface MaskedText {
  readonly text: string;
  /** The kinds that were removed, sorted. */
  readonly masked: ContactKind[];
}

/** The text of a buyer or of the marketplace as it is stored; the original is kept nowhere. It may be empty. */
export function maskText(text: string, known: Known): MaskedText {
  let clean = text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(CONTROLS, (character) => (isControl(character) ? '' : character))
    .trim();
  const masked = new Set<ContactKind>();
  // What stands beside a finding may become one when it is removed. Each round removes characters that no replacement has.
  for (let found = inspect(clean, known); found.length > 0; found = inspect(clean, known)) {
    for (const { start, end, kind } of found.reverse()) {
      clean = `${clean.slice(0, start)}${REMOVED[kind]}${clean.slice(end)}`;
      masked.add(kind);
    }
  }
  return { text: clean, masked: [...masked].sort() };
}
