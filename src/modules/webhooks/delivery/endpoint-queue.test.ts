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
  held: readonly (readonly [string, bigint])[] = [],
  ordered = true,
) => {
  const queue = new EndpointQueue();
  queue.block(held);
  const taken = rows.map((one) => queue.add(one, ordered, true));
  return { queue, taken };
};
const takeAll = (queue: EndpointQueue): string[] => {
  const ids: string[] = [];
  for (let one = queue.take(); one !== undefined; one = queue.take()) ids.push(one.delivery_id);
  return ids;
};

describe('with an order per object', () => {
  test('one delivery of an object is sent at a time, of several objects side by side', () => {
    const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
    const { queue } = queueOf([a1, a2, b3]);
    expect(takeAll(queue)).toEqual(['dlv_a1', 'dlv_b3']);
    expect([queue.attempting, queue.waiting]).toEqual([2, 1]);
    queue.finish(a1, 'done', true);
    expect(takeAll(queue)).toEqual(['dlv_a2']);
  });

  test('an earlier one that comes later still goes first', () => {
    const { queue } = queueOf([row('a', 5), row('a', 2)]);
    expect(queue.take()?.delivery_id).toBe('dlv_a2');
  });

  test('what waits behind a failed one is given back, and comes again when that is done', () => {
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

  test('nothing new passes those that were freed until they are read', () => {
    const [a1, a2] = [row('a', 1), row('a', 2)];
    const { queue } = queueOf([a1, a2]);
    takeAll(queue);
    queue.finish(a1, 'retry', true);
    queue.release(a1.delivery_id);
    queue.add(a1, true, true);
    takeAll(queue);
    queue.finish(a1, 'done', true);
    // Made meanwhile, and read before those are freed: they are due, and stay as they are.
    const fresh = row('a', 3);
    expect(queue.add(fresh, true, false)).toBe('left');
    queue.beginRead();
    expect(queue.add(row('a', 4), true, true)).toBe('left');
    queue.endRead();
    queue.objectIsFreed('a');
    expect(queue.add(row('a', 5), true, false)).toBe('left');
    queue.beginRead();
    expect([queue.add(a2, true, true), queue.add(row('a', 6), true, false)]).toEqual(['taken', 'left']);
    // A new delivery has come that was not read yet: everything due is read once more.
    queue.endRead();
    expect(queue.add(row('a', 7), true, false)).toBe('left');
    queue.beginRead();
    for (const late of [fresh, row('a', 4), row('a', 5), row('a', 6), row('a', 7)])
      expect(queue.add(late, true, true)).toBe('taken');
    queue.endRead();
    expect(queue.add(row('a', 8), true, false)).toBe('taken');
    const sent: string[] = [];
    for (let one = queue.take(); one !== undefined; one = queue.take()) {
      sent.push(one.delivery_id);
      queue.finish(one, 'done', true);
    }
    expect(sent).toEqual([2, 3, 4, 5, 6, 7, 8].map((number) => `dlv_a${number}`));
  });

  test('a delivery that was read before its object was freed is not parked again', () => {
    const [a1, a2, a3] = [row('a', 1), row('a', 2), row('a', 3)];
    const { queue } = queueOf([], [['a', 1n]]);
    queue.add(a1, true, true);
    takeAll(queue);
    expect(queue.finish(a1, 'done', true).freed).toBe(true);
    // Parked now, it would be missing among those that are read once they are freed, and later ones would pass it.
    expect(queue.add(a2, true, true)).toBe('left');
    queue.objectIsFreed('a');
    queue.beginRead();
    expect([queue.add(a2, true, true), queue.add(a3, true, true)]).toEqual(['taken', 'taken']);
    queue.endRead();
    expect(takeAll(queue)).toEqual(['dlv_a2']);
  });

  test('what is parked where an order has just been asked for keeps nothing waiting when it comes again', () => {
    const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
    const { queue } = queueOf([a1], [], false);
    queue.take();
    queue.drop();
    queue.add(a2, true, true);
    queue.add(b3, true, true);
    expect(queue.finish(a1, 'retry', true).parked).toEqual([a2]);
    expect(takeAll(queue)).toEqual(['dlv_b3']);
    queue.release(a1.delivery_id);
    expect(queue.add(a1, true, true)).toBe('taken');
    expect(takeAll(queue)).toEqual(['dlv_a1']);
  });

  test('an object that was waiting when the worker took over goes on waiting', () => {
    const { taken, queue } = queueOf([row('a', 7), row('a', 5), row('b', 8)], [['a', 5n]]);
    expect(taken).toEqual(['parked', 'taken', 'taken']);
    expect(takeAll(queue)).toEqual(['dlv_a5', 'dlv_b8']);
  });

  test('what fails while it is found out who waits is not forgotten', () => {
    const [a1, b2] = [row('a', 1), row('b', 2)];
    const { queue } = queueOf([a1, b2]);
    takeAll(queue);
    queue.drop();
    queue.finish(a1, 'retry', true);
    queue.finish(b2, 'retry', true);
    // Read before either result was written.
    queue.block(new Map([['b', 1n]]));
    expect([queue.blocked, queue.add(row('a', 3), true, false)]).toEqual([
      new Map([
        ['a', 1n],
        ['b', 1n],
      ]),
      'parked',
    ]);
  });

  test('what has failed is not forgotten before it is written', () => {
    const [a1, b2] = [row('a', 1), row('b', 2)];
    const { queue } = queueOf([a1, b2]);
    takeAll(queue);
    for (const failed of [a1, b2]) queue.finish(failed, 'retry', true);
    queue.release(b2.delivery_id);
    queue.drop();
    // What is written is known from the database, which has been asked before the other was.
    queue.block(new Map([['b', 2n]]));
    expect([queue.add(row('a', 3), true, true), queue.add(row('b', 4), true, true)]).toEqual([
      'parked',
      'parked',
    ]);
    queue.release(a1.delivery_id);
    queue.drop();
    expect(queue.blocked.size).toBe(0);
  });

  test('later ones also wait for one that had failed before one that was sent once more', () => {
    const [a1, a2] = [row('a', 1), row('a', 2)];
    const { queue } = queueOf([a2]);
    takeAll(queue);
    queue.finish(a2, 'retry', true);
    queue.release(a2.delivery_id);
    // The first was delivered before, and is replayed.
    queue.add(a1, true, true);
    takeAll(queue);
    queue.finish(a1, 'retry', true);
    queue.release(a1.delivery_id);
    expect(queue.add(a2, true, true)).toBe('parked');
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

  test('the order holds from the moment it is asked for, also behind what was sent without', () => {
    const [a1, a2] = [row('a', 1), row('a', 2)];
    const { queue } = queueOf([a1, a2], [], false);
    takeAll(queue);
    queue.finish(a2, 'retry', true);
    queue.finish(a1, 'retry', true);
    expect(queue.blocked).toEqual(new Map([['a', 1n]]));
    expect(queue.add(row('a', 3), true, false)).toBe('parked');
  });

  test('those that waited for what is over are free, once', () => {
    const { queue } = queueOf([], [['a', 5n]]);
    expect([queue.eventIsOver('a', 4n), queue.eventIsOver('a', 5n), queue.eventIsOver('a', 5n)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([queue.freedObjects, queue.blocked.size]).toEqual([['a'], 0]);
  });

  test('test events wait for nothing', () => {
    const { queue } = queueOf([row('a', 1), row('a', 0, { delivery_id: 'dlv_t', test: true })]);
    expect(takeAll(queue)).toEqual(['dlv_a1', 'dlv_t']);
  });
});

test('without order everything goes at once, a failure holds up nothing', () => {
  const [a1, a2] = [row('a', 1), row('a', 2)];
  const { queue } = queueOf([a1, a2], [], false);
  expect(takeAll(queue)).toEqual(['dlv_a1', 'dlv_a2']);
  expect(queue.finish(a1, 'retry', false)).toEqual({ parked: [], freed: false });
  expect(queue.add(row('a', 3), false, false)).toBe('taken');
  expect(queue.add(row('a', 4), true, false)).toBe('taken');
});

test('a delivery in hand is not taken twice', () => {
  const a1 = row('a', 1);
  const { queue } = queueOf([a1, a1], [], false);
  expect(takeAll(queue)).toEqual(['dlv_a1']);
  expect([queue.add(a1, false, true), queue.waiting]).toEqual(['taken', 0]);
  queue.finish(a1, 'done', true);
  queue.release(a1.delivery_id);
  expect(queue.isEmpty).toBe(true);
});

test('a queue that is dropped keeps only running attempts', () => {
  const [a1, a2, b3] = [row('a', 1), row('a', 2), row('b', 3)];
  const { queue } = queueOf([a1, a2, b3]);
  queue.take();
  queue.drop();
  expect([queue.ids, queue.waiting, takeAll(queue)]).toEqual([['dlv_a1'], 0, []]);
  queue.finish(a1, 'done', true);
  queue.release(a1.delivery_id);
  expect(queue.isEmpty).toBe(true);
});
