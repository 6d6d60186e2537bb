import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { PROFILE_INPUT_EXAMPLE } from '../schemas/profile-examples.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T01:00:00Z' });

interface Profile {
  readonly profile_id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly version: number;
  readonly zones: { name: string; countries: string[]; states: string[] }[];
}
interface Problems {
  readonly code: string;
  readonly detail: { loc: (string | number)[]; type: string }[];
}
const ZONES = PROFILE_INPUT_EXAMPLE.zones;
const create = (seller: TestSeller, body: object) =>
  seller.call<Profile>('POST', '/shipping/profiles', { json: { zones: [], ...body } });

test('a wrong price is refused at the field of its own kind', async () => {
  const seller = await app.seller();
  const refused = async (price: object) => {
    const [zone] = ZONES;
    const [service] = zone?.services ?? [];
    const zones = [{ ...zone, services: [{ ...service, price }] }];
    const { status, body } = await seller.call<Problems>('POST', '/shipping/profiles', {
      json: { name: 'P', zones },
    });
    expect(status).toBe(422);
    return body.detail.map(({ loc, type }) => [loc.slice(6).join('.'), type]);
  };
  expect(await refused({ kind: 'flat', price_minor: -1 })).toEqual([['price_minor', 'greater_than_equal']]);
  expect(await refused({ kind: 'flat' })).toEqual([['price_minor', 'missing']]);
  expect(await refused({ kind: 'weight_tiers', tiers: [{ up_to_g: 500, price_minor: 'x' }] })).toEqual([
    ['tiers.0.price_minor', 'integer_type'],
  ]);
  expect(await refused({ kind: 'free' })).toEqual([['kind', 'enum']]);
  expect(await refused({})).toEqual([['kind', 'missing']]);
});

