import { describe, expect, test } from 'vitest';
import type { NumberedNotice, OutgoingEventDef } from '../../../kernel/events.ts';
import { contestEvents } from '../../contests/events.ts';
import { ticketEvents } from '../../customer_service/events.ts';
import { messageReceived } from '../../messages/events.ts';
import { titleOf, toNotifications } from './to-notifications.ts';

const payout = { amount_minor: 94_959, currency: 'AUD', payout_id: 'pay_1', note: null, parts: 1, units: 0 };

test.each([
  ['A payout of {amount_minor} has arrived', 'A payout of 949.59 AUD has arrived'],
  ['{note|payout_id} has arrived', 'pay_1 has arrived'],
  ['{note|missing.part}', '–'],
  ['{amount_minor} in {parts part}, {units unit}', '949.59 AUD in 1 part, 0 units'],
  ['{times} payouts', '{times} payouts'],
])('%s is %s', (template, title) => {
  expect(titleOf(template, payout)).toBe(title);
});

test('amounts follow the currency; without one they stay as they are', () => {
  expect(titleOf('{a_minor}', { a_minor: -1_500, currency: 'JPY' })).toBe('-1500 JPY');
  expect(titleOf('{a_minor}', { a_minor: 5 })).toBe('5');
  expect(titleOf('{a_minor}', null)).toBe('–');
});

test('an amount has the currency that stands beside it', () => {
  const object = {
    claim: { granted_minor: 500, currency: 'JPY' },
    currency: 'AUD',
    fee: { total_minor: 500 },
  };
  expect(titleOf('{claim.granted_minor}, {fee.total_minor}', object)).toBe('500 JPY, 5.00 AUD');
});

test('values of closed lists are words; names stay as they are', () => {
  const object = {
    ...{ metric: 'late_dispatch', seller_sku: 'mug_blue', id: 'tkt_01m8', filename: 'my_file' },
    reasons: ['risk_review', 'kyc_required'],
  };
  expect(titleOf('{metric} {seller_sku} {id} {filename} {reasons}', object)).toBe(
    'late dispatch mug_blue tkt_01m8 my_file risk review, kyc required',
  );
});

test('a decided claim says its amounts, a contest what it is about, a message what its subject is', () => {
  const title = ({ notification, example }: OutgoingEventDef) =>
    titleOf(notification?.title ?? '', example as never);
  expect(title(ticketEvents.claimDecided)).toMatch(
    /^The claim over [\d.]+ AUD, order \{order\}, was granted: [\d.]+ AUD to the buyer$/,
  );
  expect(title(contestEvents.decided)).toMatch(/^Your contest \(rating\) was \w+$/);
  expect(title(messageReceived)).toMatch(/^New message about order \{order\}$/);
});

test('a part in brackets is left out without its field; a long title ends with an ellipsis', () => {
  expect(titleOf('New claim[, order {links.order_id}]', { links: {} })).toBe('New claim');
  expect(titleOf('New claim[, order {links.order_id}]', { links: { order_id: 'o' } })).toBe(
    'New claim, order {order}',
  );
  const title = titleOf('Rejected: {question}', { question: 'Ä'.repeat(900) });
  expect([title.length, title.slice(-2)]).toEqual([300, 'Ä…']);
});

test('instants are minutes in Sydney', () => {
  const object = { by: '2026-11-24T13:49:02.348Z', on: '2026-11-24', note: '2026-11-24T13:49:02.348Z?' };
  expect(titleOf('{by} {on} {note}', object)).toBe(
    '2026-11-25 00:49 Sydney time 2026-11-24 2026-11-24T13:49:02.348Z?',
  );
});

describe('an event that clears', () => {
  const base = { summary: '', schema: {}, example: null };
  const asked = { ...base, type: 'asked', notification: { severity: 'info' as const, title: 'Asked' } };
  const done = { ...base, type: 'done', clears: { types: ['asked'], where: { by: 'me' } } };
  const notice = (def: OutgoingEventDef, object: object, n: number): NumberedNotice => ({
    ...{ def, seller_id: 'slr_1', event_id: `evt_${n}`, object_id: 'thr_1', sequence: BigInt(n) },
    ...{ created_at: '2026-01-01T00:00:00.000Z', object: { ...object } },
  });
  const after = (...events: readonly (readonly [OutgoingEventDef, object])[]) => {
    const all = events.map(([def, object], index) => notice(def, object, index + 1));
    const { written, cleared } = toNotifications(all, () => 'ntf_1', 0);
    return [
      written.map(({ event_id, acknowledged_at }) => [event_id, acknowledged_at !== null]),
      cleared.length,
    ];
  };

  test.each([
    [
      'acknowledges what came before',
      [
        [asked, {}],
        [done, { by: 'me' }],
      ],
      [[['evt_1', true]], 1],
    ],
    [
      'leaves what comes after',
      [
        [done, { by: 'me' }],
        [asked, {}],
      ],
      [[['evt_2', false]], 1],
    ],
    [
      'only with its values',
      [
        [asked, {}],
        [done, { by: 'you' }],
      ],
      [[['evt_1', false]], 0],
    ],
    [
      'makes a later one new',
      [
        [asked, {}],
        [done, { by: 'me' }],
        [asked, {}],
      ],
      [
        [
          ['evt_1', true],
          ['evt_3', false],
        ],
        1,
      ],
    ],
  ] as const)('%s', (_, events, expected) => {
    expect(after(...events)).toEqual(expected);
  });
});
