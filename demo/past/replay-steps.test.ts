import { expect, test } from 'vitest';
import { isObject, type Json, textOf } from '../shop-owner.ts';
import type { Replay } from './replay.ts';
import { replaySteps } from './replay-steps.ts';

/** A shop whose late order is counted by the night, and by nothing else. */
function shopWithLateOrder() {
  let counted = false;
  const posted: string[] = [];
  const decided: unknown[] = [];
  const pageOf = (path: string): Json[] => {
    if (path.startsWith('/quality/contests')) return [{ contest_id: 'cst_1' }];
    return counted ? [{ event_id: 'qev_1', order_id: 'ord_late' }] : [];
  };
  const nothing = async () => undefined;
  const replay: Replay = {
    services: { withSystem: nothing as Replay['services']['withSystem'], log: console as never },
    sellerId: 'slr_1',
    owner: {
      register: async () => 'slr_1',
      get: async (path) => ({ status: 200, body: { data: pageOf(path) } }),
      patch: async () => ({ status: 200, body: {} }),
      post: async (path) => {
        posted.push(path);
        return { status: 201, body: {} };
      },
    },
    sendEvents: async (events) => {
      decided.push(...events.map(({ subject, data }) => [subject, isObject(data) && textOf(data['status'])]));
      return events.map(() => ({ status: 'applied' }));
    },
    moveTo: nothing,
    runNight: async () => {
      counted = true;
    },
    suppliersDo: nothing,
    signal: new AbortController().signal,
    ...{ beganAt: 0, until: 1 },
  };
  return { replay, posted, decided };
}

test('a late order is contested after the night that counts it, whatever reads ask for', async () => {
  const { replay, posted, decided } = shopWithLateOrder();
  await replaySteps(replay, [{ kind: 'contest', at: 1, orderId: 'ord_late' }], 0, 1);
  expect(posted).toEqual(['/quality/seller-metrics/events/qev_1/contest']);
  expect(decided).toEqual([['cst_1', 'upheld']]);
});
