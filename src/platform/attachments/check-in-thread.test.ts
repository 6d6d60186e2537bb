import { expect, test } from 'vitest';
import { pdfOf } from '../../../test/support/kyc.ts';
import { checkInThread } from './check-in-thread.ts';

const WANTED = { use: 'conversation', stated: undefined, sideMin: 0 } as const;

test('the answers of others do not wait while a file is checked', async () => {
  const slow = pdfOf(`1 0 obj ${'%\n'.repeat(5_000_000)}`);
  const begin = performance.now();
  let last = begin;
  let longest = 0;
  const ticks = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const result = await checkInThread('slr_1', slow, WANTED);
  clearInterval(ticks);
  expect(result).toMatchObject({ content_type: 'application/pdf' });
  expect(longest).toBeLessThan((performance.now() - begin) / 2);
  // The bytes are still the sender's.
  expect(slow.subarray(0, 5).toString()).toBe('%PDF-');
});

test('small files of several sellers share the threads', async () => {
  const texts = Array.from({ length: 6 }, (_, index) => Buffer.from(`text ${index}`));
  const results = await Promise.all(
    texts.map((bytes, index) => checkInThread(`slr_${index}`, bytes, WANTED)),
  );
  expect(results).toEqual(
    texts.map(() => expect.objectContaining({ content_type: 'text/plain', copy: undefined })),
  );
  expect(await checkInThread('slr_1', Buffer.from('MZ\0'), WANTED)).toEqual({ detected: expect.any(String) });
});

test('a file that uses too much processor time is refused; one that the busy machine did not get to is 503', async () => {
  const slow = pdfOf(`1 0 obj ${'%\n'.repeat(5_000_000)}`);
  const check = (processorMs: number) => checkInThread('slr_1', slow, WANTED, { ms: 1, processorMs });
  expect(await check(-1)).toBe('attachment_unreadable');
  await expect(check(60_000)).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    headers: { 'retry-after': '5' },
  });
});
