import { expect, test } from 'vitest';
import { createAuthorise } from './authorise.ts';

test('each token of the list is accepted, and no other', () => {
  const authorise = createAuthorise('new-token, old-token');
  for (const token of ['new-token', 'old-token']) expect(() => authorise(`Bearer ${token}`)).not.toThrow();
  for (const token of ['new-token, old-token', 'new-token,', 'new-toke', 'old-tokenx', ','])
    expect(() => authorise(`Bearer ${token}`)).toThrow();
  expect(() => authorise(undefined)).toThrow('internal token');
});
