import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapAhead } from './map-ahead.ts';

async function* numbers(count: number, closed: () => void = () => undefined): AsyncGenerator<number> {
  try {
    for (let number = 1; number <= count; number += 1) yield number;
  } finally {
    closed();
  }
}
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('the order is that of the source, however long each item takes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (delays, ahead) => {
        const mapped = mapAhead(numbers(delays.length), ahead, async (number) => {
          await after(delays[number - 1] ?? 0);
          return number * 10;
        });
        expect(await Array.fromAsync(mapped)).toEqual(delays.map((_, index) => (index + 1) * 10));
      },
    ),
    { numRuns: 30 },
  );
});

test('no second item begins before the first has ended', async () => {
  const begun: number[] = [];
  const first = Promise.withResolvers<void>();
  const mapped = mapAhead(numbers(10), 2, async (number) => {
    begun.push(number);
    if (number === 1) await first.promise;
    return number;
  });
  const one = mapped.next();
  await after(5);
  expect(begun).toEqual([1]);
  first.resolve();
  await one;
  await after(5);
  expect(begun).toEqual([1, 2, 3]);
  await mapped.return(undefined);
});

test('at most the given number of items runs beside the current one', async () => {
  const begun: number[] = [];
  const mapped = mapAhead(numbers(10), 2, async (number) => {
    begun.push(number);
    return number;
  });
  await mapped.next();
  await after(5);
  expect(begun).toEqual([1, 2, 3]);
  await mapped.return(undefined);
});

test('a failure is thrown in the place of its item, and the source is closed', async () => {
  let closed = false;
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    const source = numbers(10, () => {
      closed = true;
    });
    const mapped = mapAhead(source, 3, async (number) => {
      if (number === 3) throw new Error('three');
      return number;
    });
    for await (const number of mapped) seen.push(number);
  };
  await expect(work()).rejects.toThrow('three');
  expect([seen, closed]).toEqual([[1, 2], true]);
});

test('a caller that stops early waits for the items in work', async () => {
  const ended: number[] = [];
  for await (const number of mapAhead(numbers(10), 2, async (one) => {
    await after(one * 2);
    ended.push(one);
    return one;
  }))
    if (number === 2) break;
  expect(ended).toEqual([1, 2, 3, 4]);
});
