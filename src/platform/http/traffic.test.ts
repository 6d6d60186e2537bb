import { expect, test } from 'vitest';
import { createTraffic } from './traffic.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a waiting request is not in flight, and counts again when its wait ends', async () => {
  const traffic = createTraffic({ maxInFlight: 1, maxWaiting: 10 });
  const wait = Promise.withResolvers<string>();
  const visit = traffic.enter();
  const parked = visit.park(() => wait.promise);
  traffic.enter();
  expect([traffic.inFlight, traffic.waiting, traffic.overloaded]).toEqual([1, 1, false]);
  wait.resolve('new');
  expect(await parked).toBe('new');
  expect([traffic.inFlight, traffic.waiting, traffic.overloaded]).toEqual([2, 0, true]);
});

test('a request beyond the limit of waiting requests is answered at once', async () => {
  const traffic = createTraffic({ maxInFlight: 10, maxWaiting: 1 });
  const wait = Promise.withResolvers<number>();
  const first = traffic.enter();
  const parked = first.park(() => wait.promise);
  expect(await traffic.enter().park(() => wait.promise)).toBeUndefined();
  wait.resolve(1);
  expect(await parked).toBe(1);
  expect(await traffic.enter().park(() => Promise.resolve(2))).toBe(2);
});

test('one event wakes the requests a few at a time; one whose client has left is skipped', async () => {
  const traffic = createTraffic({ maxInFlight: 4, maxWaiting: 100 });
  const wait = Promise.withResolvers<void>();
  const continued: number[] = [];
  const visits = Array.from({ length: 8 }, () => traffic.enter());
  const parked = visits.map(async (visit, index) => {
    await visit.park(() => wait.promise);
    continued.push(index);
  });
  wait.resolve();
  await settled();
  expect([continued, traffic.inFlight]).toEqual([[0, 1], 2]);
  visits[2]?.end();
  visits[0]?.end();
  await settled();
  expect([continued, traffic.inFlight]).toEqual([[0, 1, 2, 3], 2]);
  for (const visit of visits) visit.end();
  await Promise.all(parked);
  expect([traffic.inFlight, traffic.waiting]).toEqual([0, 0]);
});

test('a failed wait gives its place back', async () => {
  const traffic = createTraffic({ maxInFlight: 4, maxWaiting: 1 });
  const visit = traffic.enter();
  await expect(visit.park(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect([traffic.inFlight, traffic.waiting]).toEqual([1, 0]);
});

test('a server closes when its last request has ended, waiting ones included', async () => {
  const traffic = createTraffic({ maxInFlight: 4, maxWaiting: 1 });
  const wait = Promise.withResolvers<void>();
  const visit = traffic.enter();
  const parked = visit.park(() => wait.promise);
  let closed = false;
  const closing = traffic.close().then(() => {
    closed = true;
  });
  await settled();
  expect(closed).toBe(false);
  wait.resolve();
  await parked;
  visit.end();
  visit.end();
  await closing;
  expect(traffic.inFlight).toBe(0);
});
