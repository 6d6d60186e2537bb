import { afterAll, beforeEach, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { CARRIER_ENV, FAULTS, startCarrierServer } from '../../../../test/support/carrier-server.ts';
import { QUOTE_INPUT_EXAMPLE } from '../schemas/quote.ts';

const carrier = await startCarrierServer();
afterAll(() => carrier.stop());
const app = await startTestApp({ ...CARRIER_ENV, CARRIER_API_BASE_URL: carrier.url });
const fault = FAULTS['status 500'] ?? (() => undefined);
beforeEach(() => {
  carrier.next = [];
  carrier.asked.length = 0;
});

interface Quote {
  readonly code?: string;
  readonly carrier_code?: string;
  readonly options: { option_id: string; price_minor: number }[];
  readonly refused: { carrier: string; service: string | null; reason: string }[];
}
const ask = async (change: object = {}) =>
  (await app.seller()).call<Quote>('POST', '/shipping/quotes', {
    json: { ...QUOTE_INPUT_EXAMPLE, ...change },
  });

test('a carrier with an account quotes beside the built-in one', async () => {
  const { status, body } = await ask();
  expect(status).toBe(201);
  expect(body.options.map(({ option_id, price_minor }) => [option_id, price_minor])).toEqual([
    ['australia_post.parcel_post', 970],
    ['australia_post.express_post', 1335],
    ['own.standard', 1595],
    ['own.express', 2395],
  ]);
});

test('one that fails is named, and the others are offered', async () => {
  carrier.next = [fault, fault, fault];
  const { status, body } = await ask();
  expect(status).toBe(201);
  expect(body.options).toHaveLength(2);
  expect(body.refused).toContainEqual({
    carrier: 'australia_post',
    service: null,
    reason: 'carrier_unavailable',
  });
});

test('if the request names it, its failure is 503 carrier_unavailable with Retry-After', async () => {
  carrier.next = [fault, fault, fault];
  const { status, body, headers } = await ask({ carriers: ['australia_post'] });
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'carrier_unavailable', '30']);
});

test('if the request names it, its refusal is 409 carrier_refused', async () => {
  const to = { state: 'QLD', postcode: '9999', country: 'AU' };
  const { status, body } = await ask({ carriers: ['australia_post'], to });
  expect([status, body.code, body.carrier_code]).toEqual([409, 'carrier_refused', '42005']);
});

test('the post takes boxes, the built-in carrier does not', async () => {
  const { body } = await ask({ to: { ...QUOTE_INPUT_EXAMPLE.to, line1: 'PO Box 12' } });
  expect(body.options.map(({ option_id }) => option_id)).toEqual([
    'australia_post.parcel_post',
    'australia_post.express_post',
  ]);
  expect(body.refused).toContainEqual({ carrier: 'own', service: null, reason: 'po_box_refused' });
});

test('no carrier is called for an invalid request', async () => {
  expect((await ask({ to: { state: 'VIC', postcode: '2000', country: 'AU' } })).status).toBe(422);
  expect(carrier.asked).toEqual([]);
});

test('the catalogue shows it as connected', async () => {
  const { body } = await (await app.seller()).call<{ data: { carrier: string; connected: boolean }[] }>(
    'GET',
    '/shipping/carriers',
  );
  expect(body.data.filter(({ connected }) => connected).map((one) => one.carrier)).toEqual([
    'own',
    'australia_post',
  ]);
});
