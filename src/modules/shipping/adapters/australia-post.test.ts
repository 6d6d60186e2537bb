import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  CARRIER_ENV,
  type CarrierServer,
  FAULTS,
  startCarrierServer,
} from '../../../../test/support/carrier-server.ts';
import type { Logger } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { CarrierAdapter, LabelRequest } from './adapter.ts';
import { adapterOf, carrierAdapters } from './adapters.ts';
import { australiaPost } from './australia-post.ts';
import { ownCarrier } from './own.ts';

const quiet = () => undefined;

interface Post {
  /** The longest wait on a busy machine. */
  readonly post: CarrierAdapter;
  /** For a carrier that is silent. */
  readonly hasty: CarrierAdapter;
  readonly log: Logger;
  /** What was logged. */
  readonly lines: object[];
}

function postAt({ url }: CarrierServer): Post {
  const lines: object[] = [];
  const log = { debug: quiet, info: quiet, error: quiet, warn: (fields: object) => void lines.push(fields) };
  const account = {
    baseUrl: `${url}/`,
    apiKey: CARRIER_ENV.CARRIER_API_KEY,
    password: CARRIER_ENV.CARRIER_API_PASSWORD,
    account: CARRIER_ENV.CARRIER_API_ACCOUNT,
    log,
  };
  return {
    post: australiaPost({ ...account, timeoutMs: 20_000 }),
    hasty: australiaPost({ ...account, timeoutMs: 1_000 }),
    log,
    lines,
  };
}

const server = await startCarrierServer();
const { post, hasty, log, lines } = postAt(server);
afterAll(() => server.stop());
beforeEach(() => {
  server.asked.length = 0;
  server.next = [];
  lines.length = 0;
});

const PARCEL = { weight_g: 1_250, length_mm: 305, width_mm: 200, height_mm: 150 };
const ASK = {
  from_postcode: '2000',
  to: { state: 'VIC', postcode: '3053', country: 'AU' },
  packages: [PARCEL],
};
const SYDNEY = {
  name: 'Blue Mug Co',
  line1: '12 Harbour Street',
  city: 'Sydney',
  state: 'NSW',
  postcode: '2000',
  country: 'AU',
};
const CARLTON = {
  name: 'Kim Lee',
  company: 'Lee & Co',
  line1: 'Unit 4',
  line2: '7 Example Road',
  city: 'Carlton',
  state: 'VIC',
  postcode: '3053',
  country: 'AU',
};
const label = (change: Partial<LabelRequest> = {}): LabelRequest => ({
  reference: `shp_${Math.random().toString(36).slice(2)}`,
  service: 'parcel_post',
  from: SYDNEY,
  to: CARLTON,
  packages: [PARCEL],
  authority_to_leave: true,
  ...change,
});

/** What a call answers when it fails. */
async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`no refusal: ${String(error)}`);
  return error;
}

