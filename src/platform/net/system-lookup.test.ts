import { expect, test } from 'vitest';
import { createSystemLookup } from './system-lookup.ts';

const NOT_FOUND = new Error('not found');

test('unanswered names keep few threads busy, and no caller for long', async () => {
  const asked: string[] = [];
  const ask = createSystemLookup((hostname) => {
    asked.push(hostname);
    return hostname.startsWith('hang')
      ? new Promise(() => {})
      : Promise.resolve([{ address: '192.0.2.1', family: 4 }]);
  });
  void ask('hang-1.test', NOT_FOUND);
  expect(await ask('known.test', NOT_FOUND)).toEqual(['192.0.2.1']);
  void ask('hang-2.test', NOT_FOUND);
  void ask('hang-1.test', NOT_FOUND);
  const began = performance.now();
  await expect(Promise.all(['a.test', 'hang-3.test'].map((name) => ask(name, NOT_FOUND)))).rejects.toBe(
    NOT_FOUND,
  );
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(asked).toEqual(['hang-1.test', 'known.test', 'hang-2.test']);
});

test('a waiting caller gets the place of an answered one; a failed name is looked up again', async () => {
  let fail = true;
  const open: (() => void)[] = [];
  const ask = createSystemLookup(async (hostname) => {
    if (hostname === 'fails.test' && fail) throw NOT_FOUND;
    await new Promise<void>((resolve) => open.push(resolve));
    return [{ address: '192.0.2.2', family: 4 }];
  });
  await expect(ask('fails.test', new Error('another'))).rejects.toBe(NOT_FOUND);
  fail = false;
  const answers = ['a.test', 'b.test', 'fails.test', 'a.test'].map((name) => ask(name, NOT_FOUND));
  await expect.poll(() => open.length).toBe(2);
  open[0]?.();
  await expect.poll(() => open.length).toBe(3);
  for (const answer of open) answer();
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 4 }, () => ['192.0.2.2']));
});
