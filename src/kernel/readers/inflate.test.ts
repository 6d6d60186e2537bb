import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inChunks } from '../../../test/support/text-files.ts';
import { inflateLimited } from './inflate.ts';
import type { ByteSource } from './records.ts';

async function inflate(source: ByteSource, maxBytes = 1 << 20): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of inflateLimited(source, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('one or several gzip members, in chunks of any size, give the original bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 3 }),
      async (parts, sizes) => {
        const packed = Buffer.concat(parts.map((part) => gzipSync(part)));
        expect((await inflate(inChunks(packed, sizes))).equals(Buffer.concat(parts))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

describe('refused as gzip_invalid', () => {
  const good = gzipSync('sku,title\nA1,Pan\n');
  const flipped = Buffer.from(good);
  flipped[good.length - 6] = (flipped[good.length - 6] ?? 0) ^ 1;
  test.each([
    ['plain text', [Buffer.from('sku,title\n')]],
    ['nothing', []],
    ['a header alone', [good.subarray(0, 10)]],
    ['a file cut short', [good.subarray(0, -1)]],
    ['a wrong checksum', [flipped]],
    ['garbage behind the end', [Buffer.concat([good, Buffer.from('x')])]],
    ['garbage in a later chunk', [good, Buffer.from('xyz')]],
    ['the beginning of another member', [good, good.subarray(0, 2)]],
    ['garbage behind NULs', [Buffer.concat([good, Buffer.alloc(4), Buffer.from('x')])]],
    ['garbage behind NULs in later chunks', [good, Buffer.alloc(4), Buffer.from('x')]],
  ])('%s', async (_name, chunks) => {
    await expect(inflate(chunks)).rejects.toMatchObject({ name: 'FeedFileError', code: 'gzip_invalid' });
  });
});

describe('limit', () => {
  test('exactly the limit passes, one byte more does not', async () => {
    const packed = gzipSync(Buffer.alloc(1000));
    expect(await inflate([packed], 1000)).toHaveLength(1000);
    await expect(inflate([packed], 999)).rejects.toMatchObject({ code: 'feed_too_large' });
  });

  test('a bomb is stopped within a chunk of the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    let out = 0;
    const run = async () => {
      for await (const chunk of inflateLimited([bomb, bomb, bomb], 1_000_000)) out += chunk.length;
    };
    await expect(run()).rejects.toMatchObject({ code: 'feed_too_large' });
    expect(out).toBeLessThanOrEqual(1_000_000);
  });
});

test('errors of the source pass through', async () => {
  async function* broken() {
    yield gzipSync('x').subarray(0, 5);
    throw new Error('connection lost');
  }
  await expect(inflate(broken())).rejects.toThrow('connection lost');
});

test('leaving early closes the source', async () => {
  let closed: () => void = () => {};
  const wasClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  async function* endless() {
    try {
      for (;;) yield gzipSync(Buffer.alloc(100_000));
    } finally {
      closed();
    }
  }
  for await (const chunk of inflateLimited(endless(), 1 << 30)) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  await wasClosed;
});