describe('profiles', () => {
  test('are created, read, changed and deleted, each change a version', async () => {
    const seller = await app.seller();
    const made = await seller.call<Profile>('POST', '/shipping/profiles', { json: PROFILE_INPUT_EXAMPLE });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...PROFILE_INPUT_EXAMPLE,
      version: 1,
      currency: 'AUD',
      currency_exponent: 2,
    });
    expect(made.body.zones[0]).toMatchObject({ countries: ['AU'], states: [] });
    const path = `/shipping/profiles/${made.body.profile_id}`;
    expect(made.headers.get('location')).toBe(`/api/v1${path}`);

    const read = await seller.call<Profile>('GET', path);
    expect(read.body).toEqual(made.body);
    const tag = read.headers.get('etag') ?? '';
    expect((await seller.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);

    const changed = await seller.call<Profile>('PATCH', path, {
      json: { name: '  Standard 2 ', handling_days: 3 },
      headers: { 'if-match': tag },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      name: 'Standard 2',
      handling_days: 3,
      version: 2,
      zones: made.body.zones,
    });
    const stale = await seller.call<{ code: string }>('PATCH', path, {
      json: { handling_days: 4 },
      headers: { 'if-match': tag },
    });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);

    expect((await seller.call('DELETE', path, { headers: { 'if-match': tag } })).status).toBe(412);
    expect((await seller.call('DELETE', path)).status).toBe(204);
    expect((await seller.call('GET', path)).status).toBe(404);
  });

  test('one profile of a seller is the default: the first, until another becomes the default', async () => {
    const seller = await app.seller();
    const first = await create(seller, { name: 'A', is_default: false });
    expect(first.body.is_default).toBe(true);
    const given = await seller.call<Problems>('PATCH', `/shipping/profiles/${first.body.profile_id}`, {
      json: { is_default: false },
    });
    expect(given.body.detail).toMatchObject([{ loc: ['body', 'is_default'], type: 'default_required' }]);
    const second = await create(seller, { name: 'B', is_default: true });
    const list = await seller.call<{ data: Profile[] }>('GET', '/shipping/profiles');
    expect(list.body.data.map(({ name, is_default, version }) => [name, is_default, version])).toEqual([
      ['B', true, 1],
      ['A', false, 2],
    ]);
    const used = await seller.call<{ code: string }>(
      'DELETE',
      `/shipping/profiles/${second.body.profile_id}`,
    );
    expect([used.status, used.body.code]).toEqual([409, 'profile_in_use']);
    expect((await seller.call('DELETE', `/shipping/profiles/${first.body.profile_id}`)).status).toBe(204);
    expect((await seller.call('DELETE', `/shipping/profiles/${second.body.profile_id}`)).status).toBe(204);
  });

  test('concurrent writers leave one default and every name once', async () => {
    const seller = await app.seller();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create(seller, { name: `P${index % 6}`, is_default: true })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(6);
    const list = await seller.call<{ data: Profile[] }>('GET', '/shipping/profiles');
    expect(list.body.data.filter(({ is_default }) => is_default)).toHaveLength(1);
    expect(new Set(list.body.data.map(({ name }) => name)).size).toBe(6);
  });

  test('a name is unique for its seller in any case: 409 profile_name_exists', async () => {
    const seller = await app.seller();
    await create(seller, { name: 'Standard' });
    const again = await create(seller, { name: ' STANDARD ' });
    expect([again.status, again.body]).toMatchObject([409, { code: 'profile_name_exists' }]);
    expect((await create(await app.seller(), { name: 'Standard' })).status).toBe(201);
  });

  test('are listed by pages, newest first', async () => {
    const seller = await app.seller();
    for (const name of ['1', '2', '3', '4', '5']) await create(seller, { name });
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page = await seller.call<{ data: Profile[]; page: { next_cursor: string | null } }>(
        'GET',
        `/shipping/profiles?limit=2${query}`,
      );
      expect(page.body.data.length).toBeLessThanOrEqual(2);
      names.push(...page.body.data.map(({ name }) => name));
      cursor = page.body.page.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(['5', '4', '3', '2', '1']);
    const stranger = await app.seller();
    const first = await seller.call<{ page: { next_cursor: string } }>('GET', '/shipping/profiles?limit=2');
    const stolen = await stranger.call('GET', `/shipping/profiles?cursor=${first.body.page.next_cursor}`);
    expect(stolen.status).toBe(422);
  });

  test('there are a hundred at most: 409 profile_limit', async () => {
    const seller = await app.seller();
    for (let index = 0; index < 100; index += 1) await create(seller, { name: `P${index}` });
    const more = await create(seller, { name: 'one more' });
    expect([more.status, more.body]).toMatchObject([409, { code: 'profile_limit', limit: 100 }]);
  });

  test('the same key again is the same profile', async () => {
    const seller = await app.seller();
    const headers = { 'idempotency-key': randomUUID() };
    const [one, two] = [
      await seller.call<Profile>('POST', '/shipping/profiles', { json: PROFILE_INPUT_EXAMPLE, headers }),
      await seller.call<Profile>('POST', '/shipping/profiles', { json: PROFILE_INPUT_EXAMPLE, headers }),
    ];
    expect(two.body).toEqual(one.body);
    expect(two.headers.get('idempotent-replayed')).toBe('true');
  });

  test('another seller cannot see them', async () => {
    const seller = await app.seller();
    const stranger = await app.seller();
    const { body } = await create(seller, { name: 'Mine' });
    const path = `/shipping/profiles/${body.profile_id}`;
    for (const [method, json] of [
      ['GET', undefined],
      ['PATCH', { name: 'Theirs' }],
      ['DELETE', undefined],
    ] as const)
      expect((await stranger.call(method, path, json === undefined ? {} : { json })).status).toBe(404);
    expect((await stranger.call<{ data: [] }>('GET', '/shipping/profiles')).body.data).toEqual([]);
    expect((await seller.call<Profile>('GET', path)).body.name).toBe('Mine');
  });
});

const zone = (more: object) => ({ name: 'Z', services: ZONES[0]?.services, ...more });
const service = (more: object) => zone({ services: [{ ...ZONES[0]?.services[0], ...more }] });
const tiers = (list: object[], kind = 'weight_tiers') => service({ price: { kind, tiers: list } });

