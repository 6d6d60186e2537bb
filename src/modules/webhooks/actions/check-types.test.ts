import { expect, test } from 'vitest';
import { type Catalogue, typeProblems } from './check-types.ts';

const catalogue = {
  modules: [{ events: [{ type: 'product.created' }, { type: 'order.created' }] }],
} as never as Catalogue;

test.each([
  ['product.creatd', ' Did you mean "product.created"?'],
  ['order_created', ' Did you mean "order.created"?'],
  ['nothing.*', ''],
])('the event type %s is refused with the nearest one, where there is one', (type, hint) => {
  expect(typeProblems([type], catalogue, 'event_types')).toMatchObject([
    { msg: expect.stringMatching(hint === '' ? /for all\.$/ : /\?$/) },
  ]);
  expect(typeProblems([type], catalogue, 'event_types')[0]?.msg.endsWith(hint)).toBe(true);
});
