import { describe, expect, test } from 'vitest';
import type { QueuedRow } from '../store/queue.ts';
import { EndpointQueue } from './endpoint-queue.ts';

const row = (object: string, sequence: number, more: Partial<QueuedRow> = {}): QueuedRow => ({
  delivery_id: `dlv_${object}${sequence}`,
  endpoint_id: 'whe_1',
  attempts: 0,
  step: 0,
  test: false,
  test_event: null,
  expired: false,
  due_at: '2026-06-28T01:00:00.000Z',
  event_id: `evt_${sequence}`,
  type: 'product.updated',
  sequence: BigInt(sequence),
  seller_id: 'slr_1',
  object_id: object,
  object_version: sequence,
  created_at: '2026-06-28T01:00:00.000Z',
  data: '{}',
  correlation: null,
  ...more,
});
const queueOf = (
  rows: readonly QueuedRow[],
  blocked: readonly (readonly [string, bigint])[] = [],
  ordered = true,
) => {
  const queue = new EndpointQueue();
  queue.block(blocked);
  const added = rows.map((one) => queue.add(one, ordered, true));
  return { queue, added };
};
const takeAll = (queue: EndpointQueue): string[] => {
  const ids: string[] = [];
  for (let one = queue.take(); one !== undefined; one = queue.take()) ids.push(one.delivery_id);
  return ids;
};

