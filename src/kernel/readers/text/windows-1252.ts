/**
 * The meaning of the bytes 0x80-0x9F in Windows-1252. Each other byte is its code point. The decoders of some runtimes
 * read ISO-8859-1 instead, which turns the euro sign, dashes and curly quotes into control characters.
 *
 * U+FFFD stands for the five bytes without a character (81 8D 8F 90 9D). The WHATWG table maps them to control characters,
 * so that browsers never fail. Here such a byte proves that the text has another encoding, so the record is refused.
 * Source: Unicode consortium, CP1252.TXT.
 */
const HIGH_CONTROLS =
  '\u20ac\ufffd\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\ufffd\u017d\ufffd' +
  '\ufffd\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\ufffd\u017e\u0178';

const FIRST = 0x80;
const C1 = /[\u0080-\u009f]/;
const C1_ALL = /[\u0080-\u009f]/g;
const UNDEFINED_BYTE = /[\u0081\u008d\u008f\u0090\u009d]/;

/** Text of `bytes[from, to)`, one character per byte; a byte without a meaning becomes U+FFFD. */
export function decodeWindows1252(bytes: Buffer, from = 0, to = bytes.length): string {
  const text = bytes.toString('latin1', from, to);
  if (!C1.test(text)) return text;
  return text.replace(C1_ALL, (c) => HIGH_CONTROLS.charAt(c.charCodeAt(0) - FIRST));
}

/** Whether all bytes of `bytes[from, to)` have a character in Windows-1252. */
export function isWindows1252(bytes: Buffer, from = 0, to = bytes.length): boolean {
  return !UNDEFINED_BYTE.test(bytes.toString('latin1', from, to));
}
