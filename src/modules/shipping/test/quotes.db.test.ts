import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { takeQuote } from '../actions/take-quote.ts';
import { QUOTE_INPUT_EXAMPLE } from '../schemas/quote.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T01:00:00Z' });

interface Quote {
  readonly quote_id: string;
  readonly status: string;
  readonly options: { option_id: string; carrier: string; service: string; price_minor: number }[];
  readonly refused: { carrier: string; service: string | null; reason: string }[];
  readonly expires_at: string;
  readonly used_option_id: string | null;
}
const ask = (seller: TestSeller, change: object = {}) =>
  seller.call<Quote>('POST', '/shipping/quotes', { json: { ...QUOTE_INPUT_EXAMPLE, ...change } });
const parcel = (change: object = {}) => ({
  weight_g: 500,
  length_mm: 100,
  width_mm: 100,
  height_mm: 100,
  ...change,
});

describe('a quote', () => {
  test('holds options with prices, the cheapest first, for 24 hours', async () => {
    const seller = await app.seller();
    const { status, body, headers } = await ask(seller);
    expect(status).toBe(201);
    expect(body.status).toBe('open');
    expect(body.expires_at).toBe(new Date(app.app.services.now() + 24 * 3_600_000).toISOString());
    // The parcel of 9 l weighs 1,250 g and counts as 2,250 g, so it is in the class up to 3 kg.
    expect(body.options.map(({ option_id, price_minor }) => [option_id, price_minor])).toEqual([
      ['own.standard', 1595],
      ['own.express', 2395],
    ]);
    const path = headers.get('location') ?? '';
    expect(path).toBe(`/api/v1/shipping/quotes/${body.quote_id}`);
    expect((await seller.call('GET', path.replace('/api/v1', ''))).body).toEqual(body);
  });

  test('says why it has no options', async () => {
    const seller = await app.seller();
    const reasons = async (change: object) => {
      const { status, body } = await ask(seller, change);
      expect([status, body.options]).toEqual([201, []]);
      return body.refused.map(({ service, reason }) => [service, reason]);
    };
    const both = (reason: string) => [
      ['standard', reason],
      ['express', reason],
    ];
    expect(await reasons({ to: { country: 'NZ', postcode: '1010' } })).toEqual(both('country_not_served'));
    const box = { ...QUOTE_INPUT_EXAMPLE.to, line1: 'PO Box 1' };
    expect(await reasons({ to: box })).toEqual([[null, 'po_box_refused']]);
    const locker = { ...QUOTE_INPUT_EXAMPLE.to, line2: 'Parcel Locker 10012 34567' };
    expect(await reasons({ to: locker })).toEqual([[null, 'parcel_locker_refused']]);
  });

  test('own delivery takes up to 1,000 kg and 10 m, and names these limits', async () => {
    const seller = await app.seller();
    for (const change of [
      { weight_g: 22_001 },
      { length_mm: 1_051 },
      { weight_g: 1_000_000, length_mm: 10_000 },
      { length_mm: 1_000, width_mm: 600, height_mm: 600 },
    ]) {
      const { status, body } = await ask(seller, { packages: [parcel(change)] });
      expect([status, body.refused, body.options.length], JSON.stringify(change)).toEqual([201, [], 2]);
    }
    for (const [field, limit] of [
      ['weight_g', 1_000_000],
      ['length_mm', 10_000],
    ] as const) {
      const json = { ...QUOTE_INPUT_EXAMPLE, packages: [parcel({ [field]: limit + 1 })] };
      const { status, body } = await seller.call<{ detail: object[] }>('POST', '/shipping/quotes', { json });
      expect([status, body.detail[0]]).toMatchObject([
        422,
        {
          loc: ['body', 'packages', 0, field],
          msg: expect.stringContaining(String(limit)),
          input: limit + 1,
        },
      ]);
    }
  });

  test('a carrier without a connection is named: 409 carrier_not_connected if there is no other', async () => {
    const seller = await app.seller();
    const alone = await seller.call<Record<string, unknown>>('POST', '/shipping/quotes', {
      json: { ...QUOTE_INPUT_EXAMPLE, carriers: ['sendle'] },
    });
    expect([alone.status, alone.body['code'], alone.body['carrier']]).toEqual([
      409,
      'carrier_not_connected',
      'sendle',
    ]);
    const both = await ask(seller, { carriers: ['own', 'sendle'] });
    expect(both.body.options).toHaveLength(2);
    expect(both.body.refused).toEqual([
      { carrier: 'sendle', service: null, reason: 'carrier_not_connected' },
    ]);
  });

  test('the same key again is the same quote', async () => {
    const seller = await app.seller();
    const options = { json: QUOTE_INPUT_EXAMPLE, headers: { 'idempotency-key': randomUUID() } };
    const one = await seller.call<Quote>('POST', '/shipping/quotes', options);
    const two = await seller.call<Quote>('POST', '/shipping/quotes', options);
    expect(two.body.quote_id).toBe(one.body.quote_id);
  });

  test('of another seller is 404', async () => {
    const { body } = await ask(await app.seller());
    expect((await (await app.seller()).call('GET', `/shipping/quotes/${body.quote_id}`)).status).toBe(404);
  });
});