describe('invalid profiles', () => {
  test.each<[string, object, (string | number)[], string]>([
    ['a time zone that is none', { timezone: 'Mars/Olympus' }, ['timezone'], 'timezone_unknown'],
    ['an offset as a time zone', { timezone: '+10:00' }, ['timezone'], 'timezone_unknown'],
    ['a zone twice', { zones: [zone({}), zone({})] }, ['zones', 1, 'name'], 'duplicate'],
    ['a state that is none', { zones: [zone({ states: ['XYZ'] })] }, ['zones', 0, 'states', 0], 'enum'],
    [
      'postcodes backwards',
      { zones: [zone({ postcodes: [{ from: '3000', to: '2000' }] })] },
      ['zones', 0, 'postcodes', 0, 'to'],
      'range_order',
    ],
    [
      'states of another country',
      { zones: [zone({ countries: ['NZ'], states: ['NSW'] })] },
      ['zones', 0, 'countries'],
      'country_mismatch',
    ],
    [
      'a carrier that is none',
      { zones: [service({ carrier: 'pigeon' })] },
      ['zones', 0, 'services', 0, 'carrier'],
      'carrier_unknown',
    ],
    [
      'a service of another carrier',
      { zones: [service({ service: 'gold' })] },
      ['zones', 0, 'services', 0, 'service'],
      'service_unknown',
    ],
    [
      'a service twice',
      { zones: [zone({ services: [ZONES[0]?.services[0], ZONES[0]?.services[0]] })] },
      ['zones', 0, 'services', 1, 'service'],
      'duplicate',
    ],
    [
      'transit backwards',
      { zones: [service({ transit_days_min: 5, transit_days_max: 2 })] },
      ['zones', 0, 'services', 0, 'transit_days_max'],
      'range_order',
    ],
    [
      'tiers that fall',
      {
        zones: [
          tiers([
            { up_to_g: 500, price_minor: 1 },
            { up_to_g: 500, price_minor: 2 },
          ]),
        ],
      },
      ['zones', 0, 'services', 0, 'price', 'tiers', 1, 'up_to_g'],
      'tier_order',
    ],
    [
      'an open tier that is not the last',
      {
        zones: [
          tiers(
            [
              { up_to_minor: null, price_minor: 1 },
              { up_to_minor: 500, price_minor: 2 },
            ],
            'price_tiers',
          ),
        ],
      },
      ['zones', 0, 'services', 0, 'price', 'tiers', 0, 'up_to_minor'],
      'tier_order',
    ],
  ])('%s', async (_, body, loc, type) => {
    const seller = await app.seller();
    const { status, body: answer } = await seller.call<Problems>('POST', '/shipping/profiles', {
      json: { name: 'X', zones: [], ...body },
    });
    expect(status).toBe(422);
    expect(answer.detail).toMatchObject([{ loc: ['body', ...loc], type }]);
  });

  test.each<[string, object]>([
    ['a price below zero', { zones: [service({ price: { kind: 'flat', price_minor: -1 } })] }],
    ['a price with decimals', { zones: [service({ price: { kind: 'flat', price_minor: 9.95 } })] }],
    ['a price as text', { zones: [service({ price: { kind: 'flat', price_minor: '995' } })] }],
    ['a price that no reader can hold', { zones: [service({ price: { kind: 'flat', price_minor: 1e16 } })] }],
    ['no tier', { zones: [tiers([])] }],
    ['another kind of price', { zones: [service({ price: { kind: 'auction', price_minor: 1 } })] }],
    ['tiers of the other kind', { zones: [tiers([{ up_to_minor: 1, price_minor: 1 }])] }],
    ['no working day', { working_days: [] }],
    ['a day that is none', { working_days: ['someday'] }],
    ['a time of day that is none', { cut_off: '24:00' }],
    ['a postcode of three digits', { zones: [zone({ postcodes: [{ from: '200', to: '300' }] })] }],
    ['a name of blanks', { name: '   ' }],
    ['a character that cannot be stored', { name: 'a\u0000b' }],
    ['a key that is unknown', { colour: 'red' }],
    ['fifty-one zones', { zones: Array.from({ length: 51 }, (_, index) => zone({ name: `Z${index}` })) }],
  ])('%s', async (_, body) => {
    const seller = await app.seller();
    const { status } = await seller.call('POST', '/shipping/profiles', {
      json: { name: 'X', zones: [], ...body },
    });
    expect(status).toBe(422);
    expect((await seller.call<{ data: [] }>('GET', '/shipping/profiles')).body.data).toEqual([]);
  });
});
