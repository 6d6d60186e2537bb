import { expect, test } from 'vitest';
import { createTurns } from './take-turn.ts';

test('one seller waits for its own file, another does not; who waits too long is told to come again', async () => {
  const takeTurn = createTurns(2, 1);
  const first = Promise.withResolvers<string>();
  const running = takeTurn('slr_1', () => first.promise);
  await expect(takeTurn('slr_1', async () => 'early')).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    headers: { 'retry-after': '5' },
  });
  expect(await takeTurn('slr_2', async () => 'other')).toBe('other');
  first.resolve('first');
  expect(await running).toBe('first');
  expect(await takeTurn('slr_1', async () => 'next')).toBe('next');
});
