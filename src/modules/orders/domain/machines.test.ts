/** The tables and the rules agree for every event in every state. */
import { describe, expect, test } from 'vitest';
import type { IdKind } from '../../../kernel/ids.ts';
import type { Machine } from '../../../kernel/machine.ts';
import { minor } from '../../../kernel/money.ts';
import { accept, expire, reject } from './answer-placement.ts';
import {
  acceptCancelRequest,
  cancel,
  cancelByMarketplace,
  denyCancelRequest,
  requestCancel,
} from './cancel.ts';
import { deliverAll, track } from './delivery.ts';
import { deriveStatuses } from './derive-statuses.ts';
import { labelOf, voidLabel } from './labels.ts';
import { MACHINES } from './machines.ts';
import { capture, decideDispute, openDispute, requestRefund } from './money-moves.ts';
import { ORDER_STATUSES, type Order, type OrderStatus } from './order.ts';
import { type OrderEventName, orderMachine } from './order-machine.ts';
import { place } from './place.ts';
import { createRefund, settleRefund } from './refunds-by-marketplace.ts';
import { Refusal } from './refusal.ts';
import { acceptReturn, inspectReturn, receiveReturn, refuseReturn, requestReturn } from './returns.ts';
import { changeTracking, dispatch, pack } from './shipments.ts';
import { runTimers } from './timers.ts';
import { openWork, type Work } from './work.ts';

const START = Date.parse('2026-06-28T23:00:00Z');
const HOUR_MS = 3_600_000;
let serial = 0;
const newId = (kind: IdKind): string => {
  serial += 1;
  return `${kind}_${serial}`;
};
const PARCEL = { carrier: 'own', service: null, tracking_number: 'SPX1', tracking_url: null };

function step(order: Order, hours: number, rule: (work: Work) => unknown): Order {
  const work = openWork(order, START + hours * HOUR_MS, newId);
  rule(work);
  deriveStatuses(work);
  work.order.head.version += 1;
  return work.order;
}

function fresh(): Order {
  const line = {
    kind: 'item' as const,
    quantity: 4,
    unit_price_minor: minor(1_000),
    seller_sku: 'A',
    title: 'A',
    category: null,
    gtin: null,
    weight_g: null,
    image_url: null,
    product_id: 'prd_a',
    platform_fee_bps: null,
  };
  const placed = place(
    {
      order_id: 'ord_1',
      external_order_id: null,
      order_number: '1',
      currency: 'AUD',
      loyalty: false,
      seller_discount_minor: minor(0),
      buyer_id: null,
      buyer_alias: null,
      customer_ref: null,
      ship_to: {},
      placed_at: new Date(START).toISOString(),
      placed_facts: {},
      search_text: '',
      accept_by: '2026-06-29T23:00:00.000Z',
      dispatch_by: '2026-06-30T14:00:00.000Z',
      dispatch_rule: {
        source: 'default',
        profile_id: null,
        handling_days: 2,
        cut_off: null,
        timezone: 'Australia/Sydney',
        working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
        closed_from: null,
        closed_to: null,
      },
      lines: [line],
    },
    START,
    newId,
  );
  return step(placed, 0, ({ order }) => {
    for (const one of order.lines) one.reserved = one.ordered;
  });
}

const units = (order: Order, quantity: number) => [
  { order_line_id: order.lines[0]?.order_line_id ?? '', quantity },
];
const shipSome = (work: Work, quantity: number): void => {
  const { shipment_id } = pack(work, units(work.order, quantity), []);
  dispatch(work, shipment_id, PARCEL);
};
const other = { reason: 'other' } as const;