describe('with an order per object', () => {
  test('deliveries of one object are sent one after another, deliveries of several objects in parallel', () => {
    const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
    const { queue } = queueOf([a1, a2, b3]);
    expect(takeAll(queue)).toEqual(['dlv_a1', 'dlv_b3']);
    expect([queue.attempting, queue.waiting]).toEqual([2, 1]);
    queue.finish(a1, 'done', true);
    expect(takeAll(queue)).toEqual(['dlv_a2']);
  });

  test('an earlier event is sent first, even if its delivery is added later', () => {
    const { queue } = queueOf([row('a', 5), row('a', 2)]);
    expect(queue.take()?.delivery_id).toBe('dlv_a2');
  });

  test('deliveries behind a failed one are parked, and are taken again after it has succeeded', () => {
    const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
    const { queue } = queueOf([a1, a2, b3]);
    takeAll(queue);
    expect(queue.finish(a1, 'retry', true)).toEqual({ parked: [a2], freed: false });
    expect(queue.add(row('a', 4), true, false)).toBe('parked');
    expect(takeAll(queue)).toEqual([]);
    queue.release(a1.delivery_id);
    expect(queue.add(a1, true, true)).toBe('taken');
    expect(takeAll(queue)).toEqual(['dlv_a1']);
    expect(queue.finish(a1, 'done', true)).toEqual({ parked: [], freed: true });
    queue.objectIsFreed('a');
    queue.beginRead();
    expect(queue.add(a2, true, true)).toBe('taken');
    queue.endRead();
    expect(takeAll(queue)).toEqual(['dlv_a2']);
  });

  test('no newer delivery is taken before the freed deliveries of its object are read', () => {
    const [a1, a2] = [row('a', 1), row('a', 2)];
    const { queue } = queueOf([a1, a2]);
    takeAll(queue);
    queue.finish(a1, 'retry', true);
    queue.release(a1.delivery_id);
    queue.add(a1, true, true);
    takeAll(queue);
    queue.finish(a1, 'done', true);
    // Event 3 is new, and event 4 is read as due, but the write that frees event 2 is not committed yet.
    expect(queue.add(row('a', 3), true, false)).toBe('left');
    queue.beginRead();
    expect(queue.add(row('a', 4), true, true)).toBe('left');
    queue.endRead();
    // Event 2 is freed. It is not read yet, so event 5 must not be sent.
    queue.objectIsFreed('a');
    expect(queue.add(row('a', 5), true, false)).toBe('left');
    // This read finds event 2. Event 6 is made at the same time, so another read is needed.
    queue.beginRead();
    expect([queue.add(a2, true, true), queue.add(row('a', 6), true, false)]).toEqual(['taken', 'left']);
    queue.endRead();
    expect(queue.add(row('a', 7), true, false)).toBe('left');
    // The second read finds all events that were left. After it, a new event is taken.
    queue.beginRead();
    for (const sequence of [3, 4, 5, 6, 7]) expect(queue.add(row('a', sequence), true, true)).toBe('taken');
    queue.endRead();
    expect(queue.add(row('a', 8), true, false)).toBe('taken');
    const sent: string[] = [];
    for (let one = queue.take(); one !== undefined; one = queue.take()) {
      sent.push(one.delivery_id);
      queue.finish(one, 'done', true);
    }
    expect(sent).toEqual([2, 3, 4, 5, 6, 7, 8].map((number) => `dlv_a${number}`));
  });

  test('a delivery that is added after the failed event has ended is not parked again', () => {
    const [a1, a2, a3] = [row('a', 1), row('a', 2), row('a', 3)];
    const { queue } = queueOf([], [['a', 1n]]);
    queue.add(a1, true, true);
    takeAll(queue);
    expect(queue.finish(a1, 'done', true).freed).toBe(true);
    // If event 2 were parked now, the next read would not find it, and event 3 would be sent before it.
    expect(queue.add(a2, true, true)).toBe('left');
    queue.objectIsFreed('a');
    queue.beginRead();
    expect([queue.add(a2, true, true), queue.add(a3, true, true)]).toEqual(['taken', 'taken']);
    queue.endRead();
    expect(takeAll(queue)).toEqual(['dlv_a2']);
  });

  test('an object is not stuck when its only waiting delivery was parked while the order was switched on', () => {
    const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
    const { queue } = queueOf([a1], [], false);
    queue.take();
    // The seller switches the order on while the delivery of event 1 is sent.
    queue.drop();
    queue.add(a2, true, true);
    queue.add(b3, true, true);
    expect(queue.finish(a1, 'retry', true).parked).toEqual([a2]);
    expect(takeAll(queue)).toEqual(['dlv_b3']);
    queue.release(a1.delivery_id);
    expect(queue.add(a1, true, true)).toBe('taken');
    expect(takeAll(queue)).toEqual(['dlv_a1']);
  });

  test('an object that an earlier worker has blocked stays blocked', () => {
    const { added, queue } = queueOf([row('a', 7), row('a', 5), row('b', 8)], [['a', 5n]]);
    expect(added).toEqual(['parked', 'taken', 'taken']);
    expect(takeAll(queue)).toEqual(['dlv_a5', 'dlv_b8']);
  });

  test('an attempt that fails while the blocked objects are loaded still blocks its object', () => {
    const [a1, b2] = [row('a', 1), row('b', 2)];
    const { queue } = queueOf([a1, b2]);
    takeAll(queue);
    queue.drop();
    queue.finish(a1, 'retry', true);
    queue.finish(b2, 'retry', true);
    // The statement has read the database before the two results were written there.
    queue.block(new Map([['b', 1n]]));
    expect([queue.blocked, queue.add(row('a', 3), true, false)]).toEqual([
      new Map([
        ['a', 1n],
        ['b', 1n],
      ]),
      'parked',
    ]);
  });

  test('a failed event blocks its object until its result is written', () => {
    const [a1, b2] = [row('a', 1), row('b', 2)];
    const { queue } = queueOf([a1, b2]);
    takeAll(queue);
    for (const failed of [a1, b2]) queue.finish(failed, 'retry', true);
    // Only the result of event 2 is written, so the database knows only that event.
    queue.release(b2.delivery_id);
    queue.drop();
    queue.block(new Map([['b', 2n]]));
    expect([queue.add(row('a', 3), true, true), queue.add(row('b', 4), true, true)]).toEqual([
      'parked',
      'parked',
    ]);
    // Now the database knows event 1 as well.
    queue.release(a1.delivery_id);
    queue.drop();
    expect(queue.blocked.size).toBe(0);
  });

  test('an object stays blocked until a failed event and a failed replay of an earlier one have both succeeded', () => {
    const [a1, a2] = [row('a', 1), row('a', 2)];
    const { queue } = queueOf([a2]);
    takeAll(queue);
    queue.finish(a2, 'retry', true);
    queue.release(a2.delivery_id);
    // Event 1 was delivered before. The seller replays it, and the replay fails too.
    queue.add(a1, true, true);
    takeAll(queue);
    queue.finish(a1, 'retry', true);
    queue.release(a1.delivery_id);
    expect(queue.add(a2, true, true)).toBe('parked');
    // The replay succeeds. Event 2 is sent next, and event 3 waits for it.
    queue.add(a1, true, true);
    takeAll(queue);
    expect(queue.finish(a1, 'done', true).freed).toBe(true);
    queue.objectIsFreed('a');
    queue.beginRead();
    expect([queue.add(row('a', 3), true, true), queue.add(a2, true, true)]).toEqual(['parked', 'taken']);
    queue.endRead();
    takeAll(queue);
    expect([queue.blocked.get('a'), queue.finish(a2, 'done', true).freed]).toEqual([2n, true]);
  });

  test('after the order is switched on, events also wait for deliveries that were sent before', () => {
    const [a1, a2] = [row('a', 1), row('a', 2)];
    const { queue } = queueOf([a1, a2], [], false);
    takeAll(queue);
    queue.finish(a2, 'retry', true);
    queue.finish(a1, 'retry', true);
    expect(queue.blocked).toEqual(new Map([['a', 1n]]));
    expect(queue.add(row('a', 3), true, false)).toBe('parked');
  });

  test('the end of a failed event frees the deliveries behind it only once', () => {
    const { queue } = queueOf([], [['a', 5n]]);
    expect([
      queue.eventHasEnded('a', 4n),
      queue.eventHasEnded('a', 5n),
      queue.eventHasEnded('a', 5n),
    ]).toEqual([false, true, false]);
    expect([queue.freedObjects, queue.blocked.size]).toEqual([['a'], 0]);
  });

  test('test events do not wait for other deliveries', () => {
    const { queue } = queueOf([row('a', 1), row('a', 0, { delivery_id: 'dlv_t', test: true })]);
    expect(takeAll(queue)).toEqual(['dlv_a1', 'dlv_t']);
  });
});