describe('an invalid request for a quote', () => {
  test.each<[string, object, (string | number)[], string]>([
    [
      'a postcode outside its state',
      { to: { state: 'VIC', postcode: '2000', country: 'AU' } },
      ['to', 'postcode'],
      'postcode_outside_state',
    ],
    [
      'a state that is none',
      { to: { state: 'ZZ', postcode: '2000', country: 'AU' } },
      ['to', 'state'],
      'enum',
    ],
    [
      'a postcode of three digits',
      { to: { state: 'NSW', postcode: '200', country: 'AU' } },
      ['to', 'postcode'],
      'string_pattern_mismatch',
    ],
    ['no postcode', { to: { state: 'NSW', country: 'AU' } }, ['to', 'postcode'], 'string_pattern_mismatch'],
    ['an origin that is nowhere', { from_postcode: '0000' }, ['from_postcode'], 'postcode_unknown'],
  ])('%s: the field is named', async (_, change, loc, type) => {
    const seller = await app.seller();
    const { status, body } = await seller.call<{ detail: object[] }>('POST', '/shipping/quotes', {
      json: { ...QUOTE_INPUT_EXAMPLE, ...change },
    });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['body', ...loc], type }]);
  });

  test.each<[string, object]>([
    ['no package', { packages: [] }],
    ['twenty-one packages', { packages: Array.from({ length: 21 }, () => parcel()) }],
    ['a package of no weight', { packages: [parcel({ weight_g: 0 })] }],
    ['a negative side', { packages: [parcel({ width_mm: -5 })] }],
    ['half a gram', { packages: [parcel({ weight_g: 0.5 })] }],
    ['a number that is none', { packages: [parcel({ weight_g: '5' })] }],
    ['a carrier that is none', { carriers: ['pigeon'] }],
    ['an unknown key', { insurance: true }],
    ['a postcode in other digits', { from_postcode: '２０００' }],
    ['a country in small letters', { to: { ...QUOTE_INPUT_EXAMPLE.to, country: 'au' } }],
    ['a character that cannot be stored', { to: { ...QUOTE_INPUT_EXAMPLE.to, line1: '\u0000' } }],
  ])('%s is 422', async (_, change) => {
    expect((await ask(await app.seller(), change)).status).toBe(422);
  });
});

