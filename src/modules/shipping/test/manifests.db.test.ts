import { afterAll, describe, expect, test } from 'vitest';
import { giveAddress, startTestApp } from '../../../../test/support/app.ts';
import { CARRIER_ENV, FAULTS, startCarrierServer } from '../../../../test/support/carrier-server.ts';
import { type TestParcel, writeParcels } from '../../../../test/support/parcels.ts';

const carrier = await startCarrierServer();
afterAll(() => carrier.stop());
const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-29T06:00:00Z',
  ...CARRIER_ENV,
  CARRIER_API_BASE_URL: carrier.url,
});

interface Manifest {
  readonly manifest_id: string;
  readonly carrier: string;
  readonly dispatched_on: string;
  readonly number: number;
  readonly parcels: number;
  readonly weight_g: number;
  readonly lines: { line_no: number; tracking_number: string; recipient: string; destination: string }[];
}

let numbers = 0;
function parcel(change: Partial<TestParcel> = {}): TestParcel {
  numbers += 1;
  return {
    shipment_id: `shp_${String(numbers).padStart(26, '0')}`,
    carrier: 'own',
    service: 'express',
    tracking_number: `SPX${String(numbers).padStart(16, '0')}`,
    status: 'dispatched',
    dispatched_at: '2026-06-29T03:00:00Z',
    ship_to: {
      name: 'Kim Lee',
      line1: '1 Street',
      city: 'Carlton',
      state: 'VIC',
      postcode: '3053',
      country: 'AU',
    },
    packages: [{ weight_g: 500, length_mm: 1, width_mm: 1, height_mm: 1 }],
    ...change,
  };
}
const TODAY = { carrier: 'own', dispatched_on: '2026-06-29' };

