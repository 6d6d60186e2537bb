/** Enrolment in the program, and its terms. */
import { expect, test } from 'vitest';
import { moveTo } from '../../../../test/golden/story.ts';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { publishTerms, TERMS, termsEvent } from '../../../../test/support/loyalty.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-25T00:00:00.000Z' });

interface Enrolment {
  readonly enrolment_id: string | null;
  readonly state: string;
  readonly code?: string;
  readonly [field: string]: unknown;
}
const read = (seller: TestSeller) => seller.call<Enrolment>('GET', '/loyalty/enrolment');
const put = (seller: TestSeller, json: object, headers = {}) =>
  seller.call<Enrolment>('PUT', '/loyalty/enrolment', {
    json: { enrolled: true, program_version: TERMS.version, ...json },
    headers,
  });
const decision = (seller: Pick<TestSeller, 'seller_id'>, data: object, more: object = {}) =>
  orderEvent(app, seller, 'loyalty.enrolment_decided', seller.seller_id, data, more);
async function decide(seller: TestSeller, data: object, more: object = {}) {
  const [result] = await app.events(decision(seller, data, more));
  return result?.code ?? result?.status;
}

test('without terms there is nothing to take part in', async () => {
  const seller = await app.seller();
  const { body } = await seller.call<{ semantic_status: string }>('GET', '/loyalty/program');
  expect(body).toMatchObject({ semantic_status: 'no_usable_report', current: null, upcoming: [] });
  expect((await put(seller, {})).status).toBe(404);
  expect(await decide(seller, { state: 'active' })).toBe('program_not_found');
  expect(await publishTerms(app)).toBe('applied');
  expect(await publishTerms(app)).toBe('stale');
  expect(await publishTerms(app, { points_per_major: 100 })).toBe('version_reused');
  expect(await publishTerms(app, { version: 'terms-two', effective_from: '2027-01-01' })).toBe('applied');
  const after = await seller.call('GET', '/loyalty/program');
  expect(after).toMatchObject({
    body: {
      current: { version: 'terms-one' },
      upcoming: [{ version: 'terms-two' }],
      semantic_status: 'complete',
    },
    headers: expect.anything(),
  });
  expect(after.headers.get('x-api-stage')).toBe('beta');
  for (const [method, path, status] of [
    ['DELETE', '/loyalty/wallet', 405],
    ['GET', '/loyalty/points', 404],
  ] as const) {
    const answer = await seller.call(method, path);
    expect([answer.status, answer.headers.get('x-api-stage')]).toEqual([status, 'beta']);
  }
  expect((await seller.call('DELETE', '/messages/policy')).headers.get('x-api-stage')).toBeNull();
});

test('from tomorrow, by the present terms: requested, active by event, and ending with notice', async () => {
  const seller = await app.seller();
  const none = await read(seller);
  expect(none.body).toMatchObject({ state: 'not_enrolled', allowed_actions: ['request'], version: 0 });
  const early = await put(seller, { effective_on: '2026-06-25' });
  expect(early).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'effective_on'], type: 'effective_on_too_early' }] },
  });
  expect(await put(seller, { program_version: 'terms-two' })).toMatchObject({
    status: 409,
    body: { code: 'program_terms_changed', program_version: 'terms-one' },
  });
  expect(await put(seller, {}, { 'if-match': '"other.1"' })).toMatchObject({ status: 412 });
  const tag = none.headers.get('etag') ?? '';
  const asked = await put(seller, { effective_on: '2026-06-26' }, { 'if-match': tag });
  expect(asked).toMatchObject({ status: 200, body: { state: 'requested', from_on: '2026-06-26' } });
  expect(await put(seller, {})).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  const { enrolment_id } = asked.body;
  expect(await decide(seller, { enrolment_id, state: 'active' })).toBe('applied');
  expect((await read(seller)).body).toMatchObject({ state: 'active', allowed_actions: ['leave'] });
  const soon = await put(seller, { enrolled: false, effective_on: '2026-07-24' });
  expect(soon).toMatchObject({
    status: 409,
    body: { code: 'notice_too_short', earliest_on: '2026-07-25', notice_days: 30 },
  });
  const left = await put(seller, { enrolled: false });
  expect(left.body).toMatchObject({ state: 'ending', to_on: '2026-07-25' });
  await moveTo(app, '2026-07-24T13:59:59.000Z');
  expect((await read(await seller.renew())).body.state).toBe('ending');
  await moveTo(app, '2026-07-24T14:00:01.000Z');
  expect((await read(await seller.renew())).body.state).toBe('not_enrolled');
  const told = await marketplaceEvents(app, seller, 'loyalty.', 2);
  expect(told.map(({ type, data }) => [type, data.object['state']])).toEqual([
    ['loyalty.enrolment_changed', 'requested'],
    ['loyalty.enrolment_changed', 'ending'],
  ]);
});

test('the marketplace refuses, enrols and ends by itself; the newest decision holds', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const { enrolment_id } = (await put(seller, {})).body;
  expect(await decide(other, { enrolment_id, state: 'active' })).toBe('enrolment_not_found');
  expect(await decide(seller, { enrolment_id, state: 'ended' })).toBe('invalid_transition');
  expect(await decide(seller, { enrolment_id, state: 'refused', reason: 'new shop' })).toBe('applied');
  expect((await read(seller)).body).toMatchObject({ state: 'refused', reason: 'new shop' });
  const again = (await put(seller, {})).body;
  expect(again.enrolment_id).not.toBe(enrolment_id);
  expect(await decide(seller, { enrolment_id, state: 'active' })).toBe('stale');
  const newer = { time: '2026-08-02T00:00:00Z', objectversion: 5 };
  expect(await decide(seller, { enrolment_id: again.enrolment_id, state: 'active' }, newer)).toBe('applied');
  const older = { time: '2026-08-01T00:00:00Z', objectversion: 4 };
  expect(await decide(seller, { enrolment_id: again.enrolment_id, state: 'refused' }, older)).toBe('stale');
  expect(await decide(seller, { state: 'ended' }, { objectversion: 6 })).toBe('applied');
  expect((await read(seller)).body.state).toBe('not_enrolled');
  expect(await decide(other, { state: 'active', from_on: '2026-07-01' })).toBe('applied');
  expect((await read(other)).body).toMatchObject({ state: 'active', from_on: '2026-07-01' });
  expect(await decide({ ...other, seller_id: 'slr_none' }, { state: 'active' })).toBe('seller_not_found');
});

test('a decision without an id from before a request does not decide it', async () => {
  const seller = await app.seller();
  const { enrolment_id } = (await put(seller, {})).body;
  expect(await decide(seller, { enrolment_id, state: 'refused' })).toBe('applied');
  const before = { time: new Date(app.app.services.now() - 1).toISOString() };
  await put(seller, {});
  expect(await decide(seller, { state: 'active' }, before)).toBe('stale');
  expect((await read(seller)).body.state).toBe('requested');
  expect(await decide(seller, { state: 'active' })).toBe('applied');
});

test('terms and enrolments in one batch are applied in their order', async () => {
  const own = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-25T00:00:00.000Z' });
  const sellers = await Promise.all([0, 1, 2].map(() => own.seller()));
  const decisions = sellers.map((seller) => decision(seller, { state: 'active' }));
  const results = await own.events(termsEvent(own), ...decisions);
  expect(results.map(({ status, code }) => code ?? status)).toEqual(Array(4).fill('applied'));
});
