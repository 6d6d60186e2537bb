import Type from 'typebox';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { sql } from '../../../test/support/sql.ts';
import type { DeclaredEvent } from '../../kernel/declared-event.ts';
import { defineEvent, type EventObjects, type OutgoingEventDef } from '../../kernel/events.ts';
import { MODULES } from '../../modules.ts';
import { appendBulk, appendEvents } from './append.ts';
import { createFillEvents } from './fill-events.ts';
import { createSequencer } from './sequencer.ts';

// Without a worker: only the rounds of the tests number events.
const { app } = await startTestApp({ ROLE: 'api' });
const { withSystem, ids, now, log } = app.services;

const def = (type: string, more: Pick<OutgoingEventDef, 'marketplace' | 'sellers' | 'notification'> = {}) =>
  defineEvent({ type, summary: type, schema: Type.Unknown(), example: {}, ...more });
const EVENTS = [
  def('thing.changed', { marketplace: true }),
  def('thing.bare'),
  def('thing.notified', { notification: { severity: 'info', title: '{name}' } }),
  def('thing.hidden', { marketplace: true, sellers: false }),
  def('thing.broken', { notification: { severity: 'critical', title: '{name} broke {count} times' } }),
];
const sequencer = (objects: readonly EventObjects[] = []) =>
  createSequencer({
    ...{ withSystem, ids, now, log, events: EVENTS },
    ...{ fillEvents: createFillEvents(objects, { now, config: app.services.config }), onNumbered },
  });
const onNumbered = MODULES.flatMap(({ onNumbered: write = [] }) => write);
const untilNothing = async ({ round }: ReturnType<typeof sequencer>): Promise<void> => {
  while ((await round()) > 0);
};

const append = (sellerId: string, ...events: DeclaredEvent[]): Promise<void> =>
  withSystem('jobs', 'write', (db) =>
    appendEvents(
      db,
      { sellerId, ids, now: now(), correlation: { request_id: null, idempotency_key: null } },
      events,
    ),
  );
const event = (type: string, object: object | null = {}, id = 'thg_1'): DeclaredEvent =>
  object === null ? def(type).bare(id, 1) : def(type).of(object, { object_id: id, version: 1 });
interface Row {
  readonly type: string;
  readonly sequence: number | null;
  readonly position: number | null;
  readonly data: { readonly object: unknown } | null;
  readonly object_version: number;
}
const rowsOf = (sellerId: string): Promise<Row[]> =>
  withSystem('jobs', 'read', (db) =>
    db.all<Row>(
      sql(
        'select o.type, o.sequence::int as sequence, o.position::int as position, coalesce(o.data, x.data) as data, ' +
          'coalesce(x.object_version, o.object_version) as object_version ' +
          'from outbox o left join event_object x using (seller_id, sequence) where seller_id = $1 order by outbox_id',
        [sellerId],
      ),
    ),
  );
const numbersOf = async (sellerId: string) => (await rowsOf(sellerId)).map(({ sequence }) => sequence);
const count = (rows: number) => Array.from({ length: rows }, (_, index) => index + 1);

const appendMany = (sellerId: string, type: string, ids_: readonly string[]): Promise<void> =>
  withSystem('jobs', 'write', (db) =>
    appendBulk(
      db,
      { sellerId, ids, now: now(), correlation: { request_id: 'req_1', idempotency_key: null } },
      ids_.map((id) => def(type).bare(id, 1)),
    ),
  );
const numbered = async (sellerId: string) => {
  const rows = await withSystem('jobs', 'read', (db) =>
    db.all<{ type: string; object_id: string }>(
      sql('select type, object_id from outbox where seller_id = $1 and sequence > 0 order by sequence', [
        sellerId,
      ]),
    ),
  );
  return rows.map(({ type, object_id }) => `${type} ${object_id}`);
};

/** The events about one object. */
const eventContent = async (sellerId: string, objectId: string) =>
  (await numbered(sellerId))
    .filter((text) => text.endsWith(` ${objectId}`))
    .map((text) => text.split(' ')[0]);

