import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-12-30T13:30:00Z' });

type Body = Record<string, unknown>;
const PATHS = ['/sellers/me', '/sellers/me/settings', '/sellers/me/business', '/sellers/me/holiday'];

const get = (seller: TestSeller, path: string) => seller.call<Body>('GET', path);
const patch = (seller: TestSeller, path: string, json: unknown, headers: Record<string, string> = {}) =>
  seller.call<Body>('PATCH', path, { json, headers });

test('a new seller has every field; unset ones are null', async () => {
  const seller = await app.seller();
  const [me, settings, business, holiday] = await Promise.all(PATHS.map((path) => get(seller, path)));
  expect(me?.body).toMatchObject({
    seller_id: seller.seller_id,
    business_name: 'Test Goods',
    tax_id: seller.tax_id,
    status: 'active',
    plan: 'Free',
    description: null,
    contact: null,
    currency: 'AUD',
    currency_exponent: 2,
  });
  expect(settings?.body).toEqual({
    currency: 'AUD',
    low_stock_alerts: true,
    default_reorder_point: null,
    default_handling_days: null,
    default_lead_time_days: null,
    return_policy: null,
  });
  expect(business?.body).toMatchObject({ legal_name: null, tax_id: seller.tax_id });
  expect(holiday?.body).toEqual({
    closed_from: null,
    closed_to: null,
    mode: 'hide',
    message: null,
    closed_now: false,
  });
});

test.each<[string, Body]>([
  [
    '/sellers/me',
    { trading_name: 'Blue Mug', description: 'd'.repeat(3_000), contact: { email: 'a@example.com' } },
  ],
  [
    '/sellers/me',
    { return_address: { line1: 'PO Box 9', city: 'Darwin', state: 'NT', postcode: '0801', country: 'AU' } },
  ],
  ['/sellers/me', { logo_url: 'https://cdn.example/logo.png?v=2' }],
  ['/sellers/me/settings', { default_lead_time_days: 21, return_policy: 'r'.repeat(5_000) }],
  ['/sellers/me/settings', { low_stock_alerts: false, default_reorder_point: 0, default_handling_days: 3 }],
  [
    '/sellers/me/business',
    { legal_name: 'Ünïcode & Söhne 😀', entity_type: 'company', gst_registered: false },
  ],
  ['/sellers/me/business', { abn: '51824753556', acn: '004085616' }],
  ['/sellers/me/holiday', { closed_from: '2026-12-31', closed_to: '2026-12-31', message: 'Back soon' }],
])('%s stores %j', async (path, change) => {
  const seller = await app.seller();
  const before = await get(seller, path);
  const answer = await patch(seller, path, change);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    ...before.body,
    ...change,
    ...(path === PATHS[0] ? { updated_at: answer.body['updated_at'] } : {}),
    // Another number is another check.
    ...('abn' in change ? { verification: answer.body['verification'] } : {}),
    ...('closed_from' in change ? { closed_now: true } : {}),
  });
  const after = await get(seller, path);
  expect(after.body).toEqual(answer.body);
  expect(after.headers.get('etag')).toBe(answer.headers.get('etag'));
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
});

test('null clears, an absent field stays, an object is replaced as a whole', async () => {
  const seller = await app.seller();
  await patch(seller, '/sellers/me', {
    trading_name: 'A',
    website_url: 'https://a.example',
    contact: { name: 'K', phone: '1' },
  });
  const { body } = await patch(seller, '/sellers/me', {
    trading_name: null,
    contact: { email: 'k@example.com' },
  });
  expect(body).toMatchObject({
    trading_name: null,
    website_url: 'https://a.example',
    contact: { email: 'k@example.com' },
  });
  expect(body['contact']).not.toHaveProperty('name');
});

