import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { applied, eventually, goodsFile } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { WINDOWS_MAX } from '../actions/pull-events.ts';
import { WINDOW_SIZE } from '../store/event-window.ts';

const app = await startTestApp();

interface Pulled {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly object_version: number;
  readonly seller_id: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> | null };
}
interface EventsBody {
  readonly data: readonly Pulled[];
  readonly page: { readonly has_more: boolean; readonly next_cursor: string | null };
  readonly last_sequence: number;
}

const pull = async (seller: TestSeller, query = ''): Promise<EventsBody> =>
  (await seller.call<EventsBody>('GET', `/webhooks/events${query}`)).body;

/** Pulls all events, page after page. */
async function pullAll(seller: TestSeller, query = ''): Promise<Pulled[]> {
  const all: Pulled[] = [];
  for (let cursor = ''; ; ) {
    const { data, page } = await pull(seller, `?limit=200${query}${cursor}`);
    all.push(...data);
    if (page.next_cursor === null) return all;
    cursor = `&cursor=${page.next_cursor}`;
  }
}
const upTo = (seller: TestSeller, count: number): Promise<Pulled[]> =>
  eventually(
    () => pullAll(seller),
    (events) => events.length >= count,
  );
const numbers = (events: readonly Pulled[]): number[] => events.map(({ sequence }) => sequence);
const from1 = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('events are numbered from 1 without a gap, in the order of the changes', async () => {
  const seller = await app.seller();
  const { product_id: id } = await create(seller, { quantity_on_hand: 2 });
  await seller.call('PATCH', `/products/${id}`, { json: { title: 'Other' } });
  const events = await upTo(seller, 3);
  expect(numbers(events)).toEqual([1, 2, 3]);
  expect(events.map(({ type }) => type)).toEqual(['product.created', 'inventory.updated', 'product.updated']);
  expect(events[2]).toMatchObject({
    api_version: 'v1',
    seller_id: seller.seller_id,
    object_version: 2,
    data: { object: { title: 'Other' } },
    test: false,
  });
});

test('each seller has numbers of its own and sees no events of another', async () => {
  const [one, other] = [await app.seller(), await app.seller()];
  await Promise.all(
    [one, other, one, other, one].map((seller, index) => create(seller, { seller_sku: `SKU-${index}` })),
  );
  const [ours, theirs] = [await upTo(one, 3), await upTo(other, 2)];
  expect(numbers(ours)).toEqual(from1(3));
  expect(numbers(theirs)).toEqual(from1(2));
  expect(new Set(ours.map(({ seller_id }) => seller_id))).toEqual(new Set([one.seller_id]));
});

test('the events of a feed carry the object as it stood when they were numbered', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, goodsFile(300, 'MUG'));
  // One event for the change of plan, two for each product, and one for the end of the run.
  const events = await upTo(seller, 602);
  expect(numbers(events)).toEqual(from1(events.length));
  const created = events.filter(({ type }) => type === 'product.created');
  expect(created).toHaveLength(300);
  for (const { data, object_version } of created)
    expect(data.object).toMatchObject({
      product_id: expect.stringMatching(/^prd_/),
      version: object_version,
    });
  expect(events.at(-1)).toMatchObject({
    type: 'feed_run.completed',
    data: { object: { status: 'succeeded', counts: { created: 300 } } },
  });
});

test('many concurrent writers leave no gap and no duplicate', async () => {
  const seller = await app.seller();
  await Promise.all(from1(40).map((index) => create(seller, { seller_sku: `SKU-${index}` })));
  const events = await upTo(seller, 40);
  expect(numbers(events)).toEqual(from1(40));
  expect(new Set(events.map(({ id }) => id)).size).toBe(40);
});

test('types filter, with wildcards; the numbers count all events', async () => {
  const seller = await app.seller();
  await create(seller, { quantity_on_hand: 5 });
  await upTo(seller, 2);
  const stock = await pull(seller, '?types=inventory.*');
  expect(stock.data.map(({ type, sequence }) => [type, sequence])).toEqual([['inventory.updated', 2]]);
  expect(stock.last_sequence).toBe(2);
  expect((await pull(seller, '?types=order.*,product.created')).data).toHaveLength(1);
  expect((await pull(seller, '?types=*')).data).toHaveLength(2);
  expect((await seller.call('GET', '/webhooks/events?types=Order!')).status).toBe(422);
});

