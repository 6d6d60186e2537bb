import { afterAll, beforeEach, expect, test } from 'vitest';
import { ABR_GUID, startAbrServer } from '../../../../test/support/abr-server.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const register = await startAbrServer();
afterAll(() => register.stop());
const app = await startTestApp({
  ABR_BASE_URL: register.url,
  ABR_GUID,
  CLOCK: 'manual',
  CLOCK_START: '2026-06-28T01:00:00Z',
});
let seller = await app.seller();

interface Validation {
  readonly format_valid: boolean;
  readonly checksum_valid: boolean;
  readonly register: Record<string, unknown>;
}

beforeEach(() => {
  register.mode = 'normal';
});

const validate = async (abn: string) =>
  (await seller.call<Validation>('GET', `/sellers/validate-abn?abn=${encodeURIComponent(abn)}`)).body;
async function forward(ms: number): Promise<void> {
  const now = new Date(app.app.services.now() + ms).toISOString();
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  // The token's fifteen minutes may be over.
  seller = await seller.renew();
}
const forget = () =>
  runOn(app.database.adminUrl, (client) => client.query('delete from abn_register_answer'));

test('a registered number: form, checksum and register have separate results, and names are compared', async () => {
  expect(await validate(' 51-824 753 556 ')).toEqual({
    abn: ' 51-824 753 556 ',
    normalised: '51824753556',
    format_valid: true,
    checksum_valid: true,
    acn: null,
    hint: null,
    register: {
      status: 'found',
      entity_name: 'AUSTRALIAN TAXATION OFFICE',
      entity_type: 'Commonwealth Government Entity',
      entity_type_code: 'CGE',
      business_names: [],
      abn_status: 'active',
      effective_from: '1999-11-01',
      gst_registered: true,
      gst_from: '2000-07-01',
      acn: null,
      state: 'NSW',
      postcode: '2640',
      replaced_by: null,
      checked_at: '2026-06-28T01:00:00.000Z',
      source: 'abr',
    },
    name_match: {
      score: expect.any(Number),
      business_name: 'Test Goods',
      register_name: 'AUSTRALIAN TAXATION OFFICE',
    },
  });
});

test('GET and POST answer the same', async () => {
  const asked = await validate('26 008 672 179');
  const posted = await seller.call('POST', '/sellers/validate-abn', { json: { abn: '26 008 672 179' } });
  expect([posted.status, posted.body]).toEqual([200, asked]);
});

test('a cancelled number, one without GST, and one that contains a company number', async () => {
  expect(await validate('26008672179')).toMatchObject({
    acn: '008672179',
    register: {
      status: 'found',
      abn_status: 'cancelled',
      gst_registered: false,
      gst_from: null,
      business_names: ['Hammer & Nail', 'The Tool Shop'],
    },
  });
});

test('a replaced number names its successor; a future GST date is no registration yet', async () => {
  expect(await validate('50008559486')).toMatchObject({
    normalised: '50008559486',
    register: { status: 'found', replaced_by: '53004085616', gst_registered: false, gst_from: '2099-07-01' },
  });
});

test.each([
  ['51824753557', { format_valid: true, checksum_valid: false, hint: null }],
  ['00000000000', { format_valid: false, checksum_valid: false, hint: null }],
  ['004 085 616', { format_valid: false, checksum_valid: false, hint: 'acn_given' }],
  ['not a number', { format_valid: false, checksum_valid: false, hint: null }],
])('the register is never asked about %j', async (abn, check) => {
  const before = register.asked.length;
  const body = await validate(abn);
  expect(body).toMatchObject({
    ...check,
    register: { status: 'not_checked', checked_at: null, source: null },
  });
  expect(register.asked.length).toBe(before);
});

test('a positive answer is kept for a day, with the instant at which it was given', async () => {
  await forget();
  const before = register.asked.length;
  const first = await validate('51824753556');
  await forward(24 * 3_600_000 - 1);
  expect((await validate('51824753556')).register).toEqual(first.register);
  expect(register.asked.length).toBe(before + 1);
  await forward(1);
  expect((await validate('51824753556')).register['checked_at']).not.toBe(first.register['checked_at']);
  expect(register.asked.length).toBe(before + 2);
});

test('a negative answer is kept for ten minutes', async () => {
  const before = register.asked.length;
  expect((await validate('11004089936')).register).toMatchObject({
    status: 'not_found',
    gst_registered: null,
  });
  await forward(10 * 60_000 - 1);
  await validate('11004089936');
  expect(register.asked.length).toBe(before + 1);
  await forward(1);
  await validate('11004089936');
  expect(register.asked.length).toBe(before + 2);
});

test.each(['status_503', 'maintenance_page', 'problem'] as const)(
  'a register that answers with %s is unavailable; the number is not refused, and the answer is not kept',
  async (mode) => {
    await forget();
    register.mode = mode;
    const body = await validate('51824753556');
    expect(body).toMatchObject({ format_valid: true, checksum_valid: true });
    expect(body.register).toMatchObject({ status: 'unavailable', checked_at: null, gst_registered: null });
    register.mode = 'normal';
    expect((await validate('51824753556')).register['status']).toBe('found');
  },
);

test('during an outage fresh answers are used', async () => {
  await validate('51824753556');
  register.mode = 'status_503';
  expect((await validate('51824753556')).register['status']).toBe('found');
});

test('old answers are deleted as time passes', async () => {
  await validate('51824753556');
  await forward(3 * 24 * 3_600_000);
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query('select abn from abn_register_answer'),
  );
  expect(rows).toEqual([]);
});
