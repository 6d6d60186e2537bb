/** An endpoint that this worker delivers to, as long as it holds its lease. */
import type { KeyObject } from 'node:crypto';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import { signingKey } from '../domain/sign.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import type { AcquiredRow } from '../store/leases.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import type { Made } from './make-deliveries.ts';

/** What a sealed secret belongs to. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`;

interface Signing {
  readonly key: KeyObject;
  /** Milliseconds; undefined for the newest. */
  readonly until: number | undefined;
}

/** So many deliveries per place are read ahead. */
const AHEAD = 20;
const WINDOW_MIN = 100;
const WINDOW_MAX = 1_000;

export class HeldEndpoint {
  readonly queue: EndpointQueue;
  private readonly secrets: Secrets;
  private row: EndpointRow;
  private target: URL;
  private signing: readonly Signing[];
  /** Attempts that failed one after another. */
  failures = 0;
  /** Whether it is marked as failing. */
  failing: boolean;
  /** There are numbered events that are no deliveries yet. */
  fresh = true;
  /** There are deliveries to be read. */
  due: boolean;
  filling = false;
  /** Deliveries of the next events, made while those before them are put together. */
  ahead: Promise<Made | undefined> | undefined;
  /** Deliveries that are made, or about to be, and not in the queue yet. */
  coming = 0;
  /** More deliveries were due than were read at once. */
  behind = false;
  /** It has answered that it is gone, which is about to be written. */
  gone = false;
  /** What waits for what is yet to be found out, or anew. */
  unsure: boolean;
  /** How often everything in hand was let go of, to be read anew: what was read before is not as it was read. */
  reading = 0;
  /** Events up to this number have become deliveries that were made or read here. */
  private through: bigint;
  /** System time at which the lease ends, and at which it was looked for what waits in vain. */
  leasedUntil: number;
  checkedAt: number;
  /** The lease is gone: what is under way is finished, nothing more. */
  lost = false;
  /** System time at which it was last seen with something to do. */
  busyAt: number;
  /** System time of the last event that was tried although everything fails. */
  probedAt = 0;

  constructor(
    row: AcquiredRow,
    secrets: Secrets,
    lease: { readonly leaseNow: number; readonly leaseUntil: number },
  ) {
    this.secrets = secrets;
    this.row = row;
    this.target = new URL(row.url);
    this.signing = this.openSecrets(row);
    this.failing = row.failing_since !== null;
    this.queue = new EndpointQueue(row.endpoint_id, []);
    this.unsure = row.open;
    this.due = row.open;
    this.through = row.fanned_through;
    this.busyAt = lease.leaseNow;
    this.checkedAt = lease.leaseNow;
    this.leasedUntil = lease.leaseUntil;
  }

  get config(): EndpointRow {
    return this.row;
  }

  get url(): URL {
    return this.target;
  }

  /** Whether events may be sent; tests always may. To workers an endpoint is paused as long as its seller is suspended. */
  get open(): boolean {
    return this.row.status === 'active' && !this.gone && !this.unsure;
  }

  get ordered(): boolean {
    return this.row.ordering === 'per_object';
  }

  /** Attempts at the same time: halved with every failure in a row, down to one that shows when it is back. */
  get places(): number {
    return Math.max(1, this.row.max_concurrency >> Math.min(this.failures, 10));
  }

  /** Deliveries to have in hand: many where many are due, since reading a page of them passes over all. */
  get window(): number {
    if (this.behind) return WINDOW_MAX;
    return Math.min(WINDOW_MAX, Math.max(WINDOW_MIN, this.row.max_concurrency * AHEAD));
  }

  /** Keys that sign at an instant of the service's clock. */
  keysAt(now: number): KeyObject[] {
    return this.signing.filter(({ until }) => until === undefined || until > now).map(({ key }) => key);
  }

  /** Takes over what its seller has changed. */
  update(row: EndpointRow): void {
    const { version, ordering, status, status_changed_at } = this.row;
    if (row.version === version && row.status === status) return;
    this.row = row;
    this.target = new URL(row.url);
    this.signing = this.openSecrets(row);
    // It may have been stopped and resumed since, and what was missed passed over.
    const moved = row.status !== status || row.status_changed_at !== status_changed_at;
    if (moved) {
      this.gone = false;
      this.failures = 0;
      this.failing = row.failing_since !== null;
    }
    // Another order, or none to go on with: everything in hand is read anew.
    if (!moved && row.ordering === ordering) return;
    this.unsure = true;
    this.reading += 1;
    this.queue.clear();
  }

  /**
   * Takes over how far events have become deliveries.
   *
   * @returns whether these are the next: else a step whose answer was lost has made others, older and due
   */
  follows({ step }: Made): boolean {
    if (step === undefined) return true;
    const next = step.after === this.through;
    this.through = step.through;
    return next;
  }

  /** What waits for what is known again; what is open is read before anything newer is made. */
  settleOn(held: Iterable<readonly [string, bigint]>): void {
    this.queue.hold(held);
    this.unsure = false;
    this.due = true;
  }

  private openSecrets({ endpoint_id, secret, retired_secrets }: EndpointRow): Signing[] {
    const keyOf = (sealed: string): KeyObject =>
      signingKey(this.secrets.open(sealed, secretContext(endpoint_id)));
    return [
      { key: keyOf(secret), until: undefined },
      ...retired_secrets.map((retired) => ({
        key: keyOf(retired.secret),
        until: Date.parse(retired.until),
      })),
    ];
  }
}
