import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permutations } from '../../../../test/support/permutations.ts';
import type { IdKind } from '../../../kernel/ids.ts';
import { minor } from '../../../kernel/money.ts';
import { accept, expire, reject } from '../../orders/domain/answer-placement.ts';
import { cancel, cancelByMarketplace } from '../../orders/domain/cancel.ts';
import { deliverAll } from '../../orders/domain/delivery.ts';
import { deriveStatuses } from '../../orders/domain/derive-statuses.ts';
import { BUCKETS, type Order } from '../../orders/domain/order.ts';
import { place } from '../../orders/domain/place.ts';
import { Refusal } from '../../orders/domain/refusal.ts';
import { dispatch, pack } from '../../orders/domain/shipments.ts';
import { openWork, type Work } from '../../orders/domain/work.ts';
import { type Fact, QUANTITIES } from './fold.ts';
import type { KnownLine } from './follow.ts';
import {
  addFact,
  closedNow,
  followOrder,
  linesNow,
  type Supplying,
  settleNow,
  takeFact,
  takeParcel,
} from './supplying.ts';

const START = Date.parse('2026-06-28T01:00:00Z');
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();
const ORDERED = 12;
const ROUTED = 11;
const FACTS = {
  ...{ order_id: 'ord_1', external_order_id: null, order_number: '1', currency: 'AUD', loyalty: false },
  ...{ seller_discount_minor: minor(0), buyer_id: null, buyer_alias: null, customer_ref: null, ship_to: {} },
  ...{ placed_at: at(0), placed_facts: {}, search_text: '', dispatch_rule: null },
  ...{ accept_by: '2026-06-29T01:00:00.000Z', dispatch_by: '2026-06-30T01:00:00.000Z' },
};
const LINE = {
  ...{ kind: 'item' as const, quantity: ORDERED, unit_price_minor: minor(2_000), seller_sku: 'MUG' },
  ...{ title: 'Mug', category: null, gtin: null, weight_g: null, image_url: null, product_id: 'prd_1' },
  platform_fee_bps: null,
};
const PARCEL = { carrier: 'australia_post', service: null, tracking_number: 'T1', tracking_url: null };

/** An order of 12 units, of which 11 are sent to a supplier and one is beyond the stock. */
class Shop {
  order: Order;
  serial = 0;
  readonly id: string;
  facts: Fact[] = [];
  known: ReadonlyMap<string, KnownLine> = new Map();

  constructor() {
    this.order = place({ ...FACTS, lines: [LINE] }, START, this.newId);
    const [line] = this.order.lines;
    if (line === undefined) throw new Error('no line');
    this.id = line.order_line_id;
    this.change((work) => {
      for (const one of work.order.lines) Object.assign(one, { reserved: ROUTED, supplied: ROUTED });
    });
    this.supplier((work, supplying) => {
      const sent = { order_line_id: this.id, units: ROUTED, unit_cost_minor: 1_840 };
      supplying.facts.push({ kind: 'send', fee_minor: 250, lines: [sent], at: at(0), fact_id: 'send' });
      settleNow(work, supplying);
    });
  }

  newId = (kind: IdKind): string => {
    this.serial += 1;
    return `${kind}${this.serial}`;
  };

  change(rule: (work: Work) => void): void {
    const work = openWork(this.order, START, this.newId);
    rule(work);
    deriveStatuses(work);
    this.order = work.order;
  }

  /** As the service does it: what the order has done first, then what the supplier says. */
  supplier(rule: (work: Work, supplying: Supplying) => void = () => undefined): void {
    this.change((work) => {
      const supplying = { supplier_id: 'sup_1', line_ids: [this.id], facts: this.facts, known: this.known };
      this.serial += 1;
      followOrder(work.order, supplying, at(this.serial), String(this.serial));
      rule(work, supplying);
      const closed = closedNow(work.order, supplying);
      this.known = new Map(
        [...linesNow(work.order, supplying)].map(([id, line]) => [
          id,
          { ...line, closed: closed.get(id) ?? 0 },
        ]),
      );
    });
  }