test('the events of a bulk write keep their order among themselves and with others of their objects', async () => {
  const seller = ids.next('slr_');
  const many = count(1_200).map((n) => `thg_${n}`);
  await append(seller, event('thing.changed', {}, 'thg_1'));
  await appendMany(seller, 'thing.bare', many);
  await append(seller, event('thing.changed', {}, 'thg_1'), event('thing.changed', {}, 'thg_1200'));
  await appendMany(seller, 'thing.hidden', ['thg_1', 'thg_7', 'thg_2']);
  await append(seller, event('thing.changed', {}, 'thg_2'));
  await appendMany(seller, 'thing.bare', ['thg_1', 'thg_2']);
  await append(seller, event('thing.changed', {}, 'thg_2'), event('thing.changed', {}, 'thg_9'));
  await untilNothing(sequencer());
  expect(await eventContent(seller, 'thg_1')).toEqual([
    'thing.changed',
    'thing.bare',
    'thing.changed',
    'thing.bare',
  ]);
  expect(await eventContent(seller, 'thg_2')).toEqual([
    'thing.bare',
    'thing.changed',
    'thing.bare',
    'thing.changed',
  ]);
  for (const id of ['thg_9', 'thg_1200'])
    expect(await eventContent(seller, id)).toEqual(['thing.bare', 'thing.changed']);
  const rest = (await numbered(seller)).filter((text) => /^thing.bare thg_(?!(?:1|2|9|1200)$)/.test(text));
  expect(rest).toEqual(many.filter((id) => !/^thg_(?:1|2|9|1200)$/.test(id)).map((id) => `thing.bare ${id}`));
  const numbers = (await numbersOf(seller)).filter((number) => number !== 0);
  expect(numbers.sort((a, b) => Number(a) - Number(b))).toEqual(count(1_208));
});

test('a single event is numbered in the next round, even if many bulk events wait', async () => {
  const seller = ids.next('slr_');
  await appendMany(
    seller,
    'thing.bare',
    count(5_000).map((n) => `thg_${n}`),
  );
  await append(seller, event('thing.changed', {}, 'thg_4321'), event('thing.changed', {}, 'thg_new'));
  await sequencer().round();
  expect(await eventContent(seller, 'thg_4321')).toEqual(['thing.bare', 'thing.changed']);
  expect(await eventContent(seller, 'thg_new')).toEqual(['thing.changed']);
  expect((await numbered(seller)).length).toBeLessThan(600);
  await untilNothing(sequencer());
  expect(new Set(await numbered(seller)).size).toBe(5_002);
  expect((await numbersOf(seller)).sort((a, b) => Number(a) - Number(b))).toEqual(count(5_002));
});

test('many sellers with bulk writes take turns, a few in each round', async () => {
  const sellers = count(11).map(() => ids.next('slr_'));
  const many = count(1_400).map((n) => `thg_${n}`);
  for (const seller of sellers) await appendMany(seller, 'thing.bare', many);
  const one = sequencer();
  expect(await one.round()).toBeLessThan(2_500);
  for (let round = 0; round < 3; round += 1) await one.round();
  for (const seller of sellers) expect((await numbered(seller)).length).toBeGreaterThan(0);
  await untilNothing(one);
  for (const seller of sellers) expect(await numbered(seller)).toEqual(many.map((id) => `thing.bare ${id}`));
});

test('an event about another kind of object does not wait for the bulk before it', async () => {
  const seller = ids.next('slr_');
  await appendMany(
    seller,
    'thing.bare',
    count(5_000).map((n) => `thg_${n}`),
  );
  await append(seller, event('thing.changed', {}, 'ord_1'));
  await sequencer().round();
  expect(await numbered(seller)).toContain('thing.changed ord_1');
  expect((await numbered(seller)).length).toBeLessThan(5_000);
  await untilNothing(sequencer());
  expect(await numbered(seller)).toHaveLength(5_001);
});

test('bulk events of several kinds of objects, with their cause', async () => {
  const seller = ids.next('slr_');
  await appendMany(seller, 'thing.hidden', ['thg_1', 'oth_1', 'thg_2']);
  await appendMany(seller, 'thing.bare', ['oth_1']);
  await untilNothing(sequencer());
  const rows = await withSystem('jobs', 'read', (db) =>
    db.all(
      sql(
        "select object_id, sequence::int, position is not null as for_marketplace, correlation ->> 'request_id' as request, data from outbox where seller_id = $1 order by object_id, type",
        [seller],
      ),
    ),
  );
  const common = { request: 'req_1', data: null };
  expect(rows).toEqual([
    { object_id: 'oth_1', sequence: 1, for_marketplace: false, ...common },
    { object_id: 'oth_1', sequence: 0, for_marketplace: true, ...common },
    { object_id: 'thg_1', sequence: 0, for_marketplace: true, ...common },
    { object_id: 'thg_2', sequence: 0, for_marketplace: true, ...common },
  ]);
});

test('thousands of events of one seller do not delay another seller’s events to a later round', async () => {
  const [busy, other] = [ids.next('slr_'), ids.next('slr_')];
  await append(busy, ...count(3_000).map(() => event('thing.changed')));
  await append(other, event('thing.changed'));
  await sequencer().round();
  expect(await numbersOf(other)).toEqual([1]);
  expect((await numbersOf(busy)).filter((number) => number !== null).length).toBeLessThan(3_000);
  await untilNothing(sequencer());
  expect(await numbersOf(busy)).toEqual(count(3_000));
});

