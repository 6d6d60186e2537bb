import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { gif, jpeg, png, webp } from '../../../../../test/support/images.ts';
import { readImage } from '../../../../kernel/images/read-image.ts';
import { checkImage } from './check-image.ts';

const SAMPLES = [
  ['image/png', png],
  ['image/jpeg', jpeg],
  ['image/gif', gif],
  ['image/webp', webp],
] as const;

describe.each(SAMPLES)('%s', (content_type, make) => {
  it('is recognised, with its dimensions', () => {
    expect(readImage(make(321, 123))).toEqual({ content_type, width: 321, height: 123, frames: 1 });
  });

  it('is refused when it is cut off at any byte', () => {
    const whole = make();
    for (let length = 12; length < whole.length; length += 1) {
      expect(typeof readImage(whole.subarray(0, length)), `${length} bytes`).toBe('string');
    }
  });

  it('may have zeros after its end, as some cameras write them, but no other data', () => {
    const whole = make();
    expect(readImage(Buffer.concat([whole, Buffer.alloc(16)]))).toMatchObject({ content_type });
    for (const tail of ['<script>alert(1)</script>', 'PK\x03\x04', '%PDF-1.7']) {
      expect(readImage(Buffer.concat([whole, Buffer.from(tail, 'latin1')]))).toBe('image_trailing_bytes');
    }
  });

  it('is refused when the Content-Type names another type', () => {
    const other = content_type === 'image/png' ? 'image/gif' : 'image/png';
    expect(checkImage(make(), other)).toMatchObject({ code: 'image_type_mismatch' });
    expect(checkImage(make(), content_type)).toMatchObject({ content_type });
  });
});

test('a JPEG may have others behind it that it lists, such as its gain map, and nothing behind those', () => {
  const list = Buffer.from('\xff\xe2\0\x06MPF\0', 'latin1');
  const listed = Buffer.concat([jpeg(30, 20).subarray(0, 2), list, jpeg(30, 20).subarray(2)]);
  const several = [listed, Buffer.alloc(2), jpeg(3, 2), jpeg(3, 2)];
  expect(readImage(Buffer.concat(several))).toMatchObject({ width: 30, height: 20 });
  const cut = jpeg().subarray(0, -1);
  for (const tail of [Buffer.from('PK\x03\x04'), cut, png()])
    expect(readImage(Buffer.concat([...several, tail]))).toBe('image_trailing_bytes');
});

test.each([
  ['SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['BMP', 'BM\0\0\0\0'],
  ['a program that begins like a GIF', 'GIF89a/*'],
  ['an empty file', ''],
])('%s is not an image', (_name, text) => {
  expect(typeof readImage(Buffer.from(text, 'latin1'))).toBe('string');
});

test('a script that begins with the signature of a GIF is refused', () => {
  const script = Buffer.from(`GIF89a/*${'\0'.repeat(8)}*/=1;alert(document.cookie)//`, 'latin1');
  expect(readImage(script)).toBe('image_truncated');
});

test('a PNG with a changed byte is refused, because a checksum is wrong', () => {
  const bytes = png();
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  expect(readImage(bytes)).toBe('image_truncated');
});

test.each([
  ['one pixel', png(1, 1), 'image_too_small'],
  ['a narrow strip', png(4000, 10), 'image_too_small'],
  ['a side that is too long', png(60_000, 60_000, { width: 1, height: 1 }), 'image_too_large'],
  ['too many pixels', png(11_000, 11_000, { width: 1, height: 1 }), 'image_too_large'],
])('a PNG whose header states %s is refused with any data', (_name, bytes, code) => {
  expect(checkImage(bytes, 'image/png')).toMatchObject({ code });
});

test('the pixels of an animation are those of all its frames', () => {
  expect(checkImage(gif(6_000, 6_000, 10), 'image/gif')).toMatchObject({ frames: 10 });
  expect(checkImage(gif(6_000, 6_000, 20), 'image/gif')).toMatchObject({ code: 'image_too_large' });
});

test('random bytes after a valid signature do not make the reader throw', () => {
  const signatures = SAMPLES.map(([, make]) => make().subarray(0, 12));
  fc.assert(
    fc.property(fc.constantFrom(...signatures), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      const image = readImage(Buffer.concat([start, rest]));
      expect(['string', 'object']).toContain(typeof image);
    }),
    { numRuns: 2_000 },
  );
});

test('ten megabytes of coded data are read in linear time', () => {
  const stuffed = Buffer.alloc(10 * 1024 * 1024, Buffer.from([0xff, 0x00]));
  const bytes = Buffer.concat([jpeg().subarray(0, -2), stuffed, Buffer.from([0xff, 0xd9])]);
  // Reading them in quadratic time would take minutes: the test would time out.
  expect(readImage(bytes)).toMatchObject({ content_type: 'image/jpeg' });
});
