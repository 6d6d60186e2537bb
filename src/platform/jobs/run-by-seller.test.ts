import { expect, test } from 'vitest';
import { applyBySeller } from './apply-by-seller.ts';
import type { Envelope } from './envelope.ts';

const event = (id: string, seller_id: string | null): Envelope => ({
  id,
  source: '/test',
  type: 'test',
  subject: null,
  seller_id,
  time: null,
  object_version: null,
  data: {},
  digest: Buffer.alloc(0),
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const many = Array.from({ length: 60 }, (_, index) => event(String(index), `slr_${index % 12}`));

test('events of a seller run one after another, in order', async () => {
  const running = new Set<string | null>();
  const done: Envelope[] = [];
  let most = 0;
  await applyBySeller(many, async (one) => {
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

test('a failure ends the batch after the running events', async () => {
  let begun = 0;
  let ended = 0;
  const work = async (one: Envelope): Promise<void> => {
    begun += 1;
    await turn();
    ended += 1;
    if (one.id === '3') throw new Error('away');
  };
  await expect(applyBySeller(many, work)).rejects.toThrow('away');
  expect(ended).toBe(begun);
  expect(begun).toBeLessThan(60);
});

test('an empty batch succeeds', async () => {
  await expect(applyBySeller([], () => Promise.reject(new Error('never')))).resolves.toBeUndefined();
});