/** An order in each of its states, all at the same instant. */
const IN: Readonly<Record<OrderStatus, () => Order>> = {
  awaiting_acceptance: fresh,
  accepted: () => step(fresh(), 1, (work) => accept(work, undefined)),
  partially_shipped: () =>
    step(
      step(fresh(), 1, (work) => accept(work, units(work.order, 3))),
      2,
      (work) => shipSome(work, 1),
    ),
  shipped: () => step(IN.accepted(), 2, (work) => shipSome(work, 4)),
  delivered: () =>
    step(IN.shipped(), 3, (work) => {
      deliverAll(work, work.at);
    }),
  closed: () => step(IN.delivered(), 31 * 24, runTimers),
  rejected: () => step(fresh(), 1, (work) => reject(work, other, undefined)),
  cancelled: () => step(IN.accepted(), 2, (work) => cancel(work, other, undefined)),
};

const at = (work: Work): string => work.at;
const refundPart = ({ order }: Work) =>
  order.lines.map((line) => ({ line, quantity: 1, amount_minor: minor(100) }));
const withRequest = (work: Work): boolean =>
  requestCancel(work, {
    id: 'crq_1',
    lines: undefined,
    reason: null,
    time: at(work),
    cancels: [],
  });

/** Runs the rule of an event. @throws Refusal when the rules refuse */
const DO: Readonly<Record<Exclude<OrderEventName, 'place'>, (work: Work) => unknown>> = {
  capture: (work) =>
    capture(
      work,
      {
        charge_id: 'ch',
        captured_minor: minor(4_000),
        provider_fee_minor: null,
        provider_transaction_id: null,
        charge_total_minor: null,
        charge_provider_fee_minor: null,
        share_of: null,
      },
      work.at,
    ),
  warn_acceptance: (work) => onTime(work, 'warn_acceptance'),
  accept: (work) => accept(work, undefined),
  reject: (work) => reject(work, other, undefined),
  expire,
  request_cancel: withRequest,
  accept_cancel_request: (work) => {
    withRequest(work);
    acceptCancelRequest(work, 'crq_1');
  },
  deny_cancel_request: (work) => {
    withRequest(work);
    denyCancelRequest(work, 'crq_1', undefined);
  },
  grant_cancel_request: (work) => {
    withRequest(work);
    acceptCancelRequest(work, 'crq_1', true);
  },
  cancel: (work) => cancel(work, other, undefined),
  cancel_by_marketplace: (work) =>
    cancelByMarketplace(work, {
      lines: undefined,
      by: 'marketplace',
      reason: null,
      request_id: null,
      time: work.at,
      others: [],
      unanswered: new Map(),
    }),
  pack: (work) => pack(work, undefined, []),
  dispatch: (work) => {
    const { shipment_id } = pack(work, undefined, []);
    dispatch(work, shipment_id, PARCEL);
  },
  flag_late: (work) => onTime(work, 'flag_late'),
  track: (work) => {
    const [shipment] = work.order.shipments;
    if (shipment === undefined) throw new Refusal('invalid_transition', 'no parcel');
    track(work, shipment.shipment_id, { status: 'in_transit', at: work.at, version: null });
  },
  deliver: (work) => deliverAll(work, work.at),
  request_return: (work) =>
    requestReturn(work, {
      id: 'rtn_1',
      lines: [{ line_no: 1, quantity: 1, reason: null }],
      respond_by: null,
      return_policy: null,
      // Within the return window, whenever the event arrives.
      time: new Date(START + 4 * HOUR_MS).toISOString(),
    }),
  request_refund: (work) => requestRefund(work, refundPart(work), null),
  refund: (work) =>
    createRefund(work, { id: 'rf', seller_refund_id: null, reason: null, time: work.at }, refundPart(work)),
  dispute: (work) =>
    openDispute(work, {
      id: 'dp',
      amount_minor: minor(1),
      provider_fee_minor: minor(0),
      respond_by: null,
      time: work.at,
    }),
  warn_dispute: (work) => {
    const in_a_day = new Date(Date.parse(work.at) + 24 * HOUR_MS).toISOString();
    openDispute(work, {
      id: 'dp',
      amount_minor: minor(1),
      provider_fee_minor: minor(0),
      respond_by: in_a_day,
      time: work.at,
    });
    onTime(work, 'warn_dispute');
  },
  close: (work) => onTime(work, 'close'),
};

