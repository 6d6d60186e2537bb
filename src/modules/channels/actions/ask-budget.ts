/**
 * Bounds the questions to a store that its deliveries cause: a body that is sent again and again, under new ids, may need
 * an answer of the store each time. Source: docs/design/channels.md#deliveries.
 */
import type { Services } from '../../../platform/services.ts';

const MINUTE_MS = 60_000;
/** About one object, by one process. What is beyond waits: of one body two deliveries at most. */
const ASKED_MAX = 120;

interface Minute {
  readonly number: number;
  readonly asked: Map<string, number>;
}
const minutes = new WeakMap<Services, Minute>();

/** Notes a question about an object. @returns false if enough were asked in this minute of the service's clock */
export function mayAskAbout(services: Services, channelId: string, objectKey: string): boolean {
  const number = Math.floor(services.now() / MINUTE_MS);
  const known = minutes.get(services);
  const minute = known?.number === number ? known : { number, asked: new Map() };
  minutes.set(services, minute);
  const key = `${channelId}/${objectKey}`;
  const before = minute.asked.get(key) ?? 0;
  if (before === ASKED_MAX) return false;
  minute.asked.set(key, before + 1);
  return true;
}
