/** What several people and the marketplace do with one case at the same time, on a clock of its own. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { DAY_MS, kycOn, PDF, PHOTO } from '../../../../test/support/kyc.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { joinTeam } from '../../../../test/support/team.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const { asked, contentsOf, handIn, iso, itemOf, now, read, send, submit, tell } = kycOn(app);
const ADDRESS = { items: [{ code: 'proof_of_address' }] };
/** How often a pair of requests races. */
const ROUNDS = 8;

const eventsOf = async ({ seller_id }: TestSeller, type: string): Promise<number> =>
  (await asOwner(app, 'select from outbox where seller_id = $1 and type = $2', [seller_id, type])).length;
/** Whether each open case has the documents that its state says, and each document its content. */
async function expectWhole(seller: TestSeller): Promise<void> {
  const { status, items } = await read(seller);
  for (const { status: item, documents } of items) {
    if (item === 'missing') expect(documents).toEqual([]);
    if (item === 'provided' || item === 'accepted') expect(documents.length).toBeGreaterThan(0);
  }
  if (status === 'submitted') expect(items.map((one) => one.status)).not.toContain('missing');
  const count = items.flatMap(({ documents }) => documents).length;
  expect(await contentsOf(seller)).toBeGreaterThanOrEqual(count);
}

test('two approvals at once are one', async () => {
  const seller = await asked(ADDRESS);
  await handIn(seller);
  const told = await Promise.all(
    Array.from({ length: 4 }, () => tell(seller, 'decided', { decision: 'approved', round: 1 })),
  );
  expect(told.sort()).toEqual(['applied', ...Array(3).fill('invalid_transition')]);
  expect(await eventsOf(seller, 'kyc.approved')).toBe(1);
});

test('of an approval and a refusal at once one is applied', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const seller = await asked(ADDRESS);
    await handIn(seller);
    const told = await Promise.all([
      tell(seller, 'decided', { decision: 'approved', round: 1 }),
      tell(seller, 'decided', { decision: 'rejected', round: 1, items: [{ code: 'other' }] }),
    ]);
    expect(told.toSorted()).toEqual(['applied', 'invalid_transition']);
    const { status } = await read(seller);
    expect(status).toBe(told[0] === 'applied' ? 'approved' : 'rejected');
    expect(await eventsOf(seller, `kyc.${status}`)).toBe(1);
  }
});

test('of an approval and a waiver at once one is applied, and the hold is gone', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const seller = await asked({ ...ADDRESS, deadline: iso(now() - DAY_MS) });
    await handIn(seller);
    const told = await Promise.all([
      tell(seller, 'decided', { decision: 'approved', round: 1 }),
      tell(seller, 'required', { required: false }),
    ]);
    expect(told.toSorted()).toEqual(['applied', 'invalid_transition']);
    const { status } = await read(seller);
    expect(status).toBe(told[0] === 'applied' ? 'approved' : 'not_required');
    const holds = await asOwner(app, 'select from settlement_source_hold where seller_id = $1', [
      seller.seller_id,
    ]);
    expect(holds).toEqual([]);
  }
});

test('a document that is deleted while the case is submitted is part of it or keeps it open', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const seller = await asked(ADDRESS);
    const { item_id } = await itemOf(seller, 'proof_of_address');
    const { body } = await send(seller, item_id, PDF, 'application/pdf');
    const [submitted, deleted] = await Promise.all([
      submit(seller),
      seller.call<{ code?: string }>('DELETE', `/kyc/documents/${body.attachment_id}`),
    ]);
    const outcome = [submitted.status, submitted.body?.code, deleted.status, deleted.body?.code];
    expect([
      [201, undefined, 409, 'case_not_open'],
      [409, 'items_missing', 204, undefined],
    ]).toContainEqual(outcome);
    await expectWhole(seller);
  }
});

test('two members that send a document of one place at once leave one that counts', async () => {
  const seller = await asked(ADDRESS);
  const admin = await joinTeam(app, seller, ['admin']);
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const both = await Promise.all([
    send(seller, item_id, PHOTO),
    send(admin, item_id, PDF, 'application/pdf'),
  ]);
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  const { status, documents } = await itemOf(seller, 'proof_of_address');
  expect([status, documents.length]).toEqual(['provided', 1]);
  expect(await contentsOf(seller)).toBe(2);
});

test('one upload under one key at once is one document', async () => {
  const seller = await asked(ADDRESS);
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const headers = { 'idempotency-key': randomUUID() };
  const all = await Promise.all(
    Array.from({ length: 4 }, () => send(seller, item_id, PDF, 'application/pdf', '', headers)),
  );
  const taken = all.filter(({ status }) => status === 201);
  expect(taken.length).toBeGreaterThan(0);
  expect(new Set(taken.map(({ body }) => body.attachment_id)).size).toBe(1);
  expect(await contentsOf(seller)).toBe(1);
});

test.each<[string, (seller: TestSeller, memberId: string) => Promise<unknown>, number, string]>([
  [
    'whose seller is suspended',
    (seller) =>
      apply(
        app,
        orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, { status: 'suspended' }),
      ),
    403,
    'seller_suspended',
  ],
  [
    'who is removed',
    (seller, memberId) => seller.call('DELETE', `/sellers/me/members/${memberId}`),
    401,
    'token_invalid',
  ],
  ['whose case is waived', (seller) => tell(seller, 'required', { required: false }), 409, 'case_not_open'],
])('a document of a member %s while it arrives is not stored', async (_who, change, status, code) => {
  const seller = await asked(ADDRESS);
  const admin = await joinTeam(app, seller, ['admin']);
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const sent = request(`${app.url}/api/v1/kyc/items/${item_id}/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin.token}`,
      ...{ 'content-type': 'application/pdf', 'content-length': PDF.length, expect: '100-continue' },
    },
  });
  const answered = once(sent, 'response');
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(PDF.subarray(0, 20));
  await change(seller, admin.member_id);
  sent.end(PDF.subarray(20));
  const [answer] = (await answered) as [IncomingMessage];
  const said = JSON.parse((await answer.toArray()).join('')) as { code: string };
  expect([answer.statusCode, said.code]).toEqual([status, code]);
  expect(await contentsOf(seller)).toBe(0);
});
