import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { encodeText, inChunks, joined, repeated } from '../../../test/support/text-files.ts';
import type { TextEncodingName } from './records.ts';
import { sniffEncoding } from './sniff-encoding.ts';

const sniff = (bytes: Buffer | string, sizes: readonly number[] = [1 << 16]) =>
  sniffEncoding(inChunks(Buffer.from(bytes), sizes));

describe('encoding', () => {
  test.each<TextEncodingName>(['utf-8', 'utf-16le', 'utf-16be'])(
    'the mark of %s decides',
    async (encoding) => {
      expect(await sniff(encodeText('\ufeffsku,ä', encoding))).toEqual({
        encoding,
        bom: true,
        guessed: false,
      });
    },
  );

  test('a mark decides even when bytes behind it are wrong', async () => {
    expect(await sniff(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]))).toMatchObject({
      encoding: 'utf-8',
      bom: true,
    });
  });

  test.each<TextEncodingName>(['utf-16le', 'utf-16be'])(
    '%s without a mark is known by its NULs',
    async (encoding) => {
      const chinese = `sku,title,price\n${'A-1,厨房用平底锅一个,19.95\n'.repeat(50)}`;
      for (const text of ['sku,title\nA-1,Pan\n', chinese, 'ab']) {
        expect(await sniff(encodeText(text, encoding))).toEqual({ encoding, bom: false, guessed: true });
      }
    },
  );

  test('UTF-8 with a stray NUL stays UTF-8', async () => {
    expect(await sniff('sku,title\nA-1,P\0an\n')).toEqual({ encoding: 'utf-8', bom: false, guessed: false });
  });

  test('ASCII, strict UTF-8 and an empty file are UTF-8 without a guess', async () => {
    for (const text of ['', 'sku\n', 'Größe 🦘']) {
      expect(await sniff(text)).toEqual({ encoding: 'utf-8', bom: false, guessed: false });
    }
  });

  test('no valid multi-byte sequence at all means Windows-1252', async () => {
    const bytes = encodeText('Größe – 5 € …', 'windows-1252');
    expect(await sniff(bytes)).toEqual({ encoding: 'windows-1252', bom: false, guessed: true });
  });

  test('one valid sequence in a file with bad bytes keeps it UTF-8, wherever they stand', async () => {
    const bad = Buffer.from([0xe9, 0x2c]);
    const good = Buffer.from('é,');
    const filler = () => repeated('plain,text\n', 30_000);
    for (const source of [joined([bad], filler(), [good]), joined([good], filler(), [bad])]) {
      expect(await sniffEncoding(source)).toEqual({ encoding: 'utf-8', bom: false, guessed: true });
    }
  });

  test('overlong forms, surrogates and a sequence cut off at the end are no UTF-8', async () => {
    for (const bytes of [
      [0xc0, 0xaf],
      [0xe0, 0x80, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xe2, 0x82],
    ]) {
      expect((await sniff(Buffer.from(bytes), [1])).encoding).toBe('windows-1252');
    }
  });

  test('chunks of other sizes give the same encoding', async () => {
    const part = fc.oneof(
      anyText({ maxLength: 6 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    );
    const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), sizes, async (parts, chunks) => {
        const bytes = Buffer.concat(parts);
        expect(await sniff(bytes, chunks)).toEqual(await sniff(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('any text is recognised as UTF-8, and Latin text in Windows-1252 is distinguished from it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(await sniff(`sku,${text}`)).toMatchObject({ encoding: 'utf-8', guessed: false });
      }),
    );
    const latin = fc.stringMatching(/^[a-z]{1,5}[äöüéèß–’€] [a-z]{0,5}$/);
    await fc.assert(
      fc.asyncProperty(latin, async (text) => {
        expect((await sniff(encodeText(text, 'windows-1252'))).encoding).toBe('windows-1252');
      }),
    );
  });
});

describe('files that are no text', () => {
  test.each([
    ['gzip', gzipSync('sku\n')],
    ['zip', Buffer.from('PK\x03\x04rest')],
    ['ole', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['pdf', '%PDF-1.7'],
    ['html', '\ufeff\n <!DOCTYPE html><html>'],
    ['html', '<html lang="en">'],
    ['xml', '<?xml version="1.0"?>'],
    ['utf-32', Buffer.from('0000feff00000061', 'hex')],
  ])('%s is named', async (magic, bytes) => {
    expect((await sniff(Buffer.from(bytes))).magic).toBe(magic);
  });

  test('HTML in a cell and a column called html are text', async () => {
    for (const text of ['html,title\n', 'sku,<html>\n', '<htmlish>,a']) {
      expect((await sniff(text)).magic).toBeUndefined();
    }
  });
});

const samples = new URL('../../../../shared/samples/', import.meta.url);

describe.skipIf(!existsSync(samples))('real files', () => {
  test.each([
    ['marketplace-amazon/us-active-listings-cp1252-1787rows.txt', 'windows-1252'],
    ['handmade-etsy/it-ceramics-27rows.csv', 'utf-8'],
    ['store-platform-shopify/lifemademagic-export-4088rows.csv', 'utf-8'],
  ])('%s is %s', async (path, encoding) => {
    expect((await sniff(readFileSync(new URL(path, samples)))).encoding).toBe(encoding);
  });
});
