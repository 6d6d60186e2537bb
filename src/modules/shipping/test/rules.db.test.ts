import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T01:00:00Z' });

interface Rule {
  readonly rule_id: string;
  readonly name: string;
  readonly position: number;
  readonly version: number;
}
const profile = async (seller: TestSeller, name: string): Promise<string> =>
  (await seller.call<{ profile_id: string }>('POST', '/shipping/profiles', { json: { name, zones: [] } }))
    .body.profile_id;
const rule = (seller: TestSeller, json: object) => seller.call<Rule>('POST', '/shipping/rules', { json });

describe('rules', () => {
  test('are created, read, changed and deleted, each change a version', async () => {
    const seller = await app.seller();
    const profile_id = await profile(seller, 'A');
    const made = await rule(seller, { name: ' Desks ', profile_id, sku_prefixes: ['DESK-'] });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Desks', position: 10, enabled: true, skus: [], version: 1 });
    const path = `/shipping/rules/${made.body.rule_id}`;
    const tag = (await seller.call('GET', path)).headers.get('etag') ?? '';
    const changed = await seller.call<Rule>('PATCH', path, {
      json: { enabled: false },
      headers: { 'if-match': tag },
    });
    expect(changed.body).toMatchObject({ enabled: false, version: 2, sku_prefixes: ['DESK-'] });
    expect(
      (await seller.call('PATCH', path, { json: { enabled: true }, headers: { 'if-match': tag } })).status,
    ).toBe(412);
    expect((await seller.call('DELETE', path, { headers: { 'if-match': tag } })).status).toBe(412);
    expect((await seller.call('DELETE', path)).status).toBe(204);
    expect((await seller.call('DELETE', path)).status).toBe(404);
  });

  test('are listed in the order in which they apply, by pages, of one profile on request', async () => {
    const seller = await app.seller();
    const [one, two] = [await profile(seller, 'A'), await profile(seller, 'B')];
    for (const [name, profile_id, position] of [
      ['c', one, 30],
      ['a', two, 10],
      ['b', one, 10],
      ['d', one, undefined],
    ] as const)
      await rule(seller, { name, profile_id, skus: ['X'], ...(position === undefined ? {} : { position }) });
    const names: string[] = [];
    let query = 'limit=3';
    for (;;) {
      const { body } = await seller.call<{ data: Rule[]; page: { next_cursor: string | null } }>(
        'GET',
        `/shipping/rules?${query}`,
      );
      names.push(...body.data.map(({ name }) => name));
      if (body.page.next_cursor === null) break;
      query = `limit=3&cursor=${body.page.next_cursor}`;
    }
    expect(names).toEqual(['a', 'b', 'c', 'd']);
    const some = await seller.call<{ data: Rule[] }>('GET', `/shipping/rules?profile_id=${two}`);
    expect(some.body.data.map(({ name }) => name)).toEqual(['a']);
  });

  test('a profile that rules use cannot be deleted: 409 profile_in_use with the rules', async () => {
    const seller = await app.seller();
    await profile(seller, 'Default');
    const profile_id = await profile(seller, 'B');
    const made = await rule(seller, { name: 'r', profile_id, skus: ['X'] });
    const { status, body } = await seller.call<Record<string, unknown>>(
      'DELETE',
      `/shipping/profiles/${profile_id}`,
    );
    expect([status, body['code'], body['rule_ids']]).toEqual([409, 'profile_in_use', [made.body.rule_id]]);
  });

  test('a rule names a profile of the seller, and products', async () => {
    const seller = await app.seller();
    const stranger = await app.seller();
    const theirs = await profile(stranger, 'Theirs');
    const mine = await profile(seller, 'Mine');
    const wrong = await rule(seller, { name: 'r', profile_id: theirs, skus: ['X'] });
    expect([wrong.status, wrong.body]).toMatchObject([422, { detail: [{ type: 'profile_unknown' }] }]);
    const empty = await rule(seller, { name: 'r', profile_id: mine });
    expect([empty.status, empty.body]).toMatchObject([422, { detail: [{ loc: ['body', 'skus'] }] }]);
    const good = await rule(seller, { name: 'r', profile_id: mine, skus: ['X'] });
    for (const method of ['GET', 'DELETE'])
      expect((await stranger.call(method, `/shipping/rules/${good.body.rule_id}`)).status).toBe(404);
    const taken = await stranger.call('PATCH', `/shipping/rules/${good.body.rule_id}`, {
      json: { name: 'x' },
    });
    expect(taken.status).toBe(404);
  });

  test('there are a hundred at most: 409 rule_limit', async () => {
    const seller = await app.seller();
    const profile_id = await profile(seller, 'A');
    for (let index = 0; index < 100; index += 1) await rule(seller, { name: 'r', profile_id, skus: ['X'] });
    const more = await rule(seller, { name: 'r', profile_id, skus: ['X'] });
    expect([more.status, more.body]).toMatchObject([409, { code: 'rule_limit', limit: 100 }]);
  });

  test('concurrent requests give each rule its own position and never exceed the limit', async () => {
    const seller = await app.seller();
    const profile_id = await profile(seller, 'A');
    const make = (count: number) =>
      Promise.all(Array.from({ length: count }, () => rule(seller, { name: 'r', profile_id, skus: ['X'] })));
    const first = await make(20);
    expect(new Set(first.map(({ body }) => body.position)).size).toBe(20);
    for (const count of [20, 20, 20, 15]) await make(count);
    const statuses = (await make(20)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 409)).toHaveLength(15);
  });

  test('a new rule follows a rule at the last position', async () => {
    const seller = await app.seller();
    const profile_id = await profile(seller, 'A');
    const last = { name: 'last', profile_id, skus: ['X'], position: 1_000_000 };
    const names = ['last', 'after', 'at the end'];
    await rule(seller, last);
    for (const name of names.slice(1))
      expect((await rule(seller, { name, profile_id, skus: ['X'] })).status).toBe(201);
    const { body } = await seller.call<{ data: Rule[] }>('GET', '/shipping/rules');
    expect(body.data.map(({ name }) => name)).toEqual(names);
  });
});

