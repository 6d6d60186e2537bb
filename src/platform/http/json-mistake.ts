/**
 * Finds the first mistake of a JSON text. The messages of the engine have no place for many mistakes, and repeat a part
 * of the text, in which a password may stand.
 */

/** What may stand next. */
type Next = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'end';

const BLANK = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** A scalar of which the text has only the beginning. */
const OPEN_SCALAR = /^(?:-?(?:\d+(?:\.\d*)?(?:[eE][+-]?)?)?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

const END_OF = { '[': ']', '{': '}' } as const;
type Opening = keyof typeof END_OF;

/** Where a pattern that begins at `at` ends; `at` itself when it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where the text that begins at `at` ends; undefined: it has a wrong character or escape; -1: it has no end. */
function endOfText(text: string, at: number): number | undefined {
  for (let place = at + 1; place < text.length; ) {
    const char = text[place] ?? '';
    if (char === '"') return place + 1;
    if (char < ' ') return undefined;
    if (char === '\\') {
      const end = endOf(ESCAPE, text, place);
      if (end === place)
        return /^\\(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(place, place + 6)) ? -1 : undefined;
      place = end;
    } else place += 1;
  }
  return -1;
}

/**
 * The index of the first character that JSON does not allow there; the length of a text that ends too early; undefined
 * for valid JSON. One pass, without recursion.
 */
export function jsonMistake(text: string): number | undefined {
  const open: Opening[] = [];
  let next: Next = 'value';
  const afterValue = (): Next => (open.length === 0 ? 'end' : 'comma_or_end');
  for (let at = endOf(BLANK, text, 0); at < text.length; at = endOf(BLANK, text, at)) {
    const char = text[at] ?? '';
    const isKey: boolean = next === 'key' || next === 'key_or_end';
    const isValue: boolean = next === 'value' || next === 'value_or_end';
    const inside = open.at(-1);
    if (char === '"' && (isKey || isValue)) {
      const end = endOfText(text, at);
      if (end === undefined) return at;
      if (end === -1) return text.length;
      at = end;
      next = isKey ? 'colon' : afterValue();
    } else if (isValue && (char === '[' || char === '{')) {
      open.push(char);
      at += 1;
      next = char === '[' ? 'value_or_end' : 'key_or_end';
    } else if (next.endsWith('_or_end') && inside !== undefined && char === END_OF[inside]) {
      open.pop();
      at += 1;
      next = afterValue();
    } else if (next === 'comma_or_end' && char === ',') {
      at += 1;
      next = inside === '[' ? 'value' : 'key';
    } else if (next === 'colon' && char === ':') {
      at += 1;
      next = 'value';
    } else {
      const end: number = isValue ? endOf(SCALAR, text, at) : at;
      if (end === at) return isValue && OPEN_SCALAR.test(text.slice(at, at + 64)) ? text.length : at;
      at = end;
      next = afterValue();
    }
  }
  return next === 'end' ? undefined : text.length;
}

/** Says where the first mistake of a text is; without any of its characters. */
export function sayJsonMistake(text: string): string {
  const at = jsonMistake(text) ?? text.length;
  if (at === text.length) return 'it ends too early';
  let line = 1;
  let begin = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', begin)) {
    line += 1;
    begin = end + 1;
  }
  return `unexpected text at line ${line}, column ${at - begin + 1}`;
}
