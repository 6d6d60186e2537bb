/**
 * How texts are trimmed. Short texts lose blanks of every kind at both ends. Long texts lose only NBSP and zero-width
 * characters, so that responses and exports show them as they were sent
 * (docs/design/feeds-and-imports.md#native-feed).
 */
const BLANK = /[\s\u200b-\u200d\u2060\ufeff]/;
const INVISIBLE = /[\u00a0\u200b-\u200d\u2060\ufeff]/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what this is for.
const CONTROL_IN_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, without tab and line breaks.
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Removes blanks of every kind, NBSP and zero-width characters at both ends; the inside stays as written. */
export function trimLine(text: string): string {
  return trimEnds(text, BLANK);
}

/** Removes NBSP and zero-width characters at both ends; a text that has only blanks becomes empty. */
export function trimText(text: string): string {
  const trimmed = trimEnds(text, INVISIBLE);
  return trimLine(trimmed) === '' ? '' : trimmed;
}

/** A loop, because a regular expression anchored at the end takes quadratic time on a text full of blanks. */
export function trimEnds(text: string, blank: RegExp): string {
  if (hasPlainEnds(text)) return text;
  let from = 0;
  let to = text.length;
  while (from < to && blank.test(text.charAt(from))) from += 1;
  while (to > from && blank.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

export function hasControlInLine(text: string): boolean {
  return CONTROL_IN_LINE.test(text);
}

export function hasControlInText(text: string): boolean {
  return CONTROL_IN_TEXT.test(text);
}

/** Whether the text has more than `max` characters; it counts code points, as PostgreSQL does. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _character of text) {
    count += 1;
    if (count > max) return true;
  }
  return false;
}

/** Nearly every text begins and ends with a printable ASCII character; such a text needs no trimming. */
function hasPlainEnds(text: string): boolean {
  if (text === '') return true;
  return isPlain(text.charCodeAt(0)) && isPlain(text.charCodeAt(text.length - 1));
}

function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
