/** Events whose objects are loaded after the write. */
import Type from 'typebox';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { defineEvent, type EventObjects } from '../../kernel/events.ts';
import { command, part } from '../db/statement.ts';
import { appendBulk, appendEvents } from './append.ts';
import { completeEventsOf } from './complete-events.ts';
import { createFillEvents, type FillEvents } from './fill-events.ts';
import type { LateEvent } from './fill-statements.ts';
import { createSequencer } from './sequencer.ts';

const { app } = await startTestApp({ ROLE: 'api' });
const { withSystem, ids, now, log, config } = app.services;

const TYPES = ['thing.made', 'thing.changed', 'part.changed'];
const declare = (type: string) => defineEvent({ type, summary: type, schema: Type.Unknown(), example: {} });
const events = TYPES.map(declare);
const numbering = createSequencer({
  ...{ withSystem, ids, now, log, events },
  ...{ fillEvents: createFillEvents([], { now, config }), onNumbered: [] },
});
const numberAll = async (): Promise<void> => {
  while ((await numbering.round()) > 0);
};

/** The present objects: versions by id. An id without a version is a deleted object. */
function things(versions: Map<string, number>, before: () => Promise<void> = async () => undefined) {
  const of = (types: readonly string[], name: string): EventObjects => ({
    types,
    load: async (_db, _seller, objectIds) => {
      await before();
      const found = objectIds.flatMap((id) => {
        const version = versions.get(`${name} ${id}`);
        return version === undefined ? [] : [[id, { object: { [name]: version }, version }] as const];
      });
      return new Map(found);
    },
  });
  return createFillEvents([of(['thing.made', 'thing.changed'], 'thing'), of(['part.changed'], 'part')], {
    now,
    config,
  });
}

const origin = (sellerId: string) => ({
  sellerId,
  ids,
  now: now(),
  correlation: { request_id: null, idempotency_key: null },
});
const bare = (sellerId: string, type: string, object_version: number, object_id = 'thg_1') =>
  withSystem('jobs', 'write', (db) =>
    appendBulk(db, origin(sellerId), [declare(type).bare(object_id, object_version)]),
  );
const whole = (sellerId: string, type: string, object_version: number, object_id = 'thg_1') => {
  const object = { [type.split('.')[0] ?? '']: object_version };
  const event = declare(type).of(object, { object_id, version: object_version, previous: {} });
  return withSystem('jobs', 'write', (db) => appendEvents(db, origin(sellerId), [event]));
};

interface Stored extends LateEvent {
  readonly data: { readonly object: unknown } | null;
}
const stored = (sellerId: string): Promise<Stored[]> =>
  withSystem('jobs', 'read', (db) =>
    db.all<Stored>(
      command`
        select seller_id, sequence, type, object_id, object_version, data
          from (${completeEventsOf(part`select * from outbox where seller_id = ${sellerId} and sequence > 0`)}) e
         order by sequence`,
    ),
  );
/** Reads the events one by one from the last to the first, and returns what all of them show then. */
async function shownBy(sellerId: string, fill: FillEvents): Promise<unknown[]> {
  await numberAll();
  for (const event of (await stored(sellerId)).reverse())
    if (event.data === null) await withSystem('jobs', 'write', (db) => fill.keeping(db, [event]));
  return (await stored(sellerId)).map(({ data, object_version }) => [object_version, data?.object]);
}

test('an event keeps the object of its first read, even if the object changes', async () => {
  const seller = ids.next('slr_');
  const versions = new Map([['thing thg_1', 1]]);
  await bare(seller, 'thing.made', 1);
  expect(await shownBy(seller, things(versions))).toEqual([[1, { thing: 1 }]]);
  versions.set('thing thg_1', 2);
  const again = await withSystem('jobs', 'write', async (db) =>
    things(versions).keeping(db, await stored(seller)),
  );
  expect([...again.values()]).toEqual([
    expect.objectContaining({ object_version: 1, data: '{"object":{"thing":1}}' }),
  ]);
});

test('no event is ahead of the next one about its object, numbered or not', async () => {
  const seller = ids.next('slr_');
  await bare(seller, 'thing.made', 1);
  await whole(seller, 'thing.changed', 2);
  await bare(seller, 'thing.changed', 3);
  await bare(seller, 'thing.changed', 4);
  await whole(seller, 'thing.changed', 5);
  await bare(seller, 'thing.changed', 6);
  const fill = things(new Map([['thing thg_1', 7]]));
  const shown = [2, 2, 5, 5, 5, 7].map((version) => [version, { thing: version }]);
  expect(await shownBy(seller, fill)).toEqual(shown);
  await bare(seller, 'thing.changed', 8);
  await numberAll();
  await whole(seller, 'thing.changed', 9);
  const last = (await stored(seller)).filter(({ data }) => data === null);
  const found = await withSystem('jobs', 'write', (db) =>
    things(new Map([['thing thg_1', 10]])).keeping(db, last),
  );
  expect([...found.values()].map(({ object_version }) => object_version)).toEqual([9]);
});

test('each kind of object that an id stands for has its own versions', async () => {
  const seller = ids.next('slr_');
  await bare(seller, 'thing.made', 1);
  await whole(seller, 'part.changed', 1);
  await bare(seller, 'part.changed', 2);
  await whole(seller, 'thing.changed', 3, 'thg_2');
  const fill = things(
    new Map([
      ['thing thg_1', 4],
      ['part thg_1', 9],
    ]),
  );
  expect(await shownBy(seller, fill)).toEqual([
    [4, { thing: 4 }],
    [1, { part: 1 }],
    [9, { part: 9 }],
    [3, { thing: 3 }],
  ]);
});

test('an event about a deleted object shows what the next event shows, the last one null', async () => {
  const seller = ids.next('slr_');
  await bare(seller, 'thing.made', 1);
  await whole(seller, 'thing.changed', 2);
  await bare(seller, 'thing.changed', 3);
  expect(await shownBy(seller, things(new Map()))).toEqual([
    [2, { thing: 2 }],
    [2, { thing: 2 }],
    [3, null],
  ]);
});

test('concurrent readers see the same, and a reader that must not wait is not blocked', async () => {
  const seller = ids.next('slr_');
  const versions = new Map([['thing thg_1', 1]]);
  await bare(seller, 'thing.made', 1);
  await bare(seller, 'thing.changed', 2);
  await numberAll();
  const [made, changed] = await stored(seller);
  if (made === undefined || changed === undefined) throw new Error('no events');
  const [reading, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = things(versions, async () => {
    reading.resolve();
    await go.promise;
  });
  const first = withSystem('jobs', 'write', (db) => slow.keeping(db, [made]));
  await reading.promise;
  versions.set('thing thg_1', 2);
  const other = withSystem('jobs', 'write', (db) => things(versions).keeping(db, [made, changed]));
  const passing = await withSystem('jobs', 'write', (db) => things(versions).atOnce(db, [changed]));
  expect(passing.get(changed)).toMatchObject({ object_version: 2 });
  expect((await stored(seller)).map(({ data }) => data)).toEqual([null, null]);
  versions.set('thing thg_1', 3);
  go.resolve();
  const [ours, theirs] = await Promise.all([first, other]);
  expect(ours.get(made)).toMatchObject({ object_version: 3 });
  expect(theirs.get(made)).toMatchObject({ object_version: 3 });
  expect(theirs.get(changed)).toMatchObject({ object_version: 3 });
});