describe('a manifest', () => {
  test('takes the parcels that were dispatched on that day in Sydney with that carrier', async () => {
    const seller = await app.seller();
    const first = parcel({ dispatched_at: '2026-06-28T14:00:00Z' });
    const last = parcel({
      dispatched_at: '2026-06-29T13:59:59.999Z',
      packages: [{ weight_g: 1_000 }, { weight_g: 250 }],
      status: 'delivered',
      delivered_at: '2026-06-29T13:59:59.999Z',
    });
    await writeParcels(app, seller.seller_id, [
      last,
      first,
      parcel({ dispatched_at: '2026-06-28T13:59:59Z' }),
      parcel({ dispatched_at: '2026-06-29T14:00:00Z' }),
      parcel({ carrier: 'toll', service: 'priority' }),
      parcel({ dispatched_at: null, status: 'draft' }),
      parcel({ status: 'cancelled' }),
    ]);
    const { status, body, headers } = await seller.call<Manifest>('POST', '/shipping/manifests', {
      json: TODAY,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...TODAY, number: 1, parcels: 3, weight_g: 1_750 });
    expect(body.lines.map(({ line_no, tracking_number }) => [line_no, tracking_number])).toEqual([
      [1, first.tracking_number],
      [2, last.tracking_number],
      [3, last.tracking_number],
    ]);
    expect(body.lines[0]).toMatchObject({ recipient: 'Kim Lee', destination: 'Carlton VIC 3053' });
    const path = `/shipping/manifests/${body.manifest_id}`;
    expect(headers.get('location')).toBe(`/api/v1${path}`);
    const read = await seller.call<Manifest>('GET', path);
    expect(read.body).toEqual(body);
    const tag = read.headers.get('etag') ?? '';
    expect((await seller.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);
  });

  test('is not changed by a repeated request; later parcels are on the next manifest', async () => {
    const seller = await app.seller();
    await writeParcels(app, seller.seller_id, [parcel()]);
    // The default day is today.
    const one = await seller.call<Manifest>('POST', '/shipping/manifests', { json: { carrier: 'own' } });
    const again = await seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    expect([one.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(one.body);
    const later = parcel();
    await writeParcels(app, seller.seller_id, [later]);
    const next = await seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    expect(next.body).toMatchObject({ number: 2, lines: [{ tracking_number: later.tracking_number }] });
    expect((await seller.call<Manifest>('GET', `/shipping/manifests/${one.body.manifest_id}`)).body).toEqual(
      one.body,
    );
  });

  test('has at most a thousand packages, so that its document can be made; the others are on the next one', async () => {
    const seller = await app.seller();
    const packages = Array.from({ length: 50 }, () => ({ weight_g: 100 }));
    await writeParcels(
      app,
      seller.seller_id,
      Array.from({ length: 21 }, () => parcel({ packages })),
    );
    const make = () => seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    const [first, second, again] = [await make(), await make(), await make()];
    expect([first, second].map(({ status, body }) => [status, body.number, body.lines.length])).toEqual([
      [201, 1, 1_000],
      [201, 2, 50],
    ]);
    expect([again.status, again.body.number]).toEqual([200, 2]);
  });

  test('names the seller, its address and the place as they were when it was made', async () => {
    const seller = await app.seller({ address: true });
    await writeParcels(app, seller.seller_id, [parcel()]);
    const made = await seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    expect(made.body).toMatchObject({
      seller_name: 'Test Goods',
      sender: { line1: '12 Harbour Street', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
    });
    const path = `/shipping/manifests/${made.body.manifest_id}`;
    const file = async () => {
      const headers = { authorization: `Bearer ${seller.token}` };
      const answer = await fetch(`${app.url}/api/v1${path}/pdf`, { headers });
      return Buffer.from(await answer.arrayBuffer());
    };
    const before = await file();
    await giveAddress(seller, { line1: '1 New Street', city: 'Perth', state: 'WA', postcode: '6000' });
    await seller.call('PATCH', '/sellers/me', { json: { business_name: 'New Name' } });
    expect((await seller.call<Manifest>('GET', path)).body).toEqual(made.body);
    expect((await file()).equals(before)).toBe(true);
    // A seller without an address also has manifests, for parcels with labels of the carrier.
    const bare = await app.seller();
    await writeParcels(app, bare.seller_id, [parcel()]);
    const other = await bare.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    expect(other.body).toMatchObject({ seller_name: 'Test Goods', sender: null });
  });

  test.each([
    [{ city: 'London', postcode: 'SW1A 1AA', country: 'GB' }, 'London SW1A 1AA GB', 'SW1A 1AA'],
    [{ city: 'Carlton', state: 'Victoria', postcode: 3053 }, 'Carlton VIC 3053', '3053'],
    [{ city: ' Hobart ', state: 'tas', postcode: ' 7000 ', country: 'australia' }, 'Hobart TAS 7000', '7000'],
    [{ city: 'Hong Kong', country: 'hk' }, 'Hong Kong HK', null],
    [{}, '', null],
  ])('reads an address as a label does: %j', async (area, destination, postcode) => {
    const seller = await app.seller();
    await writeParcels(app, seller.seller_id, [
      parcel({ ship_to: { name: ' ', company: 'Kim Pty', ...area } }),
    ]);
    const made = await seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    expect(made.body.lines[0]).toMatchObject({ recipient: 'Kim Pty', destination, postcode });
  });

  test('ten concurrent requests: each parcel is on one manifest', async () => {
    const seller = await app.seller();
    await writeParcels(
      app,
      seller.seller_id,
      Array.from({ length: 20 }, () => parcel()),
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.manifest_id)).size).toBe(1);
    expect(answers[0]?.body.lines).toHaveLength(20);
  });

  test('without parcels is 409 nothing_to_manifest', async () => {
    const seller = await app.seller();
    await writeParcels(app, (await app.seller()).seller_id, [parcel()]);
    const { status, body } = await seller.call<{ code: string }>('POST', '/shipping/manifests', {
      json: TODAY,
    });
    expect([status, body.code]).toEqual([409, 'nothing_to_manifest']);
    expect((await seller.call<{ data: [] }>('GET', '/shipping/manifests')).body.data).toEqual([]);
  });

  test.each([
    { carrier: 'pigeon' },
    { carrier: 'own', dispatched_on: '2026-02-30' },
    { carrier: 'own', dispatched_on: 'today' },
    { carrier: 'own', dispatched_on: '2026-06-29T00:00:00Z' },
    {},
  ])('%j is 422', async (json) => {
    expect((await (await app.seller()).call('POST', '/shipping/manifests', { json })).status).toBe(422);
  });

  test('is listed by day and carrier, by pages, newest first', async () => {
    const seller = await app.seller();
    await writeParcels(app, seller.seller_id, [
      parcel(),
      parcel({ carrier: 'toll', service: 'priority' }),
      parcel({ dispatched_at: '2026-06-27T03:00:00Z' }),
    ]);
    for (const json of [TODAY, { ...TODAY, carrier: 'toll' }, { ...TODAY, dispatched_on: '2026-06-27' }])
      await seller.call('POST', '/shipping/manifests', { json });
    const list = async (query: string) => {
      const { body } = await seller.call<{ data: Manifest[]; page: { next_cursor: string | null } }>(
        'GET',
        `/shipping/manifests?${query}`,
      );
      return { seen: body.data.map((one) => [one.carrier, one.dispatched_on]), next: body.page.next_cursor };
    };
    const first = await list('limit=2');
    expect(first.seen).toEqual([
      ['own', '2026-06-27'],
      ['toll', '2026-06-29'],
    ]);
    expect((await list(`limit=2&cursor=${first.next}`)).seen).toEqual([['own', '2026-06-29']]);
    expect((await list('carrier=toll')).seen).toEqual([['toll', '2026-06-29']]);
    expect((await list('dispatched_on=2026-06-27')).seen).toEqual([['own', '2026-06-27']]);
  });

  test('of another seller is 404, also as PDF', async () => {
    const seller = await app.seller();
    await writeParcels(app, seller.seller_id, [parcel()]);
    const { body } = await seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    const stranger = await app.seller();
    for (const path of ['', '/pdf'])
      expect((await stranger.call('GET', `/shipping/manifests/${body.manifest_id}${path}`)).status).toBe(404);
  });

  test('as PDF has tags and a table, is the same each time, and as many pages as it needs', async () => {
    const seller = await app.seller();
    const strange = { name: '王小明 '.repeat(40), city: 'Ж'.repeat(300), country: 'KZ' };
    await writeParcels(app, seller.seller_id, [
      ...Array.from({ length: 39 }, () => parcel()),
      parcel({ ship_to: strange, packages: [] }),
    ]);
    const { body } = await seller.call<Manifest>('POST', '/shipping/manifests', { json: TODAY });
    const path = `/shipping/manifests/${body.manifest_id}/pdf`;
    const one = await seller.call('GET', path);
    expect(one.status).toBe(200);
    expect(one.headers.get('content-type')).toBe('application/pdf');
    expect(one.headers.get('content-disposition')).toBe(
      'attachment; filename="manifest-2026-06-29-own-1.pdf"',
    );
    expect(one.text).toMatch(/^%PDF-1\.7/);
    expect(one.text).toContain('/Marked true');
    expect(one.text).toContain('/Table');
    expect(one.text.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
    expect((await seller.call('GET', path)).text).toBe(one.text);
  });
});

interface Tracking {
  readonly status: string;
  readonly milestones: { milestone: string; reached: boolean; at: string | null }[];
  readonly live: { status: string; events: object[] };
}

describe('tracking', () => {
  test('shows carrier, steps and destination of a parcel, for any spelling of the number', async () => {
    const seller = await app.seller();
    const one = parcel({ status: 'out_for_delivery' });
    await writeParcels(app, seller.seller_id, [one]);
    const typed = encodeURIComponent(` ${one.tracking_number.toLowerCase().replace('spx', 'spx ')}`);
    const { status, body } = await seller.call<Tracking>('GET', `/shipping/tracking/${typed}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tracking_number: one.tracking_number,
      carrier: 'own',
      carrier_name: 'Own delivery',
      service_name: 'Express',
      tracking_url: null,
      packages: 1,
      shipment_id: one.shipment_id,
      destination: { city: 'Carlton', state: 'VIC', postcode: '3053', country: 'AU' },
      live: { status: 'not_asked', events: [] },
    });
    const again = await seller.call<Tracking>('GET', `/shipping/tracking/${typed}`);
    const tag = { 'if-none-match': again.headers.get('etag') ?? '' };
    expect((await seller.call('GET', `/shipping/tracking/${typed}`, { headers: tag })).status).toBe(304);
    // The page has no name and no street, because anybody with the number can read it.
    expect(JSON.stringify(body)).not.toMatch(/Kim|Street/);
    expect(body.milestones.map(({ milestone, reached, at }) => [milestone, reached, at])).toEqual([
      ['label_created', true, null],
      ['dispatched', true, '2026-06-29T03:00:00.000Z'],
      ['in_transit', true, null],
      ['out_for_delivery', true, null],
      ['delivered', false, null],
    ]);
  });

  test('of a delivered parcel has every step', async () => {
    const seller = await app.seller();
    const one = parcel({ status: 'delivered', delivered_at: '2026-06-29T05:00:00Z' });
    await writeParcels(app, seller.seller_id, [one]);
    const { body } = await seller.call<Tracking>('GET', `/shipping/tracking/${one.tracking_number}`);
    expect(body.milestones.every(({ reached }) => reached)).toBe(true);
    expect(body.milestones.at(-1)?.at).toBe('2026-06-29T05:00:00.000Z');
  });

  test('asks a connected carrier on request; if the carrier fails, the page is still answered', async () => {
    const seller = await app.seller();
    const post = parcel({
      carrier: 'australia_post',
      service: 'parcel_post',
      tracking_number: '2JD020603601000931501',
    });
    const toll = parcel({ carrier: 'toll', service: 'priority', tracking_number: '8510001234567' });
    await writeParcels(app, seller.seller_id, [post, toll]);
    const live = async (number: string) =>
      (await seller.call<Tracking>('GET', `/shipping/tracking/${number}?live=true`)).body.live;
    expect(await live(toll.tracking_number)).toEqual({ status: 'not_connected', events: [] });
    expect(carrier.asked).toEqual([]);
    const asked = await live(post.tracking_number);
    expect([asked.status, asked.events.length]).toEqual(['ok', 2]);
    const fault = FAULTS['status 500'] ?? (() => undefined);
    carrier.next = [fault, fault, fault];
    expect(await live(post.tracking_number)).toEqual({ status: 'unavailable', events: [] });
  });

  test('of another seller’s parcel, or of none, is 404', async () => {
    const seller = await app.seller();
    const one = parcel();
    await writeParcels(app, seller.seller_id, [one]);
    const stranger = await app.seller();
    for (const number of [one.tracking_number, 'SPX9', 'x'.repeat(500), '%27%20or%201=1', '..%2F..'])
      expect((await stranger.call('GET', `/shipping/tracking/${number}`)).status, number).toBe(404);
  });
});