/** A timer that is not planned at its instant does not run. */
function onTime(work: Work, action: string): void {
  const ACTION: Readonly<Record<string, string>> = {
    warn_acceptance: 'acceptance_due',
    flag_late: 'late',
    close: 'closed',
    warn_dispute: 'dispute_action_needed',
  };
  runTimers(work);
  if (!work.notes.some((note) => note.action === ACTION[action]))
    throw new Refusal('invalid_transition', 'nothing is due');
}

/** The instant of a timer; other events come after three hours. */
const HOURS: Partial<Record<OrderEventName, number>> = {
  warn_acceptance: 21,
  expire: 25,
  flag_late: 100,
  close: 31 * 24,
};

/** Events that the table allows, but for which the fixture of the state has no units. */
const NOTHING_TO_DO: Readonly<Record<string, string>> = {
  'cancel awaiting_acceptance': 'nothing is accepted yet',
  'pack awaiting_acceptance': 'nothing is accepted yet',
  'dispatch awaiting_acceptance': 'nothing is accepted yet',
  'flag_late awaiting_acceptance': 'nothing is accepted yet',
  'request_return partially_shipped': 'nothing is delivered yet',
  'request_return shipped': 'nothing is delivered yet',
  'cancel_by_marketplace shipped': 'nothing is open any more',
  'cancel_by_marketplace delivered': 'nothing is open any more',
  'cancel_by_marketplace closed': 'nothing is open any more',
  'deliver rejected': 'the seller has rejected it',
  'deliver cancelled': 'nothing has expired',
  'close shipped': 'a parcel is on its way',
};

describe.each(ORDER_STATUSES)('an order that is %s', (status) => {
  test('is the one of the fixture', () => {
    expect(IN[status]().head.status).toBe(status);
  });

  const events = Object.keys(DO) as (keyof typeof DO)[];
  test.each(events)('allows or refuses %s as the table says', (event) => {
    const order = IN[status]();
    const hour = Math.max(HOURS[event] ?? 3, status === 'closed' ? 31 * 24 : 0);
    const work = openWork(order, START + hour * HOUR_MS, newId);
    const allowed = orderMachine.allows(event, status);
    let refused: unknown;
    try {
      DO[event](work);
      deriveStatuses(work);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused = error;
    }
    const excuse = NOTHING_TO_DO[`${event} ${status}`];
    if (!allowed || excuse) {
      expect(refused).toBeInstanceOf(Refusal);
      return;
    }
    expect(refused).toBeUndefined();
    const row = orderMachine.rows.find(
      (one) => one.event === event && one.from.some((from) => from === status),
    );
    expect(row?.to).toContain(work.order.head.status);
    const told = new Set(MACHINES.flatMap(({ rows }) => rows.flatMap(({ emits }) => emits)));
    for (const { type } of work.emits) expect(told).toContain(type);
  });
});

test.each(MACHINES.map((machine): [string, Machine] => [machine.name, machine as Machine]))(
  'the machine of %s starts somewhere, and every state can be reached',
  (_, { rows, states }) => {
    const reached = new Set(rows.filter(({ from }) => from.length === 0).flatMap(({ to }) => to));
    for (let before = -1; before !== reached.size; ) {
      before = reached.size;
      for (const { from, to } of rows)
        if (from.some((state) => reached.has(state))) for (const state of to) reached.add(state);
    }
    expect([...reached].sort()).toEqual([...states].sort());
  },
);