/** Writes events of a seller with the given numbers, as if they had been numbered and read. */
async function write({ seller_id }: TestSeller, types: Readonly<Record<number, string>>): Promise<void> {
  const sequences = Object.keys(types).map(Number);
  const at = new Date(app.app.services.now()).toISOString();
  await runOn(app.database.adminUrl, async (client) => {
    await client.query(
      'insert into outbox (seller_id, event_id, type, object_id, object_version, data, correlation, created_at, sequence) ' +
        "select $1::text, 'evt_' || $1::text || n, type, 'prd_1', 1, '{\"object\":null}', 'null', $2::timestamptz, n " +
        'from unnest($3::bigint[], $4::text[]) e (n, type)',
      [seller_id, at, sequences, Object.values(types)],
    );
    await client.query(
      'insert into event_sequence (seller_id, last) values ($1, $2) on conflict (seller_id) do update set last = excluded.last',
      [seller_id, Math.max(...sequences)],
    );
  });
}

test('a rare type in a long history is searched in steps that miss nothing and do not wait', async () => {
  const seller = await app.seller();
  // Each window has one event, and there are more windows than one request searches. Earlier events are deleted.
  const middle = Array.from(
    { length: WINDOWS_MAX + 2 },
    (_, index) => [(index + 5) * WINDOW_SIZE, 'product.updated'] as const,
  );
  const first = 5 * WINDOW_SIZE;
  const last = (WINDOWS_MAX + 7) * WINDOW_SIZE;
  await write(seller, {
    ...Object.fromEntries(middle),
    [first + 1]: 'product.created',
    [last]: 'order.expired',
  });
  const empty = await pull(seller, '?types=order.*&wait=25');
  expect(empty).toMatchObject({ data: [], page: { has_more: true }, last_sequence: last });
  expect(numbers(await pullAll(seller, '&types=order.*'))).toEqual([last]);
  expect(numbers(await pullAll(seller, '&types=product.updated'))).toEqual(middle.map(([number]) => number));
  const page = await pull(seller, '?types=product.*&limit=2');
  expect([numbers(page.data), page.page.has_more]).toEqual([[first, first + 1], true]);
  for (const query of [`order.*&after_sequence=${last}`, `order.shipped&after_sequence=${last - 1}`])
    expect(await pull(seller, `?types=${query}`)).toMatchObject({
      data: [],
      page: { has_more: false, next_cursor: null },
    });
});

test.each([
  ['events?types=product.exploded', 'types', 'event_type_unknown'],
  ['events?types=product.created,nothing.*', 'types', 'event_type_unknown'],
  ['events?types=product_created', 'types', 'event_type_unknown'],
  ['events?types=seller.registered', 'types', 'event_type_unknown'],
  ['events?types=prod*', 'types', 'string_pattern_mismatch'],
  ['deliveries?type=product.exploded', 'type', 'event_type_unknown'],
  ['deliveries?type=product.*', 'type', 'event_type_unknown'],
])(
  'GET /webhooks/%s refuses an unknown type at %s instead of answering an empty list',
  async (path, name, type) => {
    const { status, body } = await (await app.seller()).call('GET', `/webhooks/${path}`);
    expect([status, body]).toMatchObject([422, { detail: [{ loc: ['query', name], type }] }]);
  },
);

test('the refusal says where the types are listed', async () => {
  const { text } = await (await app.seller()).call('GET', '/webhooks/events?types=product.exploded');
  expect(text).toContain('GET /webhooks/event-types');
});

test('a long poll is answered when an event happens, and not before', async () => {
  const seller = await app.seller();
  const waiting = pull(seller, '?wait=25&types=product.*');
  await create(seller);
  expect((await waiting).data.map(({ type }) => type)).toEqual(['product.created']);
});

test('a long poll without an event is answered when its time is over', async () => {
  const seller = await app.seller();
  expect(await pull(seller, '?wait=1')).toMatchObject({ data: [], last_sequence: 0 });
  expect((await seller.call('GET', '/webhooks/events?wait=26')).status).toBe(422);
});