describe('without faults', () => {
  test('a quote has the prices of all packages in minor units', async () => {
    const { options, refused } = await post.quote({ ...ASK, packages: [PARCEL, PARCEL, PARCEL] });
    expect(options.map(({ service, price }) => [service, price])).toEqual([
      ['parcel_post', 2910n],
      ['express_post', 4005n],
    ]);
    expect(refused).toEqual([]);
    expect(server.asked).toMatchObject([
      {
        method: 'POST',
        path: '/shipping/v1/prices/items',
        headers: { 'account-number': CARRIER_ENV.CARRIER_API_ACCOUNT },
        body: {
          from: { postcode: '2000' },
          to: { postcode: '3053' },
          items: [{ weight: 1.25, length: 30.5, width: 20, height: 15 }, {}, {}],
        },
      },
    ]);
  });

  test('a label has a number for each package, and the price', async () => {
    const made = await post.createLabel(label({ packages: [PARCEL, PARCEL] }));
    expect(made.price).toBe(1940n);
    expect(new Set(made.tracking_numbers).size).toBe(2);
    expect(server.asked[0]?.body).toMatchObject({
      shipments: [
        {
          from: { name: 'Blue Mug Co', lines: ['12 Harbour Street'], suburb: 'Sydney' },
          to: { name: 'Kim Lee', business_name: 'Lee & Co', lines: ['Unit 4', '7 Example Road'] },
          items: [{ product_id: '7D55', authority_to_leave: true }, {}],
        },
      ],
    });
  });

  test('a label is voided, also twice', async () => {
    const { carrier_reference } = await post.createLabel(label());
    expect(server.shipments.has(carrier_reference ?? '')).toBe(true);
    await post.voidLabel(carrier_reference);
    await post.voidLabel(carrier_reference);
    expect(server.shipments.has(carrier_reference ?? '')).toBe(false);
    await post.voidLabel(null);
    expect(server.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
  });

  test('tracking is newest first, without unreadable entries', async () => {
    expect(await post.track('2JD020603601000931501')).toEqual([
      { at: '2026-06-30T04:05:00.000Z', description: 'Delivered', location: 'CARLTON VIC' },
      {
        at: '2026-06-28T17:11:00.000Z',
        description: 'Item processed at facility',
        location: 'ALEXANDRIA NSW',
      },
    ]);
    expect(await post.track('2JD020603601000931508')).toEqual([]);
    expect(server.asked[0]?.path).toBe('/shipping/v1/track?tracking_ids=2JD020603601000931501');
  });

  test('a refusal is 409 carrier_refused with the carrier’s words', async () => {
    const error = await refusal(post.createLabel(label({ to: { ...CARLTON, city: 'Nowhere' } })));
    expect([error.status, error.code]).toEqual([409, 'carrier_refused']);
    expect(error.body).toMatchObject({ carrier: 'australia_post', carrier_code: '44003' });
    expect(error.body['detail']).toContain('suburb does not match');
    expect(server.asked).toHaveLength(1);
  });

  test('the carrier is not asked about other countries', async () => {
    const { options } = await post.quote({ ...ASK, to: { country: 'NZ', postcode: '1010' } });
    expect([options, server.asked]).toEqual([[], []]);
  });
});

const faults = Object.entries(FAULTS);

// Concurrent, each with its own carrier server, because they mostly wait.
describe.concurrent('when it fails always', () => {
  test.each(faults)(
    '%s: 503 carrier_unavailable in bounded time, without details of the account',
    async (name, fault) => {
      const failing = await startCarrierServer();
      const at = postAt(failing);
      failing.next = [fault, fault, fault];
      const error = await refusal((name === 'silence' ? at.hasty : at.post).quote(ASK)).finally(failing.stop);
      expect([error.status, error.code]).toEqual([503, 'carrier_unavailable']);
      expect(error.headers['retry-after']).toBe('30');
      expect(failing.asked.length).toBeLessThanOrEqual(3);
      expect(at.lines).toHaveLength(1);
      const shown = JSON.stringify([at.lines, error.body]);
      for (const secret of [CARRIER_ENV.CARRIER_API_KEY, CARRIER_ENV.CARRIER_API_PASSWORD, 'Basic'])
        expect(shown).not.toContain(secret);
    },
  );
});

describe('when it fails', () => {
  const asker = (fault: string): CarrierAdapter => (fault === 'silence' ? hasty : post);

  test.each(
    faults.filter(([name]) => ['another shape', 'null', 'half an answer', 'a page in HTML'].includes(name)),
  )('%s is neither a label nor tracking', async (_, fault) => {
    server.next = [fault, fault, fault];
    expect((await refusal(post.createLabel(label()))).code).toBe('carrier_unavailable');
    server.next = [fault, fault, fault];
    expect((await refusal(post.track('2JD020603601000931501'))).code).toBe('carrier_unavailable');
  });

  test.each(
    faults.filter(([name]) =>
      ['silence', 'status 500', 'status 503 without a body', 'too many requests'].includes(name),
    ),
  )('%s once: the call is repeated and succeeds', async (name, fault) => {
    server.next = [fault];
    expect((await asker(name).quote(ASK)).options).toHaveLength(2);
    expect(server.asked).toHaveLength(2);
    expect(lines).toEqual([]);
  });

  test('a label whose answer was lost is requested again with its reference, and made once', async () => {
    const before = server.shipments.size;
    const request = label();
    const made = await post.createLabel(request);
    // The first answer of the second call is lost after the shipment was made.
    server.next = [FAULTS['half an answer'] ?? quiet];
    const again = await post.createLabel(request);
    expect(again).toEqual(made);
    expect(server.shipments.size).toBe(before + 1);
    expect(server.asked.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill(request.reference),
    );
  });

  test('a carrier that hangs holds a few requests; further ones are refused at once', async () => {
    server.next = Array(96).fill(FAULTS['silence']);
    const calls = Array.from({ length: 40 }, () => refusal(hasty.quote(ASK)));
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(Array(40).fill('carrier_unavailable'));
    expect(server.asked).toHaveLength(96);
    expect(lines.filter((line) => JSON.stringify(line).includes('too many calls'))).toHaveLength(8);
    expect((await post.quote(ASK)).options).toHaveLength(2);
  });

  test('a Retry-After that is longer than the request may take is carrier_unavailable, without another call', async () => {
    server.next = [FAULTS['too many requests for long'] ?? quiet];
    expect((await refusal(post.quote(ASK))).code).toBe('carrier_unavailable');
    expect(server.asked).toHaveLength(1);
  });

  test('an answer with a foreign number is no label', async () => {
    server.next = [
      (response) =>
        void response.end(
          JSON.stringify({
            shipments: [
              {
                shipment_id: 'x',
                items: [{ tracking_details: { article_id: '^XZ' } }],
                shipment_summary: { total_cost: 1 },
              },
            ],
          }),
        ),
    ];
    expect((await refusal(post.createLabel(label()))).code).toBe('carrier_unavailable');
  });
});

describe('the built-in carrier', () => {
  test('makes labels with numbers of its own, without a call', async () => {
    const made = await ownCarrier.createLabel(label({ service: 'express', packages: [PARCEL, PARCEL] }));
    expect(made).toMatchObject({ carrier_reference: null, price: 4790n });
    expect(made.tracking_numbers).toHaveLength(2);
    await ownCarrier.voidLabel(null);
    expect(await ownCarrier.track(made.tracking_numbers[0] ?? '')).toEqual([]);
    expect(server.asked).toEqual([]);
  });

  test('refuses a service that it does not have', async () => {
    const unknown = await refusal(ownCarrier.createLabel(label({ service: 'constructor' })));
    expect(unknown.body).toMatchObject({ code: 'carrier_refused', carrier_code: 'service_unknown' });
  });
});

describe('the connected carriers', () => {
  const config = {
    CARRIER_API_BASE_URL: 'https://carrier.example',
    CARRIER_API_KEY: undefined,
    CARRIER_API_PASSWORD: undefined,
    CARRIER_API_ACCOUNT: undefined,
    CARRIER_API_TIMEOUT_MS: 1_000,
  };

  test('are only the built-in one without an account', () => {
    expect(carrierAdapters(config, log).map(({ carrier }) => carrier)).toEqual(['own']);
    expect(adapterOf(config, log, 'australia_post')).toBeUndefined();
  });

  test('include the post with an account', () => {
    const account = { CARRIER_API_KEY: 'k', CARRIER_API_PASSWORD: 'p', CARRIER_API_ACCOUNT: '1' };
    expect(carrierAdapters({ ...config, ...account }, log).map(({ carrier }) => carrier)).toEqual([
      'own',
      'australia_post',
    ]);
    expect(adapterOf({ ...config, ...account }, log, 'australia_post')?.carrier).toBe('australia_post');
  });
});
