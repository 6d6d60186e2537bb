/** Sends the events of one order in every sequence, repeating rejected ones: state and ledger must end the same. */
import { expect } from 'vitest';
import type { TestApp, TestSeller } from './app.ts';
import { type Order, orderEvent, placement, readOrder, stocked } from './orders.ts';

type Event = Record<string, unknown>;

/** All permutations of a list. */
export function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length <= 1) {
    yield [...items];
    return;
  }
  for (const [index, item] of items.entries())
    for (const rest of permutations(items.filter((_, at) => at !== index))) yield [item, ...rest];
}

/** So many of five events show what all 120 show: each order of three of them comes six or seven times. */
const SEQUENCES_MAX = Number(process.env['SEQUENCES'] ?? 40);

/** Sequences of so many events: all of them, or some by chance. */
export function sequences(events: number): number[][] {
  const all = [...permutations(Array.from({ length: events }, (_, index) => index))];
  while (all.length > SEQUENCES_MAX) all.splice(Math.floor(Math.random() * all.length), 1);
  return all;
}

/** The part of the state that must not depend on the sequence: without generated ids and recording instants. */
function essence(order: Order): unknown {
  const text = JSON.stringify(order, (key, value: unknown) =>
    ['version', 'created_at', 'updated_at', 'answered_at', 'accept_by', 'respond_by'].includes(key) ||
    (key.endsWith('_id') && typeof value === 'string' && !/^(rtn|crq|dsp|rfd)_x/.test(value))
      ? undefined
      : value,
  );
  return JSON.parse(text);
}

/** Sends the events of a seller's orders in every sequence. */
export function permuter(app: TestApp, seller: TestSeller) {
  /** Sends events in their order and repeats rejected ones until no more is applied. Returns those still rejected. */
  async function deliver(events: readonly Event[]): Promise<string[]> {
    let waiting = [...events];
    for (;;) {
      const results = await app.events(...waiting);
      const left = waiting.filter((_, index) => results[index]?.status === 'rejected');
      if (left.length === 0 || left.length === waiting.length) return left.map(({ type }) => String(type));
      waiting = left;
    }
  }

  /** The ledger entries of an order, with its lines by number. */
  async function balancesOf(order: Order): Promise<string[]> {
    const places = new Map(order.lines.map(({ order_line_id, line_no }) => [order_line_id, line_no]));
    const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
      db.all<Record<'account' | 'component' | 'order_line_id' | 'related_id' | 'amount', string | null>>({
        text:
          'select account, component, order_line_id, related_id, sum(amount_minor)::text as amount from ledger_entry ' +
          'where seller_id = $1 and order_id = $2 group by 1, 2, 3, 4 having sum(amount_minor) <> 0',
        values: [seller.seller_id, order.order_id],
      }),
    );
    return rows
      .map((row) => JSON.stringify({ ...row, order_line_id: places.get(row.order_line_id ?? '') }))
      .sort();
  }

  /** A recent instant, so that no deadline has passed. */
  const START = app.app.services.now() - 100 * 3_600_000;
  const at = (hours: number) => ({ time: new Date(START + hours * 3_600_000).toISOString() });
  const atDelivery = (hours: number) => ({ delivered_at: at(hours).time });

  async function endsAlike(
    make: (
      event: (type: string, data: object, hours: number) => Event,
      placed: Event & { subject: string },
    ) => Event[],
  ) {
    const { sku } = await stocked(seller, 5_000);
    const ends = new Map<string, string[]>();
    const template = make(() => ({}), { subject: '' }).length;
    for (const order of sequences(template)) {
      const placed = placement(
        app,
        seller,
        [
          { sku, quantity: 3, price: 2_000 },
          { kind: 'shipping', price: 500 },
        ],
        {
          order_number: 'SAME',
          placed_at: at(0).time,
          buyer: { alias: 'buyer' },
        },
      );
      const event = (type: string, data: object, hours: number) =>
        orderEvent(app, seller, type, placed.subject, data, at(hours));
      const events = make(event, { ...placed, ...at(0) });
      const left = await deliver(order.map((index) => events[index] ?? {}));
      const ended = await readOrder(seller, placed.subject);
      const end = JSON.stringify([essence(ended), left.sort(), await balancesOf(ended)]);
      ends.set(end, [...(ends.get(end) ?? []), order.join(' ')]);
    }
    // Compared one by one, so that a failure shows the difference and the sequences that cause it.
    const [first, ...others] = [...ends].map(
      ([end, orders]) => [JSON.parse(end), orders.slice(0, 3)] as const,
    );
    expect(others.map(([end]) => end)).toEqual(others.map(() => first?.[0]));
    return JSON.parse([...ends.keys()][0] ?? 'null') as [Order, string[], string[]];
  }
  return { at, atDelivery, deliver, endsAlike };
}
