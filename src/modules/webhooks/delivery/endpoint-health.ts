import type { Decision } from '../domain/decide.ts';
import type { OwnedEndpoint } from '../store/endpoints.ts';
import type { Write } from './delivery-store.ts';
import type { Shared } from './shared.ts';

/** After so many failures in a row, new events wait while so many deliveries are open; one a minute is tried. */
const FAILURES_MAX = 20;
const OPEN_MAX = 1_000;
const PROBE_MS = 60_000;
const HALVINGS_MAX = 10;

/** How the last attempts of an endpoint went, and what follows for the next ones. */
export class EndpointHealth {
  /** System time at which new events were last tried. */
  triedAt = 0;
  /** Failed attempts in a row. */
  private failures = 0;
  /** The endpoint is marked as failing in the database. */
  private isMarked = false;

  reset({ failing_since }: OwnedEndpoint): void {
    this.failures = 0;
    this.isMarked = failing_since !== null;
  }

  /** Attempts at the same time: each failure in a row halves them, down to one. */
  places(max: number): number {
    return Math.max(1, max >> Math.min(this.failures, HALVINGS_MAX));
  }

  /** @returns the mark to write, if it changes */
  note(said: Exclude<Decision['endpoint'], 'gone'>, now: number): Write | undefined {
    if (said === 'neutral') return undefined;
    const isFailing = said === 'failing';
    this.failures = isFailing ? this.failures + 1 : 0;
    if (isFailing === this.isMarked) return undefined;
    this.isMarked = isFailing;
    return isFailing ? { kind: 'failing', since: now } : { kind: 'healthy' };
  }

  /** How many new events may be tried: where everything fails, one a minute once many deliveries are open. */
  async newEventsMax({ phase, store, timing }: Shared, { endpoint_id }: OwnedEndpoint): Promise<number> {
    if (phase === 'catching_up' || this.failures < FAILURES_MAX) return Number.POSITIVE_INFINITY;
    const open = await store.countOpen(endpoint_id, OPEN_MAX);
    if (open < OPEN_MAX) return OPEN_MAX - open;
    return timing.now() - this.triedAt < PROBE_MS ? 0 : 1;
  }
}
