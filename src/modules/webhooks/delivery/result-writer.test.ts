import { expect, onTestFinished, test } from 'vitest';
import type { AttemptResult } from '../store/results.ts';
import type { EndpointWrite } from './delivery-store.ts';
import { ResultWriter, type WriteSource } from './result-writer.ts';
import { systemTiming } from './timing.ts';

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

/** A writer whose store throws the error of `fail`. `committed` has the writes of each transaction. */
function writerOn(fail: (values: string) => Error | undefined) {
  const committed: string[][] = [];
  const written: string[] = [];
  /** Endpoints that a seller is changing. */
  const held = new Set<string>();
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const store = {
    write: async (_owner: string, writes: readonly EndpointWrite[]) => {
      const open = writes.filter(({ endpoint_id }) => !held.has(endpoint_id));
      const texts = open.map((one) => JSON.stringify(one));
      const problem = fail(texts.join());
      if (problem !== undefined) throw problem;
      committed.push(texts);
      return new Set(open.map(({ endpoint_id }) => endpoint_id));
    },
  };
  const writer = new ResultWriter({ owner: 'this one', store, log, timing: systemTiming });
  const sources = new Map<string, WriteSource>();
  const sourceOf = (endpoint_id: string): WriteSource => {
    const source = sources.get(endpoint_id) ?? {
      row: { seller_id: 'slr_1', endpoint_id },
      written: (writes) => {
        for (const write of writes) if (write.kind === 'attempt') written.push(write.result.delivery_id);
      },
    };
    sources.set(endpoint_id, source);
    return source;
  };
  const add = (one: AttemptResult): void =>
    writer.add(sourceOf(one.endpoint_id), { kind: 'attempt', result: one });
  return { writer, add, sourceOf, committed, written, held };
}
const refusal = Object.assign(new Error('refused'), { code: '22P05' });

test('results that arrive together are written in one transaction', async () => {
  const { writer, add, committed, written } = writerOn(() => undefined);
  for (const id of ['dlv_a', 'dlv_b', 'dlv_c']) add(result(id));
  await writer.drain();
  expect([committed.length, written]).toEqual([1, ['dlv_a', 'dlv_b', 'dlv_c']]);
});

test('a result that the database refuses does not stop the others', async () => {
  const { writer, add, committed, written } = writerOn((text) =>
    text.includes('dlv_bad') ? refusal : undefined,
  );
  for (const id of ['dlv_a', 'dlv_bad', 'dlv_c']) add(result(id));
  await writer.drain();
  expect(committed.flat().join()).toMatch(/dlv_a.*dlv_c/s);
  expect(written).toEqual(['dlv_a', 'dlv_bad', 'dlv_c']);
});

test('results wait while the database is down', async () => {
  let away = 2;
  const { writer, add, written } = writerOn(() => {
    away -= 1;
    return away >= 0 ? new Error('connection refused') : undefined;
  });
  add(result('dlv_a'));
  await writer.drain();
  expect(written).toEqual(['dlv_a']);
});

test('a mark of the endpoint that the database refuses does not stop the results', async () => {
  const { writer, add, sourceOf, committed } = writerOn((text) =>
    text.includes('"kind":"failing"') ? refusal : undefined,
  );
  add(result('dlv_a'));
  writer.add(sourceOf('whe_1'), { kind: 'failing', since: 0 });
  await writer.drain();
  expect(committed.flat().join()).toContain('dlv_a');
});

test('results of an endpoint wait while a seller changes it; results of other endpoints do not', async () => {
  const { writer, add, committed, written, held } = writerOn(() => undefined);
  held.add('whe_1');
  add(result('dlv_a'));
  add(result('dlv_b', 'whe_2'));
  await expect.poll(() => written).toEqual(['dlv_b']);
  add(result('dlv_c'));
  expect(committed.flat().join()).not.toContain('dlv_a');
  held.clear();
  await writer.drain();
  expect(written).toEqual(['dlv_b', 'dlv_a', 'dlv_c']);
});

test.each([[['whe_1']], [['whe_1', 'whe_3']]])(
  'results of other endpoints do not wait although those of %j fill more than one transaction',
  async (busy) => {
    const { writer, add, written, held } = writerOn(() => undefined);
    const many = busy.flatMap((id) =>
      Array.from({ length: 2_500 }, (_, n) => [id, `dlv_${id}_${n}`] as const),
    );
    for (const id of busy) held.add(id);
    for (const [endpoint, id] of many) add(result(id, endpoint));
    add(result('dlv_b', 'whe_2'));
    await expect.poll(() => written).toEqual(['dlv_b']);
    held.clear();
    await writer.drain();
    for (const one of busy) {
      const own: string[] = many.flatMap(([endpoint, id]) => (endpoint === one ? [id] : []));
      expect(written.filter((id) => own.includes(id))).toEqual(own);
    }
  },
);

test('a locked endpoint is tried again while results of other endpoints arrive continuously', async () => {
  const { add, written, held } = writerOn(() => undefined);
  held.add('whe_1');
  add(result('dlv_a'));
  let n = 0;
  const others = setInterval(() => add(result(`dlv_${n++}`, 'whe_2')), 1);
  onTestFinished(() => clearInterval(others));
  await expect.poll(() => written.length).toBeGreaterThan(20);
  held.clear();
  await expect.poll(() => written).toContain('dlv_a');
});
