/**
 * Plans the events of the demo's suppliers: they publish themselves, count their stock, and answer what sellers ask and
 * order. No input or output here. The state lives in memory; after a restart the plan reads the outbox again, and what
 * was answered before is answered the same, which the service ignores.
 */
import { crc32 } from 'node:zlib';
import type { OutboxEvent } from '../../src/marketplace/store/outbox-events.ts';
import { type CloudEvent, demoEvent } from '../demo-event.ts';
import { isObject } from '../shop-owner.ts';
import type { Planned, TradePlan } from '../trade/plan-trade.ts';
import { createRandom } from '../trade/random.ts';
import { ANSWERS, shopOf } from './answer-sellers.ts';
import { counted, published, SUPPLIER_SHOPS } from './shops.ts';

const COUNT_EVERY_MS = 30_000;
/** What sellers did longer ago is over. */
const RECENT_MS = 2 * 86_400_000;
/** The seller ends what the suppliers would still answer. */
const ENDINGS: ReadonlySet<string> = new Set(['rfq.withdrawn']);

class DemoSuppliers implements TradePlan {
  private readonly run: string;
  private planned: (Planned & { readonly about: string })[] = [];
  private countAt = 0;

  constructor(run: string) {
    this.run = run;
  }

  learn(event: OutboxEvent, now: number): void {
    const { type, object_id, seller_id: sellerId, created_at, data } = event;
    const object = isObject(data) && isObject(data['object']) ? data['object'] : {};
    const shop = shopOf(object);
    const at = Date.parse(created_at);
    if (shop === undefined || at < now - RECENT_MS) return;
    const about = `${object_id} ${shop.supplier_id}`;
    if (ENDINGS.has(type)) this.planned = this.planned.filter((one) => one.about !== about);
    const answers = ANSWERS[type]?.(shop, event, object, createRandom(crc32(about))) ?? [];
    for (const [index, { afterMs, type: answer, data: said }] of answers.entries()) {
      const id = `demo-${object_id}-${shop.supplier_id}-${type}-${index}`;
      const own = { id, type: `supplier.${answer}`, subject: object_id, sellerId, at: at + afterMs };
      this.planned.push({ at: own.at, about, event: demoEvent({ ...own, data: said }) });
    }
  }

  due(now: number): CloudEvent[] {
    const first = this.countAt === 0 ? SUPPLIER_SHOPS.flatMap((shop) => published(shop, this.run, now)) : [];
    const counts = now < this.countAt ? [] : SUPPLIER_SHOPS.map((shop) => counted(shop, this.run, now));
    if (counts.length > 0) this.countAt = now + COUNT_EVERY_MS;
    const ready = this.planned.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.planned = this.planned.filter(({ at }) => at > now);
    return [...first, ...counts, ...ready.map(({ event }) => event)];
  }
}

/** A plan of the suppliers. @param run part of the ids of what they publish, so that they differ from earlier runs */
export const createSupplierPlan = (run: string): TradePlan => new DemoSuppliers(run);