test('more sellers than fit into a round all get their turn', async () => {
  const sellers = count(230).map(() => ids.next('slr_'));
  for (const seller of sellers) await append(seller, event('thing.changed'));
  await untilNothing(sequencer());
  for (const seller of sellers) expect(await numbersOf(seller)).toEqual([1]);
});

test('several sequencers and many writers at once leave no gap and number nothing twice', async () => {
  const seller = ids.next('slr_');
  const all = [sequencer(), sequencer(), sequencer()];
  const writing = Promise.all(
    count(60).map(() => append(seller, event('thing.changed'), event('thing.changed'))),
  );
  const racing = Promise.all(
    all.map(async (one) => {
      for (const _ of count(20)) await one.round();
    }),
  );
  await Promise.all([writing, racing]);
  await untilNothing(sequencer());
  expect((await numbersOf(seller)).sort((a, b) => Number(a) - Number(b))).toEqual(count(120));
});

test('an event gets its number after the commit of its transaction, not before', async () => {
  const seller = ids.next('slr_');
  const [inserted, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = withSystem('jobs', 'write', async (db) => {
    const correlation = { request_id: null, idempotency_key: null };
    await appendEvents(db, { sellerId: seller, ids, now: now(), correlation }, [
      event('thing.changed', { first: true }),
    ]);
    // The next statement takes the event along.
    await db.run(sql('select'));
    inserted.resolve();
    await commit.promise;
  });
  await inserted.promise;
  await append(seller, event('thing.changed', { first: false }));
  await untilNothing(sequencer());
  commit.resolve();
  await held;
  await untilNothing(sequencer());
  expect((await rowsOf(seller)).map(({ sequence, data }) => [sequence, data?.object])).toEqual([
    [2, { first: true }],
    [1, { first: false }],
  ]);
});

test('a round that fails numbers nothing; the next one does', async () => {
  const seller = ids.next('slr_');
  await append(seller, event('thing.notified', null), event('thing.changed'));
  const failing: EventObjects = { types: ['thing.notified'], load: () => Promise.reject(new Error('no')) };
  await expect(sequencer([failing]).round()).rejects.toThrow('no');
  expect(await numbersOf(seller)).toEqual([null, null]);
  await untilNothing(sequencer());
  expect(await numbersOf(seller)).toEqual([1, 2]);
});

test('objects are read for notifications only; an event about a deleted object has none', async () => {
  const seller = ids.next('slr_');
  await append(
    seller,
    event('thing.notified', null, 'thg_1'),
    event('thing.notified', null, 'thg_2'),
    event('thing.bare', null, 'thg_3'),
  );
  const asked: (readonly string[])[] = [];
  await untilNothing(
    sequencer([
      {
        types: ['thing.notified', 'thing.bare'],
        load: async (_db, sellerId, objectIds) => {
          asked.push([sellerId, ...objectIds]);
          return new Map([['thg_1', { object: { name: 'here' }, version: 7 }]]);
        },
      },
    ]),
  );
  expect(asked).toEqual([[seller, 'thg_1', 'thg_2']]);
  expect(await rowsOf(seller)).toMatchObject([
    { data: { object: { name: 'here' } }, object_version: 7 },
    { data: { object: null }, object_version: 1 },
    { data: null, object_version: 1 },
  ]);
});

test('an event for the marketplace only takes no number of the seller', async () => {
  const seller = ids.next('slr_');
  await append(seller, event('thing.hidden'), event('thing.changed'), event('thing.broken'));
  await untilNothing(sequencer());
  const rows = await rowsOf(seller);
  expect(rows.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
  const [hidden, changed, broken] = rows.map(({ position }) => position);
  expect([Number(changed) - Number(hidden), broken]).toEqual([1, null]);
});

test('two events of a batch about the same object are one notification with the newest title', async () => {
  const seller = ids.next('slr_');
  const broken = (times: number) => event('thing.broken', { name: 'It', count: times });
  await append(seller, broken(1), broken(2), event('thing.broken', {}, 'thg_2'));
  await untilNothing(sequencer());
  const rows = await withSystem('jobs', 'read', (db) =>
    db.all(
      sql('select title, times, sequence::int from notification where seller_id = $1 order by sequence', [
        seller,
      ]),
    ),
  );
  expect(rows).toEqual([
    { title: 'It broke 2 times', times: 2, sequence: 2 },
    { title: '– broke – times', times: 1, sequence: 3 },
  ]);
});