test.each<[string, unknown, string, string]>([
  ['/sellers/me', { tax_id: '1' }, 'tax_id', 'extra_forbidden'],
  ['/sellers/me', { plan: 'Big' }, 'plan', 'extra_forbidden'],
  ['/sellers/me', { status: 'active' }, 'status', 'extra_forbidden'],
  ['/sellers/me', { verified: true }, 'verified', 'extra_forbidden'],
  ['/sellers/me', { seller_id: 'slr_x' }, 'seller_id', 'extra_forbidden'],
  ['/sellers/me', { description: 'd'.repeat(3_001) }, 'description', 'string_too_long'],
  ['/sellers/me', { business_name: '   ' }, 'business_name', 'string_pattern_mismatch'],
  ['/sellers/me', { business_name: null }, 'business_name', 'string_type'],
  ['/sellers/me', { logo_url: 'javascript:alert(1)' }, 'logo_url', 'string_pattern_mismatch'],
  ['/sellers/me', { logo_url: 'https://user:pass@host/' }, 'logo_url', 'string_pattern_mismatch'],
  ['/sellers/me', { trading_name: 'a\0b' }, 'trading_name', 'text_invalid'],
  ['/sellers/me', { trading_name: '\ud800' }, 'trading_name', 'text_invalid'],
  ['/sellers/me/settings', { currency: 'USD' }, 'currency', 'extra_forbidden'],
  ['/sellers/me/settings', { time_zone: 'Australia/Perth' }, 'time_zone', 'extra_forbidden'],
  ['/sellers/me/settings', { locale: 'en-AU' }, 'locale', 'extra_forbidden'],
  ['/sellers/me/settings', { notification_email: 'a@example.com' }, 'notification_email', 'extra_forbidden'],
  ['/sellers/me/settings', { return_policy: 'r'.repeat(5_001) }, 'return_policy', 'string_too_long'],
  ['/sellers/me/settings', { default_handling_days: 61 }, 'default_handling_days', 'less_than_equal'],
  ['/sellers/me/settings', { default_lead_time_days: 1.5 }, 'default_lead_time_days', 'integer_type'],
  ['/sellers/me/settings', { default_lead_time_days: 366 }, 'default_lead_time_days', 'less_than_equal'],
  ['/sellers/me/settings', { default_reorder_point: -1 }, 'default_reorder_point', 'greater_than_equal'],
  ['/sellers/me/settings', { low_stock_alerts: 'true' }, 'low_stock_alerts', 'boolean_type'],
  ['/sellers/me/business', { legal_name: ' ' }, 'legal_name', 'string_pattern_mismatch'],
  ['/sellers/me/business', { abn: '51824753557' }, 'abn', 'abn_checksum'],
  ['/sellers/me/business', { abn: '123' }, 'abn', 'abn_format'],
  ['/sellers/me/business', { abn: '004 085 616' }, 'abn', 'acn_given'],
  ['/sellers/me/business', { acn: '004085617' }, 'acn', 'acn_invalid'],
  ['/sellers/me/holiday', { closed_from: '2026-02-30' }, 'closed_from', 'format_invalid'],
  ['/sellers/me/holiday', { closed_from: '2027-01-02', closed_to: '2027-01-01' }, 'closed_to', 'date_order'],
  ['/sellers/me/holiday', { closed_to: '2027-01-01' }, 'closed_from', 'missing'],
  ['/sellers/me/holiday', { mode: 'close' }, 'mode', 'enum'],
  ['/sellers/me/holiday', { mode: 'extend', closed_from: '2027-01-01' }, 'closed_to', 'missing'],
  [
    '/sellers/me/holiday',
    { mode: 'extend', closed_from: '2027-01-01', closed_to: '2027-04-03' },
    'closed_to',
    'closing_too_long',
  ],
  [
    '/sellers/me/holiday',
    { mode: 'extend', closed_from: '1970-01-01', closed_to: '2199-12-31' },
    'closed_to',
    'closing_too_long',
  ],
])('PATCH %s %j is refused at %s as %s', async (path, change, field, type) => {
  const seller = await app.seller();
  const before = await get(seller, path);
  const { status, body } = await patch(seller, path, change);
  expect(status).toBe(422);
  expect(body['detail']).toMatchObject([{ loc: ['body', field], type }]);
  expect((await get(seller, path)).body).toEqual(before.body);
});

test.each<[Body, string, string]>([
  [{ state: 'NSW', postcode: '3000' }, 'postcode', 'postcode_outside_state'],
  [{ state: 'New South Wales', postcode: '2000' }, 'state', 'enum'],
  [{ postcode: '2000' }, 'state', 'enum'],
  [{ state: 'NSW', postcode: '200' }, 'postcode', 'string_pattern_mismatch'],
])('an Australian address with %j is refused at %s', async (part, field, type) => {
  const seller = await app.seller();
  const address = { line1: '1 High Street', city: 'Town', country: 'AU', ...part };
  const profile = await patch(seller, '/sellers/me', { billing_address: address });
  expect([profile.status, profile.body['detail']]).toMatchObject([
    422,
    [{ loc: ['body', 'billing_address', field], type }],
  ]);
  const business = await patch(seller, '/sellers/me/business', { registered_address: address });
  expect(business.body['detail']).toMatchObject([{ loc: ['body', 'registered_address', field], type }]);
  const abroad = await patch(seller, '/sellers/me', { billing_address: { ...address, country: 'NZ' } });
  expect(abroad.status).toBe(200);
});