  seller(rule: (work: Work) => void): void {
    try {
      this.change(rule);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    // The job that follows the order may come before the next event, or not.
    if (this.serial % 2 === 0) this.supplier();
  }

  answer(accepted: number, rejected: number, minute: number): boolean {
    let taken = false;
    this.supplier((work, supplying) => {
      const line = { order_line_id: this.id, accepted, rejected, reason: null, unit_cost_minor: null };
      taken = takeFact(work, supplying, {
        ...{ kind: 'answer', accepted_at: at(minute), fee_minor: null, freight_minor: 0, lines: [line] },
        ...{ at: at(minute), fact_id: `answer:${accepted}:${rejected}:${minute}` },
      });
    });
    return taken;
  }

  supplierCancel(units: number, minute: number): void {
    this.supplier((work, supplying) => {
      takeFact(work, supplying, {
        ...{ kind: 'supplier_cancel', lines: [{ order_line_id: this.id, units }] },
        ...{ at: at(minute), fact_id: `supplier_cancel:${units}:${minute}` },
      });
    });
  }

  ship(units: number, minute: number): void {
    this.supplier((work, supplying) => {
      takeParcel(work, supplying, {
        ...{ kind: 'ship', supplier_shipment_id: String(minute), carrier: 'x', tracking_number: 'T1' },
        ...{ tracking_url: null, told_at: at(minute), at: at(minute), fact_id: `ship:${units}:${minute}` },
        lines: [{ order_line_id: this.id, units }],
      });
    });
  }

  noAnswer(minute: number): void {
    this.supplier((work, supplying) => {
      const units = this.line.sent;
      addFact(supplying, 'no_answer', [{ order_line_id: this.id, units }], {
        ...{ at: at(minute), fact_id: String(minute) },
      });
      settleNow(work, supplying);
    });
  }

  buyerCancels(units: number): void {
    this.seller((work) => {
      const cancelled = { by: 'buyer', reason: null, request_id: null, time: at(1), others: [] };
      const lines = [{ line_no: 1, quantity: units }];
      cancelByMarketplace(work, { ...cancelled, lines, unanswered: new Map() });
    });
  }

  get line() {
    const supplying = { supplier_id: 'sup_1', line_ids: [this.id], facts: this.facts, known: this.known };
    const line = linesNow(this.order, supplying).get(this.id);
    const [orderLine] = this.order.lines;
    if (line === undefined || orderLine === undefined) throw new Error('no line');
    return { ...line, orderLine };
  }

  get state() {
    const { orderLine, acceptances: _, ...line } = this.line;
    const buckets = [...BUCKETS, 'reserved', 'supplied', 'supplied_accepted'] as const;
    return { line, order: buckets.map((name) => orderLine[name]) };
  }

  check(): void {
    const { orderLine, ...line } = this.line;
    expect(QUANTITIES.reduce((sum, name) => sum + line[name], 0)).toBe(line.routed);
    expect(Math.min(...QUANTITIES.map((name) => line[name]))).toBeGreaterThanOrEqual(0);
    expect(BUCKETS.reduce((sum, name) => sum + orderLine[name], 0)).toBe(ORDERED);
    expect(Math.min(...BUCKETS.map((name) => orderLine[name]))).toBeGreaterThanOrEqual(0);
    const { supplied, supplied_accepted, awaiting, accepted_open, reserved } = orderLine;
    // What the order says of the supplier's units is what the dropship order says.
    expect([supplied - supplied_accepted, supplied_accepted]).toEqual([
      line.queued + line.sent,
      line.accepted_open,
    ]);
    expect(supplied).toBeLessThanOrEqual(awaiting + accepted_open);
    expect(supplied_accepted).toBeLessThanOrEqual(accepted_open);
    // Accepted units hold stock, and so do those of the supplier.
    expect(reserved).toBeGreaterThanOrEqual(accepted_open + supplied - supplied_accepted);
    const parcels = new Set(
      this.order.shipments
        .filter(({ origin }) => origin === 'supplier')
        .map(({ shipment_id }) => shipment_id),
    );
    const inParcels = this.order.shipment_lines
      .filter(({ shipment_id }) => parcels.has(shipment_id))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    expect(inParcels).toBe(line.shipped);
    const owed = line.acceptances.reduce((sum, { units }) => sum + units, 0);
    expect(owed).toBe(line.accepted_open + line.shipped);
  }
}

const units = fc.integer({ min: 1, max: ORDERED });
const minute = fc.integer({ min: 1, max: 60 });
const none = { reason: 'out_of_stock' } as const;
const COMMANDS = {
  answer: (shop: Shop, a: number, b: number, when: number) => shop.answer(a, b % 3, when),
  no: (shop: Shop, a: number, _b: number, when: number) => shop.answer(0, a, when),
  supplierCancel: (shop: Shop, a: number, _b: number, when: number) => shop.supplierCancel(a, when),
  ship: (shop: Shop, a: number, _b: number, when: number) => shop.ship(a, when),
  noAnswer: (shop: Shop, _a: number, _b: number, when: number) => shop.noAnswer(when),
  buyerCancels: (shop: Shop, a: number) => shop.buyerCancels(a),
  reject: (shop: Shop, a: number) =>
    shop.seller((work) => reject(work, none, [{ order_line_id: shop.id, quantity: a }])),
  accept: (shop: Shop, a: number) =>
    shop.seller((work) => accept(work, [{ order_line_id: shop.id, quantity: a }])),
  cancel: (shop: Shop, a: number) =>
    shop.seller((work) => cancel(work, none, [{ order_line_id: shop.id, quantity: a }])),
  pack: (shop: Shop, a: number) =>
    shop.seller((work) => pack(work, [{ order_line_id: shop.id, quantity: a }], [])),
  dispatch: (shop: Shop) =>
    shop.seller((work) => {
      const draft = work.order.shipments.find(({ status }) => status === 'draft');
      if (draft !== undefined) dispatch(work, draft.shipment_id, PARCEL, undefined);
    }),
  expire: (shop: Shop) => shop.seller(expire),
  deliver: (shop: Shop) => shop.seller((work) => void deliverAll(work, at(0))),
} as const;

test('the order and the dropship order agree after each act of supplier, buyer and seller', () => {
  const command = fc.tuple(
    fc.constantFrom(...(Object.keys(COMMANDS) as (keyof typeof COMMANDS)[])),
    ...([units, units, minute] as const),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 14 }), (commands) => {
      const shop = new Shop();
      for (const [name, a, b, when] of commands) {
        COMMANDS[name](shop, a, b, when);
        shop.supplier();
        shop.check();
      }
    }),
    { numRuns: 1_000 },
  );
});

test('what the supplier and the buyer do ends alike in any order', () => {
  const STEPS = {
    answer: (shop: Shop) => shop.answer(9, 1, 3),
    second: (shop: Shop) => shop.answer(1, 0, 6),
    ship: (shop: Shop) => shop.ship(4, 5),
    supplierCancel: (shop: Shop) => shop.supplierCancel(2, 7),
    buyerCancels: (shop: Shop) => shop.buyerCancels(2),
  };
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
  const ends = new Set<string>();
  for (const order of permutations(names)) {
    const shop = new Shop();
    for (const name of order) {
      STEPS[name](shop);
      shop.check();
    }
    ends.add(JSON.stringify(shop.state));
  }
  expect([...ends]).toHaveLength(1);
});