interface Simulation {
  readonly draft: boolean;
  readonly dispatch_by: string;
  readonly baskets: {
    readonly weight_g: number;
    readonly goods_minor: number;
    readonly zone: string | null;
    readonly services: Record<string, unknown>[];
  }[];
  readonly skus_affected: { total: number; by_default: number; by_rule: { rule_id: string; skus: number }[] };
}

const offer = (carrier: string, service: string, price: object) => ({
  carrier,
  service,
  transit_days_min: 1,
  transit_days_max: 2,
  price,
});
const PROFILE = {
  name: 'Simulated',
  handling_days: 1,
  cut_off: '14:00',
  zones: [
    {
      name: 'Sydney',
      postcodes: [{ from: '2000', to: '2249' }],
      services: [offer('own', 'express', { kind: 'flat', price_minor: 995, free_over_minor: 10_000 })],
    },
    {
      name: 'Australia',
      services: [
        offer('australia_post', 'parcel_post', {
          kind: 'weight_tiers',
          tiers: [
            { up_to_g: 500, price_minor: 895 },
            { up_to_g: 5_000, price_minor: 1_495 },
          ],
        }),
        offer('toll', 'priority', {
          kind: 'price_tiers',
          tiers: [
            { up_to_minor: 5_000, price_minor: 2_000 },
            { up_to_minor: null, price_minor: 0 },
          ],
        }),
      ],
    },
  ],
};
const basket = (to: object, quantity: number, weight_g: number, price_minor: number) => ({
  to: { country: 'AU', ...to },
  lines: [{ quantity, weight_g, price_minor }],
});
const SYDNEY = { state: 'NSW', postcode: '2000' };
const PERTH = { state: 'WA', postcode: '6000' };

