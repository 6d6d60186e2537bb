/**
 * What the marketplace says about a case comes in any order, and each event twice; what is rejected is sent again. The
 * seller hands in once the case is open. Every sequence ends alike.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { kycOn, PDF } from '../../../../test/support/kyc.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { permutations } from '../../../../test/support/permutations.ts';

const app = await startTestApp();
const { iso, now, read, send, submit } = kycOn(app);
const START = now();
/** The seller's part among the events. */
const HANDS_IN = 'the seller hands in';

const DEADLINE = '2099-01-01T00:00:00Z';
const REQUIRED = { required: true, deadline: DEADLINE, items: [{ code: 'proof_of_address' }] };
const decided = (decision: string, more: object = {}) => ({ decision, round: 1, ...more });
const REFUSED = { items: [{ code: 'too_old' }], deadline: '2099-02-01T00:00:00Z' };

/** @returns whether the seller could hand in */
async function handIn(seller: TestSeller): Promise<boolean> {
  const [item] = (await read(seller)).items;
  if (item === undefined) return false;
  const { status } = await send(seller, item.item_id, PDF, 'application/pdf');
  return status === 201 && (await submit(seller)).status === 201;
}

/** What is left of a case without its ids and instants, and the events that the seller gets. */
async function endOf(seller: TestSeller) {
  const { status, round, deadline, waiting_on, items } = await read(seller);
  const told = await asOwner<{ type: string }>(
    app,
    "select type from outbox where seller_id = $1 and type like 'kyc.%' order by type",
    [seller.seller_id],
  );
  return {
    ...{ status, round, deadline, waiting_on },
    items: items.map((item) => [item.code, item.status, item.reasons.map(({ code }) => code)]),
    documents: items.flatMap(({ documents }) => documents).length,
    told: told.map(({ type }) => type),
  };
}

test.each([
  [
    'approved',
    decided('approved'),
    { deadline: null, items: [['proof_of_address', 'accepted', []]], documents: 1, waiting_on: 'nobody' },
  ],
  [
    'more_info_required',
    decided('more_info_required', REFUSED),
    {
      ...{ deadline: iso(Date.parse(REFUSED.deadline)), documents: 1, waiting_on: 'seller' },
      items: [['proof_of_address', 'refused', ['too_old']]],
    },
  ],
  [
    'rejected',
    decided('rejected', { items: [{ code: 'other' }] }),
    {
      ...{ deadline: iso(Date.parse(DEADLINE)), documents: 0, waiting_on: 'marketplace' },
      items: [['proof_of_address', 'provided', []]],
    },
  ],
] as const)('required, handed in, reviewed and %s in any order', async (status, decision, end) => {
  const said: readonly (readonly [type: string, data: object])[] = [
    ['required', REQUIRED],
    ['review_started', { round: 1 }],
    ['decided', decision],
  ];
  for (const order of permutations([HANDS_IN, ...said.map(([type]) => type)])) {
    const seller = await app.seller({ plan: 'Small' });
    const events = said.map(([type, data], hour) => ({
      ...orderEvent(app, seller, `kyc.${type}`, seller.seller_id, data),
      id: randomUUID(),
      time: iso(START - (said.length - hour) * 60_000),
    }));
    let waiting = order.flatMap((type) => [type, type]);
    let handedIn = false;
    for (let round = 0; round < order.length && waiting.length > 0; round += 1) {
      const left: string[] = [];
      for (const type of waiting) {
        const event = events[said.findIndex(([known]) => known === type)];
        if (event === undefined) {
          handedIn ||= await handIn(seller);
          if (!handedIn) left.push(type);
        } else if ((await app.events(event))[0]?.status === 'rejected') left.push(type);
      }
      waiting = left;
    }
    expect([order, await endOf(seller)]).toEqual([
      order,
      { status, round: 1, ...end, told: ['kyc.submitted', `kyc.${status}`].toSorted() },
    ]);
    // The start of a review that comes after its decision is never applied.
    expect(waiting.filter((type) => type !== 'review_started')).toEqual([]);
  }
});