test('without an order all deliveries are sent in parallel, and a failure blocks none', () => {
  const [a1, a2] = [row('a', 1), row('a', 2)];
  const { queue } = queueOf([a1, a2], [], false);
  expect(takeAll(queue)).toEqual(['dlv_a1', 'dlv_a2']);
  expect(queue.finish(a1, 'retry', false)).toEqual({ parked: [], freed: false });
  expect(queue.add(row('a', 3), false, false)).toBe('taken');
  expect(queue.add(row('a', 4), true, false)).toBe('taken');
});

test('a delivery that is added twice is sent once', () => {
  const a1 = row('a', 1);
  const { queue } = queueOf([a1, a1], [], false);
  expect(takeAll(queue)).toEqual(['dlv_a1']);
  expect([queue.add(a1, false, true), queue.waiting]).toEqual(['taken', 0]);
  queue.finish(a1, 'done', true);
  queue.release(a1.delivery_id);
  expect(queue.isEmpty).toBe(true);
});

test('after a drop the queue has only the running attempts', () => {
  const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
  const { queue } = queueOf([a1, a2, b3]);
  queue.take();
  queue.drop();
  expect([queue.ids, queue.waiting, takeAll(queue)]).toEqual([['dlv_a1'], 0, []]);
  queue.finish(a1, 'done', true);
  queue.release(a1.delivery_id);
  expect(queue.isEmpty).toBe(true);
});
