import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

test('one line a second for each reason; the next one says how many were left out', () => {
  let now = 0;
  const throttle = createThrottle(() => now);
  expect([throttle('a'), throttle('a'), throttle('b'), throttle('a')]).toEqual([0, undefined, 0, undefined]);
  now = 1_000;
  expect([throttle('a'), throttle('b'), throttle('a')]).toEqual([2, 0, undefined]);
});
