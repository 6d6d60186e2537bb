/** Finds numbers of payment cards: right by Luhn's rule, with prefix and length of a card scheme (ISO/IEC 7812). */
interface Found {
  readonly start: number;
  readonly end: number;
}

/** Groups of digits with single blanks or dashes between them. */
const GROUPS = /\d+(?:[ -]\d+)*/g;
const DIGITS_MAX = 19;

/** The prefixes of a scheme, from and to, and the numbers of digits of its cards. */
const SCHEMES: readonly (readonly [from: number, to: number, min: number, max: number])[] = [
  [4, 4, 13, 19],
  [51, 55, 16, 16],
  [2221, 2720, 16, 16],
  [34, 34, 15, 15],
  [37, 37, 15, 15],
  [30, 30, 14, 19],
  [36, 36, 14, 19],
  [38, 38, 14, 19],
  [6011, 6011, 16, 19],
  [65, 65, 16, 19],
];

const ofScheme = (digits: string): boolean =>
  SCHEMES.some(([from, to, min, max]) => {
    const prefix = Number(digits.slice(0, String(from).length));
    return prefix >= from && prefix <= to && digits.length >= min && digits.length <= max;
  });

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, twice = false; at >= 0; at -= 1, twice = !twice) {
    const digit = Number(digits[at]) * (twice ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** The first digits of all schemes. */
const FIRST_DIGITS = /^[2-6]/;

const isCard = (digits: string): boolean => ofScheme(digits) && passesLuhn(digits);

/** A sign, two blanks or a line end between the groups of a card. */
const SIGN = '[_./*|~:,\\u00b7\\u2022]| [-./] | {2,3}|[\\r\\n]+';
/** The groups that are printed on cards. Lists of numbers have other ones. */
const PRINTED = [`(${SIGN})\\d{4}\\1\\d{4}\\1\\d{4}`, `(${SIGN})\\d{6}\\1\\d{5}`].map(
  (groups) => new RegExp(`(?<!\\d)\\d{4}${groups}(?!\\d)`, 'g'),
);

const findPrinted = (text: string): Found[] =>
  PRINTED.flatMap((groups) => [...text.matchAll(groups)])
    .filter(([printed]) => isCard(printed.replaceAll(/\D/g, '')))
    .map(({ 0: printed, index }) => ({ start: index, end: index + printed.length }));

/** @param text with plain digits, blanks and dashes */
export function findCards(text: string): Found[] {
  const found: Found[] = [];
  for (const { 0: run, index } of text.matchAll(GROUPS)) {
    const groups = [...run.matchAll(/\d+/g)];
    for (let first = 0; first < groups.length; first += 1) {
      if (!FIRST_DIGITS.test(groups[first]?.[0] ?? '')) continue;
      let digits = '';
      let last: number | undefined;
      for (let at = first; at < groups.length && digits.length < DIGITS_MAX; at += 1) {
        digits += groups[at]?.[0] ?? '';
        if (isCard(digits)) last = at;
      }
      const [begin, end] = [groups[first], groups[last ?? -1]];
      if (begin === undefined || end === undefined || last === undefined) continue;
      found.push({ start: index + begin.index, end: index + end.index + end[0].length });
      first = last;
    }
  }
  return [...found, ...findPrinted(text)];
}
