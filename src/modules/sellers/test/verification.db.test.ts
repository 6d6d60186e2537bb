/** The business number of a seller and the register, today and thirty days later. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ABR_GUID, abrChanges, startAbrServer } from '../../../../test/support/abr-server.ts';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { joinTeam } from '../../../../test/support/team.ts';

const register = await startAbrServer();
afterAll(() => register.stop());
const app = await startTestApp({
  ABR_BASE_URL: register.url,
  ABR_GUID,
  CLOCK: 'manual',
  CLOCK_START: '2026-06-28T01:00:00Z',
});
const BUSINESS = '/sellers/me/business';
const ABN = '51824753556';
const OFFICE = 'Australian Taxation Office';
const DAY_MS = 86_400_000;
const now = () => app.app.services.now();

interface Check {
  readonly format_valid: boolean;
  readonly checksum_valid: boolean;
  readonly verdict: string;
  readonly verified_at: string | null;
  readonly next_check_on: string | null;
  readonly register: Readonly<Record<string, unknown>>;
  readonly name_match: { readonly score: number } | null;
}

beforeEach(() => {
  register.mode = 'normal';
  abrChanges.clear();
});

async function moveBy(ms: number, seller: TestSeller): Promise<TestSeller> {
  const body = { now: new Date(now() + ms).toISOString() };
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  return seller.renew();
}
async function sellerWith(json: object): Promise<TestSeller> {
  const seller = await app.seller({ plan: 'Small' });
  expect((await seller.call('PATCH', BUSINESS, { json })).status).toBe(200);
  return seller;
}
const check = async (seller: Pick<TestSeller, 'call'>) =>
  (await seller.call<{ abn: Check }>('POST', `${BUSINESS}/verification`)).body.abn;
const shown = async (seller: Pick<TestSeller, 'call'>) =>
  (await seller.call<{ verification: { abn: Check } }>('GET', BUSINESS)).body.verification.abn;

test('a number that the register has under the same name is verified, and the business details show it', async () => {
  const seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
  expect(await shown(seller)).toMatchObject({
    ...{
      format_valid: true,
      checksum_valid: true,
      verdict: 'unknown',
      verified_at: null,
      next_check_on: null,
    },
    register: { status: 'not_checked', entity_name: null },
  });
  const answer = await check(seller);
  expect(answer).toMatchObject({
    ...{ verdict: 'verified', verified_at: '2026-06-28T01:00:00.000Z', next_check_on: '2026-07-28' },
    register: { status: 'found', entity_name: 'AUSTRALIAN TAXATION OFFICE', gst_registered: true },
    name_match: { score: 100 },
  });
  expect(await shown(seller)).toEqual(answer);
  const [told] = await marketplaceEvents(app, seller, 'seller.business_number_changed', 1);
  expect(told?.data).toMatchObject({
    object: { abn: ABN, verdict: 'verified', abn_status: 'active', gst_registered: true },
    previous: { verdict: 'unknown', abn_status: null, entity_name: null, gst_registered: null },
  });
});

test('another name is a mismatch, unless the company number is that of the register', async () => {
  const seller = await sellerWith({ abn: '53004085616', legal_name: 'Quite Other Goods' });
  abrChanges.set('53004085616', {
    Abn: '53004085616',
    AbnStatus: 'Active',
    Acn: '004085616',
    EntityName: 'NEW NUMBER PTY LTD',
  });
  expect(await check(seller)).toMatchObject({
    verdict: 'mismatch',
    name_match: { score: expect.any(Number) },
  });
  const later = await moveBy(60_000, seller);
  await later.call('PATCH', BUSINESS, { json: { acn: '004085616' } });
  expect((await check(later)).verdict).toBe('verified');
});

test('a change of number or legal name begins anew, and a number with wrong digits is not asked', async () => {
  const seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
  expect((await check(seller)).verdict).toBe('verified');
  await seller.call('PATCH', BUSINESS, { json: { legal_name: 'Something Else' } });
  expect(await shown(seller)).toMatchObject({ verdict: 'unknown', verified_at: null });
  await seller.call('PATCH', BUSINESS, { json: { legal_name: OFFICE } });
  expect(await shown(seller)).toMatchObject({ verdict: 'unknown', verified_at: null });
  const none = await app.seller();
  expect(await check(none)).toMatchObject({
    ...{ format_valid: false, checksum_valid: false, verdict: 'unknown' },
    register: { status: 'not_checked' },
  });
});

test('the check runs at most once a minute, and needs the permission to write settings', async () => {
  const seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
  const asked = register.asked.length;
  await check(seller);
  expect(register.asked.length).toBe(asked + 1);
  const again = await seller.call<{ code: string }>('POST', `${BUSINESS}/verification`);
  expect([again.status, again.body.code, again.headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    '60',
  ]);
  const kim = await joinTeam(app, seller, ['finance']);
  expect((await kim.call('POST', `${BUSINESS}/verification`)).status).toBe(403);
  const later = await moveBy(60_000, seller);
  expect((await check(later)).verdict).toBe('verified');
  // A cached answer is not enough.
  expect(register.asked.length).toBe(asked + 2);
});

test('a silent register changes neither verdict nor date, and is asked again the next day', async () => {
  const seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
  const before = await check(seller);
  const later = await moveBy(DAY_MS, seller);
  register.mode = 'maintenance_page';
  expect(await check(later)).toEqual({ ...before, next_check_on: '2026-06-30' });
  const fresh = await sellerWith({ abn: '26008672179' });
  expect(await check(fresh)).toMatchObject({
    verdict: 'unknown',
    register: { status: 'unavailable' },
    verified_at: null,
  });
});

test('a number that was cancelled meanwhile is one critical notification, once', async () => {
  let seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
  expect((await check(seller)).verdict).toBe('verified');
  abrChanges.set(ABN, { AbnStatus: 'Cancelled', Gst: '' });
  for (const days of [31, 31]) seller = await moveBy(days * DAY_MS, seller);
  expect(await shown(seller)).toMatchObject({ verdict: 'inactive', register: { abn_status: 'cancelled' } });
  const notices = await eventually(
    async () =>
      (
        await seller.call<{ data: { type: string; severity: string; title: string }[] }>(
          'GET',
          '/notifications',
        )
      ).body.data.filter(({ type }) => type === 'seller.business_number_changed'),
    (list) => list.some(({ severity }) => severity === 'critical'),
  );
  expect(notices.filter(({ severity }) => severity === 'critical')).toHaveLength(1);
  expect(notices.find(({ severity }) => severity === 'critical')?.title).toContain('cancelled');
});

test.each(['\\u0000', '\\ud800'])(
  'a name of the register with %s is stored without it',
  async (character) => {
    const seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
    abrChanges.set(ABN, { EntityName: JSON.parse(`"AUSTRALIAN TAXATION${character} OFFICE"`) });
    expect(await check(seller)).toMatchObject({
      verdict: 'verified',
      register: { status: 'found', entity_name: 'AUSTRALIAN TAXATION\ufffd OFFICE' },
    });
  },
);

test('another seller cannot see it', async () => {
  const seller = await sellerWith({ abn: ABN, legal_name: OFFICE });
  await check(seller);
  const other = await sellerWith({ abn: ABN, legal_name: OFFICE });
  expect((await shown(other)).verdict).toBe('unknown');
});
