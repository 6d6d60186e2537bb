/**
 * Counts the requests of one server and limits them. A long poll (`wait=`) is not in flight while it waits: it needs
 * neither processor time nor a database connection.
 *
 * A server shuts down in two steps. First its readiness fails, so that load balancers choose another server; then it
 * refuses new requests and finishes those in flight.
 */
type Phase = 'serving' | 'leaving' | 'closing';

interface TrafficBounds {
  /** The most requests in flight. The server answers further ones with 503. */
  readonly maxInFlight: number;
  /** The most waiting requests. A further one is answered without waiting. */
  readonly maxWaiting: number;
}

/** One request, from its arrival until its answer is sent or its client has disconnected. */
export interface Visit {
  /**
   * Runs a long poll. The request counts as waiting until the poll has ended and there is room again.
   *
   * @returns undefined at once when too many requests wait already
   */
  park<T>(wait: () => Promise<T>): Promise<T | undefined>;
  end(): void;
}

export interface Traffic {
  readonly phase: Phase;
  /** The number of requests in flight, without waiting ones. */
  readonly inFlight: number;
  readonly waiting: number;
  /** Whether more requests are in flight than the limit. */
  readonly overloaded: boolean;
  enter(): Visit;
  /** Makes the readiness check fail. All requests are still served. */
  leave(): void;
  /** Refuses new requests. Resolves when no request is left, not even a waiting one. */
  close(): Promise<void>;
}

/**
 * The most requests that continue after a wait at the same time. One event can wake thousands, which would fill the
 * server. The number is twice the usual number of database connections, because more requests would only wait for one.
 */
const RESUMED_MAX = 16;

type State = 'working' | 'waiting' | 'resumed' | 'ended';

export function createTraffic({ maxInFlight, maxWaiting }: TrafficBounds): Traffic {
  const maxResumed = Math.max(1, Math.min(RESUMED_MAX, Math.floor(maxInFlight / 2)));
  let phase: Phase = 'serving';
  let present = 0;
  let waiting = 0;
  let resumed = 0;
  const woken: { readonly visit: CountedVisit; readonly proceed: () => void }[] = [];
  let onEmpty: (() => void) | undefined;

  class CountedVisit implements Visit {
    private state: State = 'working';

    async park<T>(wait: () => Promise<T>): Promise<T | undefined> {
      if (this.state === 'ended' || waiting >= maxWaiting) return undefined;
      this.become('waiting');
      try {
        return await wait();
      } finally {
        await this.resume();
      }
    }

    end(): void {
      if (this.state === 'ended') return;
      this.become('ended');
      present -= 1;
      if (present === 0) onEmpty?.();
    }

    private resume(): Promise<void> {
      return new Promise((proceed) => {
        woken.push({ visit: this, proceed });
        admit();
      });
    }

    /** Takes a place among the resumed requests, unless the client has gone in the meantime. */
    continue(): void {
      if (this.state === 'waiting') this.become('resumed');
    }

    private become(next: State): void {
      const before = this.state;
      this.state = next;
      if (before === 'waiting') waiting -= 1;
      if (next === 'waiting') waiting += 1;
      if (next === 'resumed') resumed += 1;
      if (before !== 'resumed') return;
      resumed -= 1;
      admit();
    }
  }

  function admit(): void {
    while (resumed < maxResumed) {
      const next = woken.shift();
      if (next === undefined) return;
      next.visit.continue();
      next.proceed();
    }
  }

  return {
    get phase() {
      return phase;
    },
    get inFlight() {
      return present - waiting;
    },
    get waiting() {
      return waiting;
    },
    get overloaded() {
      return present - waiting > maxInFlight;
    },
    enter() {
      present += 1;
      return new CountedVisit();
    },
    leave() {
      if (phase === 'serving') phase = 'leaving';
    },
    close() {
      phase = 'closing';
      if (present === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onEmpty = resolve;
      });
    },
  };
}
