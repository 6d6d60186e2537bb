/** Deliveries of the numbered events of an endpoint that have none yet; they are due, whoever sends them. */
import type { Services } from '../../../platform/services.ts';
import { passedOver } from '../store/passed-over.ts';
import { fanOut, type QueuedRow } from '../store/queue.ts';
import type { HeldEndpoint } from './held-endpoint.ts';

/** What one step has made. */
export interface Made {
  readonly rows: readonly QueuedRow[];
  /** Whether there are more such events. */
  readonly more: boolean;
  /** Behind which number it began, and up to which one events are deliveries now; undefined when it did nothing. */
  readonly step: { readonly after: bigint; readonly through: bigint } | undefined;
}

interface Step {
  /** The name of the worker in leases. */
  readonly owner: string;
  /** Most deliveries. */
  readonly count: number;
  /** Milliseconds to the first attempt. */
  readonly firstDelay: number;
}

/** Makes deliveries of the next events, as the worker knows the endpoint; does nothing where that has changed. */
export async function makeDeliveries(
  { withSystem, now, ids }: Services,
  one: HeldEndpoint,
  { owner, count, firstDelay }: Step,
): Promise<Made> {
  const { seller_id: sellerId, endpoint_id: endpointId, event_types: types, version } = one.config;
  const statement = fanOut({
    ...{ sellerId, endpointId, owner, version, types },
    except: passedOver(one.config.passed_over),
    ids: Array.from({ length: count }, () => ids.next('dlv_')),
    now: now(),
    // Without jitter: the first attempts keep the order of the events.
    firstAttemptAt: now() + firstDelay,
  });
  let rows: readonly QueuedRow[] = [];
  one.coming += count;
  try {
    const found = await withSystem('webhooks', 'read', (db) => db.all(statement), { lookUp: true });
    rows = found.filter((row) => row.delivery_id !== null) as QueuedRow[];
    return { rows, more: found[0]?.more === true, step: found[0] };
  } finally {
    one.coming += rows.length - count;
  }
}
