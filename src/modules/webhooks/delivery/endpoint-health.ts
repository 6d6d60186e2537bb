import type { Decision } from '../domain/decide.ts';
import type { OwnedEndpoint } from '../store/endpoints.ts';
import type { DelivererContext } from './deliverer-context.ts';
import type { Write } from './delivery-store.ts';

/** After 20 failures in a row, new events wait while a thousand deliveries are open. One event a minute is tried. */
const FAILURES_MAX = 20;
const OPEN_MAX = 1_000;
const PROBE_MS = 60_000;
const HALVINGS_MAX = 10;

/** Remembers whether the last attempts of an endpoint failed, and limits the next ones. */
export class EndpointHealth {
  /** System time of the last new event that was tried. */
  triedAt = 0;
  /** Failed attempts in a row. */
  private failures = 0;
  /** The endpoint is marked as failing in the database. */
  private isMarked = false;

  reset({ failing_since }: OwnedEndpoint): void {
    this.failures = 0;
    this.isMarked = failing_since !== null;
  }

  /** How many attempts may run at the same time. Each failure in a row halves the number, down to one. */
  places(max: number): number {
    return Math.max(1, max >> Math.min(this.failures, HALVINGS_MAX));
  }

  /** @returns the mark to write, if it changes */
  note(verdict: Exclude<Decision['endpoint'], 'gone'>, now: number): Write | undefined {
    if (verdict === 'neutral') return undefined;
    const isFailing = verdict === 'failing';
    this.failures = isFailing ? this.failures + 1 : 0;
    if (isFailing === this.isMarked) return undefined;
    this.isMarked = isFailing;
    return isFailing ? { kind: 'failing', since: now } : { kind: 'healthy' };
  }

  /** How many new events may be tried. For a failing endpoint with many open deliveries it is one a minute. */
  async newEventsMax(
    { phase, store, timing }: DelivererContext,
    { endpoint_id }: OwnedEndpoint,
  ): Promise<number> {
    if (phase === 'catching_up' || this.failures < FAILURES_MAX) return Number.POSITIVE_INFINITY;
    const open = await store.countOpen(endpoint_id, OPEN_MAX);
    if (open < OPEN_MAX) return OPEN_MAX - open;
    return timing.now() - this.triedAt < PROBE_MS ? 0 : 1;
  }
}
