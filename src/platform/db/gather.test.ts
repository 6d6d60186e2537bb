import { afterEach, expect, test, vi } from 'vitest';
import { gather } from './gather.ts';

const SERVICES = {};
/** Work whose rounds end when the test says so. */
function rounds() {
  const all: { readonly given: readonly number[]; readonly end: () => void }[] = [];
  const work = (_: object, given: readonly number[]): Promise<readonly string[]> =>
    new Promise((resolve) => {
      all.push({ given, end: () => resolve(given.map((number) => `done ${number}`)) });
    });
  return { work, given: () => all.map((round) => round.given), end: (at: number) => all[at]?.end };
}
afterEach(() => vi.useRealTimers());

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('callers of one turn share a round, the first do not wait, and those that come during their rounds share the next', async () => {
  const { work, given, end } = rounds();
  const [one, done] = [gather(work), [] as string[]];
  for (const numbers of [[1, 2], [3], [4], [5], [6]]) {
    for (const number of numbers) void one(SERVICES, number).then((out) => done.push(out));
    await settled();
  }
  expect(given()).toEqual([[1, 2], [3]]);
  end(0)?.();
  await settled();
  expect(given()).toEqual([[1, 2], [3], [4, 5, 6]]);
  expect(done).toEqual(['done 1', 'done 2']);
  end(2)?.();
  await settled();
  expect(done).toEqual(['done 1', 'done 2', 'done 4', 'done 5', 'done 6']);
});

test('a round that collects begins after its time, or when it is half full, also after another one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { work, given, end } = rounds();
  const one = gather(work, { collectMs: 50 });
  const call = async (...numbers: readonly number[]) => {
    for (const number of numbers) void one(SERVICES, number);
    await settled();
  };
  await call(1);
  await call(2);
  expect(given()).toEqual([]);
  vi.advanceTimersByTime(50);
  await settled();
  expect(given()).toEqual([[1, 2]]);
  const many = Array.from({ length: 32 }, (_, index) => index);
  await call(...many);
  await call(3);
  end(0)?.();
  await settled();
  expect(given()).toEqual([[1, 2], many]);
  vi.advanceTimersByTime(50);
  await settled();
  expect(given()).toEqual([[1, 2], many, [3]]);
});

test('a round has as many as it was told at most', async () => {
  const { work, given } = rounds();
  const one = gather(work, { most: 3 });
  for (const number of [1, 2, 3, 4]) void one(SERVICES, number);
  await settled();
  expect(given()).toEqual([[1, 2, 3], [4]]);
});

test('if a round fails, each of its callers is tried alone and fails alone', async () => {
  const tries: (readonly number[])[] = [];
  const one = gather<object, number, number>(async (_, all) => {
    tries.push(all);
    if (all.includes(2)) throw new Error('two');
    return all;
  });
  const ended = await Promise.allSettled([1, 2, 3].map((number) => one(SERVICES, number)));
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(tries).toEqual([[1, 2, 3], [1], [2], [3]]);
});

test('a caller that is tried alone holds up no round', async () => {
  const tries: (readonly number[])[] = [];
  const one = gather<object, number, number>(async (_, all, alone) => {
    tries.push(all);
    if (!all.includes(1)) return all;
    if (alone) await new Promise(() => undefined);
    throw new Error('one');
  });
  // More of them than there are rounds.
  for (let count = 0; count < 5; count += 1) {
    void one(SERVICES, 1);
    await settled();
  }
  expect(await one(SERVICES, 2)).toBe(2);
  expect(tries.at(-1)).toEqual([2]);
});
