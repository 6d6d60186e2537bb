import { expect, onTestFinished, test } from 'vitest';
import type { Db } from '../../../kernel/context.ts';
import type { AttemptResult } from '../store/results.ts';
import { ResultWriter } from './result-writer.ts';

const result = (id: string, endpoint_id = 'whe_1'): AttemptResult => ({
  seller_id: 'slr_1',
  endpoint_id,
  delivery_id: id,
  attempt: 1,
  step: 1,
  due_at: '2026-06-28T01:00:00.000Z',
  at: 0,
  duration_ms: 1,
  http_status: 204,
  error: null,
  response_head: '',
  status: 'succeeded',
  reason: null,
  next_at: null,
  completed_at: 0,
  test: false,
});

/** A writer on a database that fails as it is told; what it committed, transaction by transaction. */
function writerOn(fail: (values: string) => Error | undefined) {
  const committed: string[][] = [];
  const written: string[] = [];
  /** Endpoints that somebody is changing. */
  const held = new Set<string>();
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const writer = new ResultWriter({
    owner: 'this one',
    log,
    now: () => 0,
    onWritten: (results) => written.push(...results.map(({ delivery_id }) => delivery_id)),
    withSystem: async (_reason, _mode, fn) => {
      const statements: string[] = [];
      const db = {
        run: async ({ values }: { values: readonly unknown[] }) => {
          const text = values.map((value) => String(value)).join(' ');
          const problem = fail(text);
          if (problem !== undefined) throw problem;
          statements.push(text);
          return 1;
        },
        all: async <Row>() =>
          ['whe_1', 'whe_2', 'whe_3']
            .filter((id) => !held.has(id))
            .map((endpoint_id) => ({ endpoint_id, lease_owner: 'this one' }) as Row),
        one: async () => undefined,
        cursor: async function* () {},
      };
      const value = await fn(db);
      committed.push(statements);
      return value;
    },
  });
  return { writer, committed, written, held };
}
const refusal = Object.assign(new Error('refused'), { code: '22P05' });

test('what comes together is written together', async () => {
  const { writer, committed, written } = writerOn(() => undefined);
  for (const id of ['dlv_a', 'dlv_b', 'dlv_c']) writer.add(result(id));
  await writer.drain();
  expect([committed.length, written]).toEqual([1, ['dlv_a', 'dlv_b', 'dlv_c']]);
});

test('what the database refuses does not keep the rest from being written', async () => {
  const { writer, committed, written } = writerOn((text) => (text.includes('dlv_bad') ? refusal : undefined));
  for (const id of ['dlv_a', 'dlv_bad', 'dlv_c']) writer.add(result(id));
  await writer.drain();
  expect(committed.flat().join()).toMatch(/dlv_a.*dlv_c/s);
  expect(written).toEqual(['dlv_a', 'dlv_bad', 'dlv_c']);
});

test('while the database is away, results wait', async () => {
  let away = 2;
  const { writer, written } = writerOn(() => {
    away -= 1;
    return away >= 0 ? new Error('connection refused') : undefined;
  });
  writer.add(result('dlv_a'));
  await writer.drain();
  expect(written).toEqual(['dlv_a']);
});

test('an effect that fails for good leaves the results alone', async () => {
  const { writer, committed } = writerOn(() => undefined);
  writer.add(result('dlv_a'));
  writer.effect(result('dlv_a'), async (_db: Db) => {
    throw refusal;
  });
  await writer.drain();
  expect(committed.flat().join()).toContain('dlv_a');
});

test('results of an endpoint that is being changed wait for the end of that; those of others do not', async () => {
  const { writer, committed, written, held } = writerOn(() => undefined);
  held.add('whe_1');
  writer.add(result('dlv_a'));
  writer.add(result('dlv_b', 'whe_2'));
  await expect.poll(() => written).toEqual(['dlv_b']);
  writer.add(result('dlv_c'));
  expect(committed.flat().join()).not.toContain('dlv_a');
  held.clear();
  await writer.drain();
  expect(written).toEqual(['dlv_b', 'dlv_a', 'dlv_c']);
});

test.each([[['whe_1']], [['whe_1', 'whe_3']]])(
  'nor do those of others where more of %j wait than go into one transaction',
  async (busy) => {
    const { writer, written, held } = writerOn(() => undefined);
    const many = busy.flatMap((id) =>
      Array.from({ length: 2_500 }, (_, n) => [id, `dlv_${id}_${n}`] as const),
    );
    for (const id of busy) held.add(id);
    for (const [endpoint, id] of many) writer.add(result(id, endpoint));
    writer.add(result('dlv_b', 'whe_2'));
    await expect.poll(() => written).toEqual(['dlv_b']);
    held.clear();
    await writer.drain();
    for (const one of busy) {
      const own: string[] = many.flatMap(([endpoint, id]) => (endpoint === one ? [id] : []));
      expect(written.filter((id) => own.includes(id))).toEqual(own);
    }
  },
);

test('what is held is tried again while others bring something all the time', async () => {
  const { writer, written, held } = writerOn(() => undefined);
  held.add('whe_1');
  writer.add(result('dlv_a'));
  let n = 0;
  const others = setInterval(() => writer.add(result(`dlv_${n++}`, 'whe_2')), 1);
  onTestFinished(() => clearInterval(others));
  await expect.poll(() => written.length).toBeGreaterThan(20);
  held.clear();
  await expect.poll(() => written).toContain('dlv_a');
});