describe('simulation', () => {
  test('shows what each service costs, and which part decided why', async () => {
    const seller = await app.seller();
    const made = await seller.call<{ profile_id: string }>('POST', '/shipping/profiles', { json: PROFILE });
    const { status, body } = await seller.call<Simulation>(
      'POST',
      `/shipping/profiles/${made.body.profile_id}/simulate`,
      {
        json: {
          baskets: [
            basket(SYDNEY, 2, 400, 2_499),
            basket(SYDNEY, 4, 400, 2_500),
            basket(PERTH, 1, 500, 5_000),
            basket(PERTH, 1, 501, 5_001),
            basket(PERTH, 11, 500, 100),
            basket({ ...PERTH, line1: 'PO Box 12' }, 1, 100, 100),
            basket({ country: 'NZ', postcode: '1010' }, 1, 100, 100),
          ],
        },
      },
    );
    expect(status).toBe(200);
    expect(body.draft).toBe(false);
    const seen = body.baskets.map(({ zone, services }) => [
      zone,
      services.map(({ price_minor, matched, tier, reason }) => [price_minor, matched, tier, reason]),
    ]);
    expect(seen).toEqual([
      ['Sydney', [[995, 'flat', null, null]]],
      ['Sydney', [[0, 'free_over', null, null]]],
      [
        'Australia',
        [
          [895, 'weight_tier', 0, null],
          [2_000, 'price_tier', 0, null],
        ],
      ],
      [
        'Australia',
        [
          [1_495, 'weight_tier', 1, null],
          [0, 'price_tier', 1, null],
        ],
      ],
      [
        'Australia',
        [
          [null, null, null, 'above_last_tier'],
          [2_000, 'price_tier', 0, null],
        ],
      ],
      [
        'Australia',
        [
          [895, 'weight_tier', 0, null],
          [null, null, null, 'po_box_refused'],
        ],
      ],
      [null, []],
    ]);
    expect(body.baskets[1]).toMatchObject({ weight_g: 1_600, goods_minor: 10_000 });
    expect(body.baskets[1]?.services[0]?.['why']).toContain('100.00');
    // Sunday 11:00 in Sydney counts as Monday. One working day later is the end of Tuesday.
    expect(body.dispatch_by).toBe('2026-06-30T14:00:00.000Z');
  });

  test('tries a change without saving it', async () => {
    const seller = await app.seller();
    const made = await seller.call<{ profile_id: string }>('POST', '/shipping/profiles', { json: PROFILE });
    const path = `/shipping/profiles/${made.body.profile_id}`;
    const zones = [{ name: 'All', services: [offer('own', 'standard', { kind: 'flat', price_minor: 1 })] }];
    const json = { profile: { zones, handling_days: 3 }, baskets: [basket(PERTH, 1, 1, 1)] };
    const tried = await seller.call<Simulation>('POST', `${path}/simulate`, { json });
    expect(tried.body).toMatchObject({
      draft: true,
      baskets: [{ zone: 'All', services: [{ price_minor: 1 }] }],
    });
    expect((await seller.call('GET', path)).body).toEqual(made.body);
    const wrong = { ...json, profile: { timezone: 'Nowhere' } };
    const refused = await seller.call<{ detail: object[] }>('POST', `${path}/simulate`, { json: wrong });
    expect(refused.body.detail).toMatchObject([{ loc: ['body', 'profile', 'timezone'] }]);
  });

  test('a postcode outside its state is named', async () => {
    const seller = await app.seller();
    const made = await seller.call<{ profile_id: string }>('POST', '/shipping/profiles', { json: PROFILE });
    const json = { baskets: [basket(SYDNEY, 1, 1, 1), basket({ state: 'VIC', postcode: '2000' }, 1, 1, 1)] };
    const { status, body } = await seller.call<{ detail: object[] }>(
      'POST',
      `/shipping/profiles/${made.body.profile_id}/simulate`,
      { json },
    );
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      { loc: ['body', 'baskets', 1, 'to', 'postcode'], type: 'postcode_outside_state' },
    ]);
  });

  test('counts the products of the profile by the first rule that names them', async () => {
    const seller = await app.seller();
    const stranger = await app.seller();
    const standard = await profile(seller, 'Standard');
    const bulky = await profile(seller, 'Bulky');
    for (const [sku, category] of [
      ['DESK-1', 'Office'],
      ['DESK-2', 'Office'],
      ['LAMP-1', 'Office'],
      ['LAMP-2', 'Light'],
      ['MUG', 'Kitchen'],
    ])
      await seller.call('POST', '/products', { json: { seller_sku: sku, category, status: 'draft' } });
    await stranger.call('POST', '/products', { json: { seller_sku: 'DESK-9', status: 'draft' } });
    const gone = await seller.call<{ product_id: string }>('POST', '/products', {
      json: { seller_sku: 'DESK-3', status: 'draft' },
    });
    await seller.call('DELETE', `/products/${gone.body.product_id}`);
    const exact = await rule(seller, { name: 'exact', profile_id: standard, skus: ['DESK-2'], position: 1 });
    const desks = await rule(seller, {
      name: 'desks',
      profile_id: bulky,
      sku_prefixes: ['DESK-'],
      position: 2,
    });
    const office = await rule(seller, {
      name: 'office',
      profile_id: bulky,
      categories: ['Office'],
      position: 3,
    });
    await rule(seller, { name: 'off', profile_id: bulky, skus: ['MUG'], position: 0, enabled: false });
    const count = async (profile_id: string) => {
      const json = { baskets: [basket(SYDNEY, 1, 1, 1)] };
      const path = `/shipping/profiles/${profile_id}/simulate`;
      return (await seller.call<Simulation>('POST', path, { json })).body.skus_affected;
    };
    expect(await count(standard)).toEqual({
      total: 3,
      by_product: 0,
      by_default: 2,
      by_rule: [{ rule_id: exact.body.rule_id, skus: 1 }],
    });
    expect(await count(bulky)).toEqual({
      total: 2,
      by_product: 0,
      by_default: 0,
      by_rule: [
        { rule_id: desks.body.rule_id, skus: 1 },
        { rule_id: office.body.rule_id, skus: 1 },
      ],
    });
  });

  test('another seller cannot try a profile', async () => {
    const seller = await app.seller();
    const profile_id = await profile(seller, 'Mine');
    const json = { baskets: [basket(SYDNEY, 1, 1, 1)] };
    const stranger = await app.seller();
    expect((await stranger.call('POST', `/shipping/profiles/${profile_id}/simulate`, { json })).status).toBe(
      404,
    );
  });
});
