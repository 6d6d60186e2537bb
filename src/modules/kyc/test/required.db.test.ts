/** KYC together with other areas: the business register, the virus scanner, the registration, and held payouts. */
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ABR_GUID, abrChanges, startAbrServer } from '../../../../test/support/abr-server.ts';
import { startTestApp, type TestApp, type TestSeller } from '../../../../test/support/app.ts';
import { logOf } from '../../../../test/support/audit.ts';
import { png } from '../../../../test/support/images.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { orderEvent } from '../../../../test/support/orders.ts';

const register = await startAbrServer();
/** A scanner that finds every file infected, unless it is away. */
const scanner = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', () => socket.end(answer));
});
let answer = 'stream: Eicar-Test-Signature FOUND\0';
await new Promise<void>((resolve) => scanner.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  scanner.close();
  await register.stop();
});
const logged: string[] = [];
const app = await startTestApp(
  {
    ...{ ABR_BASE_URL: register.url, ABR_GUID, LOG_LEVEL: 'warn' },
    SCANNER_URL: `clamd://127.0.0.1:${(scanner.address() as AddressInfo).port}`,
  },
  { write: (line: string) => logged.push(line) },
);
const held = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const START = '2026-07-01T01:00:00Z';
const asking = await startTestApp({ CLOCK: 'manual', CLOCK_START: START, KYC_REQUIRED: 'on' });
const guarded = await startTestApp({ SCANNER_REQUIRED: 'identity' });

interface Case {
  readonly code?: string;
  readonly status: string;
  readonly items: readonly { readonly item_id: string; readonly code: string; readonly status: string }[];
}
const read = async (seller: TestSeller) => (await seller.call<Case>('GET', '/kyc')).body;
async function tell(
  at: TestApp,
  seller: TestSeller,
  type: string,
  data: object,
  more: object = {},
): Promise<string | undefined> {
  const event = orderEvent(at, seller, `kyc.${type}`, seller.seller_id, data, more);
  const [result] = await at.events({ ...event, id: randomUUID() });
  return result?.code ?? result?.status;
}
const send = (seller: TestSeller, itemId: string) =>
  seller.call<{ code?: string; detail: unknown }>('POST', `/kyc/items/${itemId}/documents`, {
    body: png(600, 600),
    headers: { 'content-type': 'image/png' },
  });

