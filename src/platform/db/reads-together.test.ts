import { expect, test } from 'vitest';
import type { Statement } from '../../kernel/context.ts';
import { ReadsTogether } from './reads-together.ts';

const read = (text: string): Statement<unknown> => ({ text, values: [] });
const resultOf = (command: string) => ({ rows: [], rowCount: 0, command });

test('the reads of one turn are sent together, and each gets its own result', async () => {
  const sent: string[][] = [];
  const reads = new ReadsTogether(async (statements) => {
    const texts = statements.map(({ text }) => text);
    sent.push(texts);
    return [resultOf('the scope'), ...texts.map(resultOf)];
  });
  const found = await Promise.all(['a', 'b'].map((text) => reads.ask(read(text))));
  expect(found.map(({ command }) => command)).toEqual(['a', 'b']);
  expect((await reads.ask(read('c'))).command).toBe('c');
  expect(sent).toEqual([['a', 'b'], ['c']]);
});

test('a failed read fails those that were sent with it, and no others', async () => {
  const reads = new ReadsTogether(async (statements) => {
    if (statements.some(({ text }) => text === 'bad')) throw new Error('refused');
    return statements.map(({ text }) => resultOf(text));
  });
  const failed = await Promise.allSettled(['good', 'bad'].map((text) => reads.ask(read(text))));
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await reads.ask(read('good'))).command).toBe('good');
});
