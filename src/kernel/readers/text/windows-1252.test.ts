import { expect, test } from 'vitest';
import { decodeWindows1252, isWindows1252 } from './windows-1252.ts';

test('0x80-0x9F are euro, quotes and dashes; bytes without a character are U+FFFD', () => {
  const high = Buffer.from(Array.from({ length: 32 }, (_, i) => 0x80 + i));
  expect(decodeWindows1252(high)).toBe('€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ');
});

test('everywhere else the byte is the code point', () => {
  for (let byte = 0; byte < 256; byte++) {
    if (byte >= 0x80 && byte <= 0x9f) continue;
    expect(decodeWindows1252(Buffer.from([byte]))).toBe(String.fromCharCode(byte));
  }
});

test('exactly five bytes are refused', () => {
  const refused = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => !isWindows1252(Buffer.from([byte])),
  );
  expect(refused).toEqual([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
});
