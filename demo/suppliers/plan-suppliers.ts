/**
 * Plans the events of the demo's suppliers: they publish themselves, count their stock, and answer what sellers ask and
 * order. No input or output here. The state lives in memory; after a restart the plan reads the outbox again, and what
 * was answered before is answered the same, which the service ignores.
 */
import { crc32 } from 'node:zlib';
import type { OutboxEvent } from '../../src/marketplace/store/outbox-events.ts';
import { type CloudEvent, demoEvent } from '../demo-event.ts';
import { isObject, type Json, listOf } from '../shop-owner.ts';
import type { TradePlan } from '../trade/plan-trade.ts';
import { createRandom } from '../trade/random.ts';
import { ANSWERS, type SupplierAnswer, shopOf } from './answer-sellers.ts';
import { counted, published, SUPPLIER_SHOPS, type SupplierShop } from './shops.ts';

const COUNT_EVERY_MS = 30_000;
/** What sellers did longer ago is over. */
const RECENT_MS = 2 * 86_400_000;
/** The seller wants nothing more of the object. */
const ENDINGS: ReadonlySet<string> = new Set(['rfq.withdrawn', 'purchase_order.closed']);
/** The seller does not want these units. */
const CANCELS: ReadonlySet<string> = new Set([
  'purchase_order.cancel_requested',
  'dropship_order.cancel_requested',
]);

interface Waiting extends SupplierAnswer {
  readonly at: number;
  /** The object and the supplier. */
  readonly about: string;
  readonly shop: SupplierShop;
  readonly event: Omit<Parameters<typeof demoEvent>[0], 'data'>;
}

/** An answer without units that the seller has cancelled; undefined without units. */
function without(waiting: Waiting, cancelled: readonly Json[]): Waiting | undefined {
  const less = (value: unknown, by: number) => (typeof value === 'number' ? Math.max(0, value - by) : 0);
  const lines = listOf((waiting.data as Json)['lines']).flatMap((line) => {
    const taken = cancelled.find(({ line_no }) => line_no === line['line_no'])?.['quantity'];
    if (typeof taken !== 'number') return [line];
    const name = 'quantity' in line ? 'quantity' : 'accepted';
    const left = less(line[name], taken);
    return left > 0 ? [{ ...line, [name]: left }] : [];
  });
  return lines.length === 0 ? undefined : { ...waiting, data: { ...waiting.data, lines } };
}

class DemoSuppliers implements TradePlan {
  private readonly run: string;
  private waiting: Waiting[] = [];
  private countAt = 0;
  /** Units of each supplier by SKU. */
  private readonly sold = new Map(SUPPLIER_SHOPS.map((shop) => [shop, new Map<string, number>()]));

  constructor(run: string) {
    this.run = run;
  }

  learn(event: OutboxEvent, now: number): void {
    const { type, object_id, object_version, seller_id: sellerId, created_at, data } = event;
    const object = isObject(data) && isObject(data['object']) ? data['object'] : {};
    const shop = shopOf(object);
    const since = Date.parse(created_at);
    if (shop === undefined || since < now - RECENT_MS) return;
    const about = `${object_id} ${shop.supplier_id}`;
    if (ENDINGS.has(type) || object['status'] === 'cancelled')
      this.waiting = this.waiting.filter((one) => one.about !== about);
    if (CANCELS.has(type))
      this.waiting = this.waiting.flatMap((one) =>
        one.about === about ? (without(one, listOf(object['lines'])) ?? []) : one,
      );
    const random = createRandom(crc32(`${about} ${type} ${object_version}`));
    for (const answer of ANSWERS[type]?.(shop, event, object, random) ?? []) {
      const at = since + answer.afterMs;
      const id = `demo-${object_id}-${shop.supplier_id}-${object_version}-${answer.type}`;
      const own = { id, type: `supplier.${answer.type}`, subject: object_id, sellerId, at };
      this.waiting.push({ ...answer, at, about, shop, event: own });
    }
  }

  due(now: number): CloudEvent[] {
    const first = this.countAt === 0 ? SUPPLIER_SHOPS.flatMap((shop) => published(shop, this.run, now)) : [];
    const ready = this.waiting.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.waiting = this.waiting.filter(({ at }) => at > now);
    for (const { shop, sold = [] } of ready)
      for (const [sku, units] of sold)
        this.sold.get(shop)?.set(sku, (this.sold.get(shop)?.get(sku) ?? 0) + units);
    const answers = ready.map(({ event, data }) => demoEvent({ ...event, data }));
    if (now < this.countAt) return answers;
    this.countAt = now + COUNT_EVERY_MS;
    return [...first, ...answers, ...SUPPLIER_SHOPS.map((shop) => this.count(shop, now))];
  }

  private count(shop: SupplierShop, now: number): CloudEvent {
    return counted(shop, this.run, now, this.sold.get(shop));
  }
}

/** A plan of the suppliers. @param run part of the ids of what they publish, so that they differ from earlier runs */
export const createSupplierPlan = (run: string): TradePlan => new DemoSuppliers(run);
