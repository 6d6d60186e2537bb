/** The tokens of a PDF, as readers find them; each byte is read once. Source: ISO 32000-2, 7.2 and 7.3. */

const codes = (text: string): readonly number[] => [...Buffer.from(text, 'latin1')];
/** The last two are blanks for some readers, and letters for others. */
const BLANKS = codes('\0\t\n\f\r \x80\xff');
const [DOUBTFUL = 0, DOUBTFUL_BLANK = 0] = codes('\x80\xff');
const DELIMITERS = codes('()<>[]{}/%');
const [SPACE = 0, CR = 0, LF = 0] = codes(' \r\n');
const [PERCENT = 0, SLASH = 0, BACKSLASH = 0, HASH = 0] = codes('%/\\#');
const [ROUND = 0, ROUND_END = 0, ANGLE = 0, ANGLE_END = 0, SQUARE = 0, SQUARE_END = 0] = codes('()<>[]');

const [REGULAR, BLANK, DELIMITER] = [0, 1, 2];
const KINDS = new Uint8Array(256).fill(REGULAR);
for (const code of BLANKS) KINDS[code] = BLANK;
for (const code of DELIMITERS) KINDS[code] = DELIMITER;

/** Readers fail at much less; a sound file has about ten. */
const DEPTH_MAX = 500;

const isRegular = (bytes: Buffer, at: number): boolean =>
  at < bytes.length && KINDS[bytes[at] ?? 0] === REGULAR;
const isBlank = (bytes: Buffer, at: number): boolean => at < bytes.length && KINDS[bytes[at] ?? 0] === BLANK;

/**
 * The offset after blanks and comments.
 *
 * @param marks loses those of a blank or of a comment's first character, from where readers come to the same offset
 */
export function afterBlanks(bytes: Buffer, from: number, marks?: Uint8Array): number {
  let at = from;
  for (;;) {
    for (; isBlank(bytes, at); at += 1) if (marks && (bytes[at] ?? 0) < DOUBTFUL) marks[at] = 0;
    if (at >= bytes.length || bytes[at] !== PERCENT) return at;
    if (marks) marks[at] = 0;
    while (at < bytes.length && bytes[at] !== CR && bytes[at] !== LF) at += 1;
  }
}

/** The offset after a string, whose parentheses are in pairs unless a backslash is before them. */
function afterString(bytes: Buffer, from: number): number {
  for (let at = from, depth = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === ROUND) depth += 1;
    else if (byte === ROUND_END) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}

/** The offset after a string in hexadecimal digits. Readers skip what is no digit. */
function afterHex(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== ANGLE_END) at += 1;
  return Math.min(at + 1, bytes.length);
}

/** The offset after the token at an offset. */
function afterToken(bytes: Buffer, from: number): number {
  const byte = bytes[from];
  const isTwice = bytes[from + 1] === byte;
  if (byte === ROUND) return afterString(bytes, from);
  if (byte === ANGLE) return isTwice ? from + 2 : afterHex(bytes, from);
  if (byte === ANGLE_END && isTwice) return from + 2;
  let at = from + 1;
  if (byte === SLASH || isRegular(bytes, from)) while (isRegular(bytes, at)) at += 1;
  return at;
}

/** Whether a dictionary or an array begins at an offset. */
export const isContainer = (bytes: Buffer, at: number): boolean =>
  bytes[at] === SQUARE || (bytes[at] === ANGLE && bytes[at + 1] === ANGLE);

interface ObjectEnd {
  /** The offset after the object. */
  readonly end: number;
  /** Whether the last key of a dictionary has no value. Some readers take the end of the dictionary for the value. */
  readonly lacksValue: boolean;
}

/** Where the object at an offset ends; undefined if what it opens is not closed in turn. */
export function objectEnd(bytes: Buffer, from: number): ObjectEnd | undefined {
  const open: number[] = [];
  let lacksValue = false;
  let isValue = false;
  for (let at = from; at < bytes.length; at = afterBlanks(bytes, at)) {
    const byte = bytes[at] ?? 0;
    const end = afterToken(bytes, at);
    if (isContainer(bytes, at)) open.push(byte);
    else if (byte === SQUARE_END) {
      if (open.pop() !== SQUARE) return undefined;
    } else if (byte === ANGLE_END && end === at + 2) {
      if (open.pop() !== ANGLE) return undefined;
      lacksValue ||= isValue;
    }
    if (open.length === 0) return { end, lacksValue };
    if (open.length > DEPTH_MAX) return undefined;
    isValue = byte === SLASH && !isValue;
    at = end;
  }
  return { end: bytes.length, lacksValue };
}

const NO_DIGIT = 16;
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (const [value, code] of codes('0123456789abcdef').entries()) DIGITS[code] = value;
for (const [value, code] of codes('ABCDEF').entries()) DIGITS[code] = value + 10;

/** The character of a name that is written as `#xx`; undefined if it would end the name. */
function escaped(bytes: Buffer, at: number): number | undefined {
  const high = DIGITS[bytes[at + 1] ?? 0] ?? NO_DIGIT;
  const low = DIGITS[bytes[at + 2] ?? 0] ?? NO_DIGIT;
  const code = high === NO_DIGIT || low === NO_DIGIT ? HASH : high * 16 + low;
  return KINDS[code] === REGULAR && code !== HASH ? code : undefined;
}

/**
 * Text in which patterns find names: without strings and comments, names are decoded, and blanks are single spaces, or
 * `\xff` if some readers take them for letters.
 */
export function plainText(bytes: Buffer, from = 0, to = bytes.length): string {
  const out = Buffer.allocUnsafe(to - from + 2);
  let length = 0;
  for (let at = from; at < to; ) {
    const next = Math.min(afterBlanks(bytes, at), to);
    if (next > at) out[length++] = SPACE;
    for (; at < next; at += 1) if ((bytes[at] ?? 0) >= DOUBTFUL) out[length - 1] = DOUBTFUL_BLANK;
    if (at === to) break;
    const end = Math.min(afterToken(bytes, at), to);
    const byte = bytes[at];
    if (byte === ROUND || (byte === ANGLE && !isContainer(bytes, at))) {
      out[length++] = ROUND;
      out[length++] = ROUND_END;
      at = end;
    }
    for (; at < end; at += 1) {
      const code = byte === SLASH && bytes[at] === HASH ? escaped(bytes, at) : undefined;
      out[length++] = code ?? bytes[at] ?? 0;
      if (code !== undefined) at += 2;
    }
  }
  return out.toString('latin1', 0, length);
}