describe('the parts of an order move as their tables say', () => {
  const delivered = () => IN.delivered();
  const withReturn = () => step(delivered(), 4, DO.request_return);

  test('a return', () => {
    const rules: Readonly<Record<string, (work: Work) => unknown>> = {
      accept: (work) => acceptReturn(work, 'rtn_1', undefined),
      refuse: (work) => refuseReturn(work, 'rtn_1', 'other', undefined),
      receive: (work) => receiveReturn(work, 'rtn_1', undefined),
      inspect: (work) => inspectReturn(work, 'rtn_1', {}),
    };
    const ways: Readonly<Record<string, readonly string[]>> = {
      requested: [],
      accepted: ['accept'],
      refused: ['refuse'],
      received: ['accept', 'receive'],
      inspected: ['accept', 'receive', 'inspect'],
    };
    const machine = MACHINES[3];
    for (const [state, way] of Object.entries(ways)) {
      const order = way.reduce((now, event) => step(now, 5, (work) => rules[event]?.(work)), withReturn());
      expect(order.returns[0]?.status).toBe(state);
      for (const [event, rule] of Object.entries(rules)) {
        const run = () => step(order, 6, (work) => rule(work));
        if ((machine as Machine).allows(event, state)) expect(run().returns[0]?.status).not.toBe(state);
        else expect(run, `${event} of ${state}`).toThrow(Refusal);
      }
    }
  });

  test('a shipment', () => {
    const draft = step(IN.accepted(), 2, (work) => pack(work, undefined, []));
    const id = draft.shipments[0]?.shipment_id ?? '';
    const sent = step(draft, 3, (work) => dispatch(work, id, PARCEL));
    expect(() => step(sent, 4, (work) => dispatch(work, id, PARCEL))).toThrow(Refusal);
    expect(() => step(draft, 4, (work) => voidLabel(work, id))).toThrow(Refusal);
    expect(() => step(draft, 4, (work) => changeTracking(work, id, PARCEL, undefined))).toThrow(Refusal);
    expect(labelOf(draft, draft.shipments[0] ?? sent.shipments[0] ?? ({} as never))).toBeUndefined();
    const lost = step(
      sent,
      5,
      (work) => void track(work, id, { status: 'lost', at: work.at, version: null }),
    );
    expect(lost.lines[0]).toMatchObject({ lost: 4, in_transit: 0 });
    const found = step(
      lost,
      6,
      (work) => void track(work, id, { status: 'delivered', at: work.at, version: null }),
    );
    expect(found.head.status).toBe('delivered');
  });

  test('refunds and disputes end as their newest events say', () => {
    const made = step(delivered(), 5, DO.refund);
    const settled = (order: Order, status: 'succeeded' | 'failed', hour: number) =>
      step(
        order,
        9,
        (work) =>
          void settleRefund(work, 'rf', {
            status,
            at: new Date(START + hour * HOUR_MS).toISOString(),
            version: null,
          }),
      );
    expect(settled(settled(made, 'succeeded', 6), 'failed', 7).refunds[0]?.status).toBe('failed');
    expect(settled(settled(made, 'failed', 7), 'succeeded', 6).refunds[0]?.status).toBe('failed');
    const opened = step(delivered(), 5, DO.dispute);
    const decided = (order: Order, status: 'lost' | 'won', version: bigint) =>
      step(
        order,
        9,
        (work) => void decideDispute(work, 'dp', { status, at: work.at, version, returned_fee_minor: null }),
      );
    expect(decided(decided(opened, 'won', 3n), 'lost', 2n).disputes[0]?.status).toBe('won');
    expect(decided(decided(opened, 'lost', 2n), 'won', 3n).disputes[0]?.status).toBe('won');
    const unknown = (order: Order, status: 'succeeded' | 'failed', hour: number) => () =>
      step(order, 6, (work) => {
        const at = new Date(START + hour * HOUR_MS).toISOString();
        settleRefund(work, 'no', { status, at, version: null });
      });
    expect(unknown(made, 'succeeded', 1)).toThrow(Refusal);
    expect(unknown(made, 'failed', 9)).toThrow(Refusal);
    expect(unknown(delivered(), 'failed', 1)).toThrow(Refusal);
    // It failed before a known refund was made, which may have replaced it.
    expect(unknown(made, 'failed', 1)().refunds[1]).toMatchObject({ status: 'failed', amount_minor: 0n });
  });
});