test.each([
  [{ line1: '  ' }, 'line1'],
  [{ city: '\u200b' }, 'city'],
  [{ company: '\u00a0' }, 'company'],
])('an address with %j is refused at %s', async (part, field) => {
  const seller = await app.seller();
  const address = { line1: '1 High Street', city: 'Town', country: 'NZ', ...part };
  for (const [path, name] of [
    ['/sellers/me', 'dispatch_address'],
    ['/sellers/me', 'return_address'],
    ['/sellers/me/business', 'registered_address'],
  ] as const) {
    const { status, body } = await patch(seller, path, { [name]: address });
    expect([status, body['detail']]).toMatchObject([
      422,
      [{ loc: ['body', name, field], msg: 'Must not be blank.' }],
    ]);
  }
});

test('numbers are stored without blanks; an ABN as tax identifier is the ABN until another is given', async () => {
  const email = 'abn-owner@example.com';
  const registered = await app.call<{ seller_id: string }>('POST', '/api/v1/auth/register', {
    json: { business_name: 'Office', tax_id: '51824753556' },
    headers: { authorization: `Bearer ${await app.demo.mint({ email, aal: 'aal2' })}` },
  });
  expect(registered.status).toBe(201);
  const exchanged = await app.call<{ access_token: string }>('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await app.demo.mint({ email, aal: 'aal2' }) },
  });
  const headers = { authorization: `Bearer ${exchanged.body.access_token}` };
  const business = (json?: unknown) =>
    app.call<Body>(json === undefined ? 'GET' : 'PATCH', '/api/v1/sellers/me/business', {
      headers,
      ...(json === undefined ? {} : { json }),
    });
  expect((await business()).body).toMatchObject({ abn: '51824753556', tax_id_check: 'abn_valid' });
  expect((await business({ abn: ' 53 004 085 616 ' })).body).toMatchObject({
    abn: '53004085616',
    tax_id: '51824753556',
  });
});

test('opening again clears both days; a closing may have no end', async () => {
  const seller = await app.seller();
  await patch(seller, '/sellers/me/holiday', { closed_from: '2026-12-01', closed_to: '2026-12-30' });
  // 00:30 on the 31st in Sydney.
  expect((await get(seller, '/sellers/me/holiday')).body).toMatchObject({ closed_now: false });
  expect((await patch(seller, '/sellers/me/holiday', { closed_to: null })).body).toMatchObject({
    closed_now: true,
  });
  const opened = await patch(seller, '/sellers/me/holiday', { closed_from: null });
  expect(opened.body).toEqual({
    closed_from: null,
    closed_to: null,
    mode: 'hide',
    message: null,
    closed_now: false,
  });
});

test.each(PATHS)('%s: If-None-Match gets 304, If-Match refuses the second writer', async (path) => {
  const seller = await app.seller();
  const changes: Record<string, [Body, Body]> = {
    '/sellers/me': [{ trading_name: 'one' }, { trading_name: 'two' }],
    '/sellers/me/settings': [{ return_policy: 'one' }, { return_policy: 'two' }],
    '/sellers/me/business': [{ legal_name: 'one' }, { legal_name: 'two' }],
    '/sellers/me/holiday': [{ closed_from: '2027-02-01' }, { closed_from: '2027-02-02' }],
  };
  const [first = {}, second = {}] = changes[path] ?? [];
  const tag = (await get(seller, path)).headers.get('etag') ?? '';
  expect((await seller.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);
  expect((await patch(seller, path, first, { 'if-match': tag })).status).toBe(200);
  const late = await patch(seller, path, second, { 'if-match': tag });
  expect([late.status, late.body['code']]).toEqual([412, 'precondition_failed']);
  expect((await get(seller, path)).body).toMatchObject(first);
});

test('of concurrent writers with one tag exactly one wins, and sections are independent', async () => {
  const seller = await app.seller();
  const tag = (await get(seller, '/sellers/me/settings')).headers.get('etag') ?? '';
  await patch(seller, '/sellers/me/business', { legal_name: 'Meanwhile' });
  const writers = Array.from({ length: 6 }, (_, index) =>
    patch(seller, '/sellers/me/settings', { default_reorder_point: index + 1 }, { 'if-match': tag }),
  );
  const statuses = (await Promise.all(writers)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 412, 412, 412, 412, 412]);
});

test('a patch that changes nothing leaves the version', async () => {
  const seller = await app.seller();
  const before = await get(seller, '/sellers/me');
  const answer = await patch(seller, '/sellers/me', {});
  expect(answer.body).toEqual(before.body);
  expect((await patch(seller, '/sellers/me', { business_name: 'Test Goods' })).body).toEqual(before.body);
});

test('each seller sees and changes itself only', async () => {
  const [a, b] = await Promise.all([app.seller(), app.seller()]);
  await patch(a, '/sellers/me', { trading_name: 'A only' });
  expect((await get(b, '/sellers/me')).body).toMatchObject({ seller_id: b.seller_id, trading_name: null });
  expect((await app.call('GET', '/api/v1/sellers/me')).status).toBe(401);
});