test('after_sequence begins after a number; a cursor continues after the page', async () => {
  const seller = await app.seller();
  await Promise.all(from1(5).map((index) => create(seller, { seller_sku: `SKU-${index}` })));
  await upTo(seller, 5);
  const first = await pull(seller, '?after_sequence=1&limit=2');
  expect(numbers(first.data)).toEqual([2, 3]);
  const second = await pull(seller, `?after_sequence=1&limit=2&cursor=${first.page.next_cursor}`);
  expect(numbers(second.data)).toEqual([4, 5]);
  expect((await seller.call('GET', `/webhooks/events?limit=2&cursor=${first.page.next_cursor}`)).status).toBe(
    422,
  );
});

test('the marketplace reads the sellers’ events in one order, and those of new sellers', async () => {
  const outboxAfter = async (after: string) => {
    const response = await fetch(`${app.internalUrl}/internal/v1/outbox?after=${after}&limit=1000`, {
      headers: { authorization: `Bearer ${app.internalToken}` },
    });
    return (await response.json()) as {
      data: { position: string; type: string; seller_id: string }[];
      next_after: string;
    };
  };
  const before = (await outboxAfter('0')).next_after;
  const seller = await app.seller();
  await create(seller, { quantity_on_hand: 1 });
  const { data } = await eventually(
    () => outboxAfter(before),
    (page) => page.data.filter(({ seller_id }) => seller_id === seller.seller_id).length >= 3,
  );
  const own = data.filter(({ seller_id }) => seller_id === seller.seller_id);
  expect(own.map(({ type }) => type)).toEqual(['seller.registered', 'product.created', 'inventory.updated']);
  const positions = data.map(({ position }) => Number(position));
  expect(positions).toEqual(positions.map((_, index) => Number(before) + 1 + index));
  // Only the marketplace gets this event.
  expect((await pullAll(seller)).map(({ type }) => type)).not.toContain('seller.registered');
});

test.each(['after=-1', 'after=1e3', 'limit=0', 'limit=1001', 'limit=x', 'page=2', 'after=01'])(
  'the outbox refuses %s and names it',
  async (query) => {
    const response = await fetch(`${app.internalUrl}/internal/v1/outbox?${query}`, {
      headers: { authorization: `Bearer ${app.internalToken}` },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
  },
);

test('event types are listed with schema and example', async () => {
  const seller = await app.seller();
  interface EventTypes {
    readonly data: readonly { readonly type: string; readonly schema: object; readonly example: object }[];
    readonly page: { readonly next_cursor: string | null };
  }
  const listed: EventTypes['data'][number][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await seller.call<EventTypes>('GET', `/webhooks/event-types?limit=20${query}`);
    expect(body.data.length).toBeLessThanOrEqual(20);
    listed.push(...body.data);
    cursor = body.page.next_cursor;
  }
  const types = listed.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
  expect(types).toContain('product.created');
  expect(types).not.toContain('seller.registered');
  expect(types).toEqual([...types].sort());
  const asked = await seller.call<EventTypes>('GET', '/webhooks/event-types?types=refund.*,order.created');
  expect(asked.body.data.map(({ type }) => type)).toEqual(
    types.filter((type) => type === 'order.created' || type.startsWith('refund.')),
  );
  const unknown = await seller.call('GET', '/webhooks/event-types?types=nothing.*');
  expect([unknown.status, unknown.body]).toMatchObject([422, { detail: [{ loc: ['query', 'types'] }] }]);
  for (const { type, example } of listed) expect(example).toMatchObject({ type, sequence: 42 });
  // The first page of all types is short without schemas, and each type has its own.
  const summary = await seller.call<EventTypes>('GET', '/webhooks/event-types?view=summary&limit=200');
  expect(summary.text.length).toBeLessThan(50_000);
  expect(summary.body.data).toEqual(listed.map((one) => ({ ...one, schema: null, example: null })));
  for (const one of listed.slice(0, 3)) {
    const read = await seller.call('GET', `/webhooks/event-types/${one.type}`);
    expect([read.status, read.body]).toEqual([200, one]);
    const headers = { 'if-none-match': read.headers.get('etag') ?? '' };
    expect((await seller.call('GET', `/webhooks/event-types/${one.type}`, { headers })).status).toBe(304);
  }
  for (const name of ['nothing.happened', 'order.*', 'seller.registered'])
    expect((await seller.call('GET', `/webhooks/event-types/${name}`)).status).toBe(404);
});
