import { expect, test } from 'vitest';
import { onceFor } from './once-for.ts';

test('what is made of an object is made once, also if it is undefined', () => {
  const asked: object[] = [];
  const made = onceFor((key: { readonly value?: number }) => {
    asked.push(key);
    return key.value;
  });
  const [one, none] = [{ value: 1 }, {}];
  expect([one, none, one, none, { value: 1 }].map(made)).toEqual([1, undefined, 1, undefined, 1]);
  expect(asked).toHaveLength(3);
});
