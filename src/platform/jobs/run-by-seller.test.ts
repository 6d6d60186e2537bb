import { expect, test } from 'vitest';
import { runBySeller } from './run-by-seller.ts';

interface Item {
  readonly id: string;
  readonly seller_id: string | null;
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const many = Array.from({ length: 60 }, (_, index) => ({
  id: String(index),
  seller_id: `slr_${index % 12}`,
}));

test('the work of a seller runs one after another, in order', async () => {
  const running = new Set<string | null>();
  const done: Item[] = [];
  let most = 0;
  await runBySeller(many, async (one) => {
    expect(running.has(one.seller_id)).toBe(false);
    running.add(one.seller_id);
    most = Math.max(most, running.size);
    await turn();
    running.delete(one.seller_id);
    done.push(one);
  });
  expect(done).toHaveLength(60);
  for (let seller = 0; seller < 12; seller += 1) {
    const ids = done.filter(({ seller_id }) => seller_id === `slr_${seller}`).map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  }
  expect(most).toBe(6);
});

test('works of a seller with lanes run side by side, those of one lane and those without one in order', async () => {
  const events: string[] = [];
  const lanes = ['a', 'b', 'a', undefined, 'b', 'a'];
  await runBySeller(
    lanes.map((lane, index) => ({ id: String(index), seller_id: 'slr_1', lane })),
    async ({ id }) => {
      events.push(`begin ${id}`);
      await turn();
      events.push(`end ${id}`);
    },
  );
  const at = (event: string): number => events.indexOf(event);
  const inOrder = [
    ['begin 1', 'end 0'],
    ['end 0', 'begin 2'],
    ['end 1', 'begin 3'],
    ['end 2', 'begin 3'],
    ['end 3', 'begin 4'],
    ['begin 5', 'end 4'],
  ] as const;
  for (const [first, second] of inOrder) expect([first, at(first) < at(second)]).toEqual([first, true]);
  expect(events).toHaveLength(12);
});

test('one seller runs in three lanes at most, beside the others', async () => {
  const running: Item[] = [];
  const most = new Map<string | null, number>();
  const items = Array.from({ length: 40 }, (_, index) => ({
    ...{ id: String(index), lane: String(index) },
    seller_id: index < 30 ? 'big' : 'small',
  }));
  let together = 0;
  await runBySeller(items, async (one) => {
    running.push(one);
    const own = running.filter(({ seller_id }) => seller_id === one.seller_id).length;
    most.set(one.seller_id, Math.max(own, most.get(one.seller_id) ?? 0));
    together = Math.max(together, running.length);
    await turn();
    running.splice(running.indexOf(one), 1);
  });
  expect([...most]).toEqual([
    ['big', 3],
    ['small', 3],
  ]);
  expect(together).toBe(6);
});

test('a failure ends the work after what is running', async () => {
  let begun = 0;
  let ended = 0;
  const work = async (one: Item): Promise<void> => {
    begun += 1;
    await turn();
    ended += 1;
    if (one.id === '3') throw new Error('away');
  };
  await expect(runBySeller(many, work)).rejects.toThrow('away');
  expect(ended).toBe(begun);
  expect(begun).toBeLessThan(60);
});

test('an empty list succeeds', async () => {
  await expect(runBySeller([], () => Promise.reject(new Error('never')))).resolves.toBeUndefined();
});
