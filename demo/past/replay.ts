/** What the steps of the past act on, and how they act: through the API as the owner, and by events. */
import type { Services } from '../../src/platform/services.ts';
import type { CloudEvent } from '../demo-event.ts';
import { isObject, type Json, type Owner } from '../shop-owner.ts';

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
