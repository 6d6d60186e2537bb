import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('so many works run at the same time, and the others follow in their order, also after one that fails', async () => {
  const inTurn = atMost(2);
  const begun: number[] = [];
  const ends: ((failed?: Error) => void)[] = [];
  const all = [0, 1, 2, 3, 4].map((number) =>
    inTurn(() => {
      begun.push(number);
      return new Promise<number>((resolve, reject) => {
        ends[number] = (failed) => (failed === undefined ? resolve(number) : reject(failed));
      });
    }),
  );
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]?.(new Error('one'));
  await expect(all[1]).rejects.toThrow('one');
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await settled();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[3]?.();
  ends[4]?.();
  const after = inTurn(async () => 5);
  expect(await Promise.all([all[0], all[2], all[3], all[4], after])).toEqual([0, 2, 3, 4, 5]);
});
