import { expect, test } from 'vitest';
import { createLanes, LaneBusy, LaneTimeout } from './lanes.ts';

const now = () => performance.now();
const soon = () => now() + 5_000;

/** Work that ends when the test calls its end. */
function held() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: resolve };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('work of one lane runs one after another, in order', async () => {
  const lanes = createLanes(8, now);
  const first = held();
  const order: string[] = [];
  const one = lanes.run({ lane: 'a', id: '1', deadline: soon() }, async () => {
    await first.work();
    order.push('1');
  });
  const others = ['2', '3'].map((id) =>
    lanes.run({ lane: 'a', id, deadline: soon() }, async () => {
      order.push(id);
    }),
  );
  await settle();
  expect(order).toEqual([]);
  first.end('');
  await Promise.all([one, ...others]);
  expect(order).toEqual(['1', '2', '3']);
});

test('a waiting lane does not block other lanes', async () => {
  const lanes = createLanes(2, now);
  const first = held();
  const one = lanes.run({ lane: 'a', id: '1', deadline: soon() }, first.work);
  const two = lanes.run({ lane: 'a', id: '2', deadline: soon() }, async () => 'two');
  expect(await lanes.run({ lane: 'b', id: '3', deadline: soon() }, async () => 'three')).toBe('three');
  first.end('one');
  expect(await Promise.all([one, two])).toEqual(['one', 'two']);
});

test('at most the total runs at the same time', async () => {
  const lanes = createLanes(3, now);
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      lanes.run({ lane: `lane ${index}`, id: `${index}`, deadline: soon() }, async () => {
        running += 1;
        most = Math.max(most, running);
        await settle();
        running -= 1;
      }),
    ),
  );
  expect(most).toBe(3);
});

test('work is refused while work with its id runs or waits, and accepted afterwards', async () => {
  const lanes = createLanes(8, now);
  const first = held();
  const one = lanes.run({ lane: 'a', id: '1', deadline: soon() }, first.work);
  const two = lanes.run({ lane: 'a', id: '2', deadline: soon() }, async () => 'two');
  await expect(lanes.run({ lane: 'a', id: '1', deadline: soon() }, first.work)).rejects.toThrow(LaneBusy);
  await expect(lanes.run({ lane: 'a', id: '2', deadline: soon() }, first.work)).rejects.toThrow(LaneBusy);
  first.end('one');
  await Promise.all([one, two]);
  expect(await lanes.run({ lane: 'a', id: '1', deadline: soon() }, async () => 'again')).toBe('again');
});

test('work that cannot start by its deadline fails, and work behind it still runs', async () => {
  const lanes = createLanes(8, now);
  const first = held();
  const one = lanes.run({ lane: 'a', id: '1', deadline: soon() }, first.work);
  const late = lanes.run({ lane: 'a', id: '2', deadline: now() + 10 }, async () => 'late');
  const three = lanes.run({ lane: 'a', id: '3', deadline: soon() }, async () => 'three');
  await expect(late).rejects.toThrow(LaneTimeout);
  first.end('one');
  expect(await Promise.all([one, three])).toEqual(['one', 'three']);
});

test('work that throws frees its lane', async () => {
  const lanes = createLanes(1, now);
  const failing = lanes.run({ lane: 'a', id: '1', deadline: soon() }, async () => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(await lanes.run({ lane: 'a', id: '1', deadline: soon() }, async () => 'next')).toBe('next');
});