test('where every seller is verified, a new one is asked for its documents', async () => {
  const registered = await asking.seller();
  const body = { now: '2026-07-02T02:00:00Z' };
  expect((await callInternal(asking, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  const seller = await registered.renew();
  const found = await read(seller);
  expect(found.status).toBe('collecting');
  expect(found.items.map(({ code }) => code)).toEqual(['identity_document', 'proof_of_address']);
  const step = await seller.call<{ status: string }>('GET', '/onboarding/steps/identity');
  expect(step.body.status).toBe('todo');
  // A call of the marketplace counts, also one from before the case.
  expect(await tell(asking, seller, 'required', { required: false }, { time: START })).toBe('applied');
  expect((await read(seller)).status).toBe('not_required');
});

test('where every seller is verified, one that the marketplace has exempted is not asked', async () => {
  const registered = await asking.seller();
  expect(await tell(asking, registered, 'required', { required: false })).toBe('applied');
  const body = { now: '2026-07-03T02:00:00Z' };
  expect((await callInternal(asking, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  expect((await read(await registered.renew())).status).toBe('not_required');
});

test('where every seller is verified, the items follow the legal form until the case is handed in', async () => {
  const day = async (at: string) => {
    const body = { now: `2026-07-${at}T03:00:00Z` };
    expect((await callInternal(asking, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  };
  const registered = await asking.seller();
  await day('04');
  let seller = await registered.renew();
  const setForm = (entity_type: string) =>
    seller.call('PATCH', '/sellers/me/business', { json: { entity_type } });
  const items = async () => (await read(seller)).items.map(({ code }) => code);
  expect(await items()).toEqual(['identity_document', 'proof_of_address']);
  const address = (await read(seller)).items.find(({ code }) => code === 'proof_of_address');
  expect((await send(seller, address?.item_id ?? '')).status).toBe(201);
  await setForm('company');
  await day('05');
  seller = await seller.renew();
  // What was sent stays.
  const ofCompany = ['identity_document', 'proof_of_address', 'company_register', 'beneficial_owners'];
  expect(await items()).toEqual(['proof_of_address', ...ofCompany]);
  await setForm('sole_trader');
  await day('06');
  seller = await seller.renew();
  expect(await items()).toEqual(['proof_of_address', 'identity_document']);
  // A call of the marketplace decides from then on.
  const only = { required: true, items: [{ code: 'proof_of_address' }] };
  expect(await tell(asking, seller, 'required', only)).toBe('applied');
  await setForm('company');
  await day('07');
  seller = await seller.renew();
  expect(await items()).toEqual(['proof_of_address', 'proof_of_address']);
});

test('of other legal forms the marketplace names the items', async () => {
  const registered = await asking.seller();
  const json = { entity_type: 'partnership' };
  await registered.call('PATCH', '/sellers/me/business', { json });
  const body = { now: '2026-07-08T03:00:00Z' };
  expect((await callInternal(asking, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  const seller = await registered.renew();
  const waits = { waiting_on: 'marketplace', action: { kind: 'contact_marketplace' } };
  expect(await read(seller)).toMatchObject({ status: 'collecting', items: [], ...waits });
  expect((await seller.call('GET', '/onboarding/steps/identity')).body).toMatchObject(waits);
  const nothing = await seller.call('POST', '/kyc/submissions', { json: { declaration: true } });
  expect([nothing.status, nothing.body]).toMatchObject([409, { code: 'items_missing', items: [] }]);
  expect(await tell(asking, seller, 'required', { required: true })).toBe('data_invalid');
  const trust = { required: true, entity_type: 'trust' };
  expect(await tell(asking, seller, 'required', trust)).toBe('data_invalid');
  const asked = ['partner_1', 'partner_2'].map((subject) => ({ code: 'identity_document', subject }));
  expect(await tell(asking, seller, 'required', { required: true, items: asked })).toBe('applied');
  const named = await read(seller);
  expect(named).toMatchObject({ waiting_on: 'seller', items: asked });
  expect((await seller.call('GET', '/onboarding/steps/identity')).body).toMatchObject({
    waiting_on: 'seller',
  });
});

test('a deadline that the database would round into another year than is shown is refused', async () => {
  const seller = await app.seller();
  const items = [{ code: 'proof_of_address' }];
  const of = (deadline: string) => tell(app, seller, 'required', { required: true, items, deadline });
  expect(await of('2999-12-31T23:59:59.999Z')).toBe('applied');
  expect(await of('2999-12-31T23:59:59.9999999Z')).toBe('data_invalid');
  expect(await read(seller)).toMatchObject({ deadline: '2999-12-31T23:59:59.999Z' });
});

test('the register satisfies what a company must show of its registration', async () => {
  const seller = await app.seller({ plan: 'Small' });
  abrChanges.set('53004085616', {
    ...{ Abn: '53004085616', AbnStatus: 'Active', Acn: '004085616', EntityName: 'NEW NUMBER PTY LTD' },
  });
  const json = { legal_name: 'New Number', entity_type: 'company', abn: '53004085616', acn: '004085616' };
  await seller.call('PATCH', '/sellers/me/business', { json });
  await tell(app, seller, 'required', {
    required: true,
    entity_type: 'company',
    items: [{ code: 'company_register' }],
  });
  const before = (await read(seller)).items.find(({ code }) => code === 'company_register');
  expect(before?.status).toBe('missing');
  expect((await seller.call('POST', '/sellers/me/business/verification')).status).toBe(200);
  expect((await read(seller)).items.find(({ code }) => code === 'company_register')?.status).toBe('provided');
});

test('a file that the scanner finds infected is refused; without the scanner the upload waits', async () => {
  const seller = await app.seller();
  await tell(app, seller, 'required', { required: true, entity_type: 'sole_trader' });
  const item = (await read(seller)).items.find(({ code }) => code === 'proof_of_address');
  const refused = await send(seller, item?.item_id ?? '');
  expect([refused.status, JSON.stringify(refused.body.detail)]).toEqual([
    422,
    expect.stringContaining('attachment_infected'),
  ]);
  expect((await logOf(app, seller)).at(-1)).toMatchObject({
    ...{ action: 'kyc.documents.create', result: 'refused', status: 422, code: 'attachment_infected' },
    target_id: item?.item_id,
  });
  const warning = logged.find((line) => line.includes('malware'));
  expect(JSON.parse(warning ?? '{}')).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  answer = 'INSTREAM size limit exceeded. ERROR\0';
  const away = await send(seller, item?.item_id ?? '');
  expect([away.status, away.body.code, away.headers.get('retry-after')]).toEqual([
    503,
    'scan_unavailable',
    '30',
  ]);
  answer = 'stream: OK\0';
  expect((await send(seller, item?.item_id ?? '')).body).toMatchObject({ scan: 'clean' });
});

test('where a scan is required and no scanner is configured, no document is taken', async () => {
  const seller = await guarded.seller();
  await tell(guarded, seller, 'required', { required: true, entity_type: 'sole_trader' });
  const item = (await read(seller)).items.find(({ code }) => code === 'proof_of_address');
  expect((await send(seller, item?.item_id ?? '')).body.code).toBe('scan_unavailable');
});

interface Waits {
  readonly waiting_on: string;
  readonly action: { readonly href: string | null } | null;
}

test('a case that is not approved by its deadline holds settlements until it is', async () => {
  let seller = await held.seller();
  await tell(held, seller, 'required', {
    ...{ required: true, entity_type: 'sole_trader', deadline: '2026-07-10T00:00:00Z' },
    items: [{ code: 'proof_of_address' }],
  });
  const holds = async () => {
    const { body } = await seller.call<{ data: { reason?: string; code?: string }[] }>(
      'GET',
      '/financials/holds',
    );
    return JSON.stringify(body).includes('kyc_required');
  };
  /** Who must act for the account for payouts, and for its requirement. */
  const account = async () => {
    const { body } = await seller.call<Waits & { requirements: Waits[] }>('GET', '/payouts/account');
    return [body, ...body.requirements].map(({ waiting_on, action }) => [waiting_on, action?.href]);
  };
  expect(await holds()).toBe(false);
  const body = { now: '2026-07-10T00:00:00Z' };
  expect((await callInternal(held, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  seller = await seller.renew();
  expect(await holds()).toBe(true);
  expect(await account()).toEqual(Array(2).fill(['seller', '/api/v1/kyc']));
  const { item_id } = (await read(seller)).items[0] ?? { item_id: '' };
  expect((await send(seller, item_id)).status).toBe(201);
  await seller.call('POST', '/kyc/submissions', { json: { declaration: true } });
  expect(await holds()).toBe(true);
  expect(await account()).toEqual(Array(2).fill(['marketplace', '/api/v1/kyc']));
  expect(await tell(held, seller, 'decided', { decision: 'approved', round: 1 })).toBe('applied');
  expect(await holds()).toBe(false);
  const { body: step } = await seller.call<object>('GET', '/onboarding/steps/identity');
  expect(step).toMatchObject({ status: 'done', done_at: '2026-07-10T00:00:00.000Z' });
});
