import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../../test/support/any-text.ts';
import { encodeText, inChunks } from '../../../../test/support/text-files.ts';
import { type Utf16Name, utf8ToUtf16, utf16ToUtf8 } from './utf16.ts';

async function toUtf8(bytes: Buffer, encoding: Utf16Name, sizes: readonly number[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of utf16ToUtf8(inChunks(bytes, sizes), encoding)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const encodings = fc.constantFrom<Utf16Name>('utf-16le', 'utf-16be');
const sizes = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 });

test('text in chunks of any size is converted', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(), encodings, sizes, async (text, encoding, chunks) => {
      const utf8 = await toUtf8(encodeText(text, encoding), encoding, chunks);
      expect(utf8.toString('utf8')).toBe(text);
    }),
  );
});

test('any bytes can be restored, and only well-formed ones are accepted as UTF-8', async () => {
  const units = fc.array(fc.constantFrom(0x41, 0x0a, 0xe9, 0x4e00, 0xd83e, 0xdd98, 0xd800, 0xdfff, 0xfffd));
  await fc.assert(
    fc.asyncProperty(units, fc.boolean(), encodings, sizes, async (codes, odd, encoding, chunks) => {
      const text = String.fromCharCode(...codes);
      const bytes = Buffer.concat([encodeText(text, encoding), Buffer.from(odd ? [0x61] : [])]);
      const utf8 = await toUtf8(bytes, encoding, chunks);
      expect(utf8ToUtf16(utf8, encoding).equals(bytes)).toBe(true);
      expect(isUtf8(utf8)).toBe(text.isWellFormed() && !odd);
    }),
    { numRuns: 500 },
  );
});
