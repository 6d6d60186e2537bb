/** What the steps of the past act on, and how they act: through the API as the owner, and by events. */
import type { Services } from '../../src/platform/services.ts';
import { type CloudEvent, demoEvent } from '../demo-event.ts';
import { isObject, type Json, listOf, type Owner, textOf } from '../shop-owner.ts';
import type { SuppliersDo } from './past-step.ts';

export interface Replay {
  readonly services: Pick<Services, 'withSystem' | 'log'>;
  readonly owner: Owner;
  readonly sellerId: string;
  /** Sends events to the internal listener; returns their results in the same order. */
  readonly sendEvents: (
    events: readonly CloudEvent[],
  ) => Promise<readonly { status: string; code?: string }[]>;
  /** Moves the clock and runs the jobs that fall due on the way. */
  readonly moveTo: (at: number) => Promise<void>;
  /** Counts what came until now, as the night does: the shop's figures and events of performance. */
  readonly runNight: (at: number) => Promise<void>;
  /** Lets the suppliers act. Before they answer, they read what the shop has done. */
  readonly suppliersDo: (what: SuppliersDo, at: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** The beginning and the end of the past, milliseconds. */
  readonly beganAt: number;
  readonly until: number;
}

/** Sends events; one that is refused is logged. */
export async function send(
  { sendEvents, services: { log } }: Replay,
  events: readonly CloudEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const results = await sendEvents(events);
  for (const [index, { status, code }] of results.entries())
    if (status === 'rejected')
      log.warn({ event: events[index]?.id, code }, 'an event of the demo marketplace’s past was refused');
}

/** Posts as the owner; a refusal is logged. Returns the body of the answer. */
export async function post(
  { owner, services: { log } }: Replay,
  path: string,
  key: string,
  body: object | string,
): Promise<Json> {
  const answer = await owner.post(path, key, body);
  const failed = isObject(answer.body) && isObject(answer.body['counts']) && answer.body['counts']['failed'];
  if (answer.status >= 400 || (typeof failed === 'number' && failed > 0))
    log.warn({ path, status: answer.status, failed }, 'a request of the demo marketplace’s past was refused');
  return isObject(answer.body) ? answer.body : {};
}

interface Decision {
  readonly decision: 'approved' | 'rejected';
  readonly reasons: readonly object[];
}
export const APPROVED: Decision = { decision: 'approved', reasons: [] };

/** The marketplace decides about products. Returns all products. @param about undefined: it says nothing */
export async function decideProducts(
  replay: Replay,
  at: number,
  about: (product: Json) => Decision | undefined,
): Promise<readonly Json[]> {
  const { owner, sellerId } = replay;
  const products = listOf((await owner.get('/products?limit=200')).body);
  const events = products.flatMap((product) => {
    const decided = about(product);
    if (decided === undefined) return [];
    const subject = textOf(product['product_id']);
    const id = `past-${subject}-${decided.decision}`;
    const data = { ...decided, reviewed_version: product['version'] };
    return [demoEvent({ id, type: 'product.curation_decided', subject, sellerId, at, data })];
  });
  await send(replay, events);
  return products;
}