describe('taking a quote', () => {
  const take = (
    seller: TestSeller,
    quoteId: string,
    optionId = 'own.standard',
    now = app.app.services.now(),
  ) =>
    app.app.services.withSeller(seller.seller_id, 'write', (db) =>
      takeQuote({ db, seller_id: seller.seller_id }, { quoteId, optionId, now }),
    );

  test('gives carrier, service, price and packages, once', async () => {
    const seller = await app.seller();
    const { body } = await ask(seller);
    expect(await take(seller, body.quote_id)).toMatchObject({
      ok: true,
      carrier: 'own',
      service: 'standard',
      price: 1595n,
      currency: 'AUD',
      request: QUOTE_INPUT_EXAMPLE,
    });
    expect(await take(seller, body.quote_id)).toEqual({ ok: false, problem: 'quote_used' });
    const after = await seller.call<Quote>('GET', `/shipping/quotes/${body.quote_id}`);
    expect(after.body).toMatchObject({ status: 'used', used_option_id: 'own.standard' });
  });

  test('of twenty concurrent requests one gets it', async () => {
    const seller = await app.seller();
    const { body } = await ask(seller);
    const taken = await Promise.all(Array.from({ length: 20 }, () => take(seller, body.quote_id)));
    expect(taken.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('is undone with its transaction', async () => {
    const seller = await app.seller();
    const { body } = await ask(seller);
    const sellerId = seller.seller_id;
    const undone = app.app.services.withSeller(sellerId, 'write', async (db) => {
      await takeQuote(
        { db, seller_id: sellerId },
        {
          quoteId: body.quote_id,
          optionId: 'own.express',
          now: app.app.services.now(),
        },
      );
      throw new Error('no label');
    });
    await expect(undone).rejects.toThrow('no label');
    expect(await take(seller, body.quote_id)).toMatchObject({ ok: true });
  });

  test('each failure has its code', async () => {
    const seller = await app.seller();
    const { body } = await ask(seller);
    const end = Date.parse(body.expires_at);
    expect(await take(seller, body.quote_id, 'own.standard', end)).toEqual({
      ok: false,
      problem: 'quote_expired',
    });
    expect(await take(seller, body.quote_id, 'own.overnight')).toEqual({
      ok: false,
      problem: 'quote_option_unknown',
    });
    expect(await take(seller, 'nothing')).toEqual({ ok: false, problem: 'quote_not_found' });
    expect(await take(await app.seller(), body.quote_id)).toEqual({ ok: false, problem: 'quote_not_found' });
    expect(await take(seller, body.quote_id, 'own.standard', end - 1)).toMatchObject({ ok: true });
  });
});

describe('the catalogue', () => {
  interface Carrier {
    readonly carrier: string;
    readonly connected: boolean;
    readonly tracking_pattern: string;
    readonly tracking_example: string;
    readonly services: string[];
  }

  test('names carriers with their patterns; only the built-in one is connected', async () => {
    const seller = await app.seller();
    const { body } = await seller.call<{ data: Carrier[] }>('GET', '/shipping/carriers');
    expect(body.data.map(({ carrier }) => carrier)).toEqual([
      'own',
      'australia_post',
      'startrack',
      'sendle',
      'aramex',
      'couriersplease',
      'tnt',
      'dhl_express',
      'toll',
    ]);
    expect(body.data.filter(({ connected }) => connected).map(({ carrier }) => carrier)).toEqual(['own']);
    for (const { tracking_pattern, tracking_example } of body.data)
      expect(tracking_example).toMatch(new RegExp(tracking_pattern));
  });

  test('names services, of one carrier on request', async () => {
    const seller = await app.seller();
    const all = await seller.call<{ data: { carrier: string; service: string }[] }>(
      'GET',
      '/shipping/services',
    );
    const own = all.body.data.filter(({ carrier }) => carrier === 'own');
    expect(own.map(({ service }) => service)).toEqual(['standard', 'express']);
    const some = await seller.call('GET', '/shipping/services?carrier=own');
    expect(some.body).toMatchObject({ data: own });
    expect((await seller.call('GET', '/shipping/services?carrier=pigeon')).status).toBe(422);
  });
});
