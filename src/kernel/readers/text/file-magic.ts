/** Kinds of file that people upload by mistake instead of text. */
export type FileMagic = 'gzip' | 'zip' | 'ole' | 'pdf' | 'png' | 'jpeg' | 'rtf' | 'html' | 'xml' | 'utf-32';

/** First bytes, in Latin-1. `zip` includes xlsx and ods, `ole` the old xls. */
const SIGNATURES: readonly (readonly [string, FileMagic])[] = [
  ['\x1f\x8b', 'gzip'],
  ['PK\x03\x04', 'zip'],
  ['PK\x05\x06', 'zip'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'ole'],
  ['%PDF-', 'pdf'],
  ['\x89PNG\r\n', 'png'],
  ['\xff\xd8\xff', 'jpeg'],
  ['{\\rtf', 'rtf'],
  ['\x00\x00\xfe\xff', 'utf-32'],
  ['\xff\xfe\x00\x00', 'utf-32'],
];

const MARKUP: readonly (readonly [RegExp, FileMagic])[] = [
  [/^<(!doctype html|html|head|body)\b/i, 'html'],
  [/^<\?xml\b/i, 'xml'],
];

/** The kind of a file by its first bytes; undefined for text. */
export function fileMagic(head: Buffer): FileMagic | undefined {
  const text = head.subarray(0, 1024).toString('latin1');
  const signature = SIGNATURES.find(([bytes]) => text.startsWith(bytes));
  if (signature !== undefined) return signature[1];
  const markup = text.replace(/^(\xef\xbb\xbf)?[ \t\r\n]*/, '');
  return MARKUP.find(([pattern]) => pattern.test(markup))?.[1];
}
