/**
 * Counts the requests of one server and bounds them. A request that waits for something new (`wait=`) is not in
 * flight meanwhile: it needs no processor time and no connection to the database, so it takes nobody's place.
 *
 * A server leaves in two steps: first its readiness fails, so that load balancers choose another; then it refuses
 * new requests and finishes those in flight.
 */
export type Phase = 'serving' | 'leaving' | 'closing';

export interface TrafficBounds {
  /** Requests in flight at once; the server answers further ones with 503. */
  readonly maxInFlight: number;
  /** Requests that wait at once; a further one is answered without waiting. */
  readonly maxWaiting: number;
}

/** One request, from its arrival until its answer is out or its client has gone. */
export interface Visit {
  /**
   * Runs a wait for something new. Until it ends, and until there is room again, the request counts as waiting.
   *
   * @returns undefined, at once, where too many requests wait already
   */
  park<T>(wait: () => Promise<T>): Promise<T | undefined>;
  end(): void;
}

export interface Traffic {
  readonly phase: Phase;
  /** Requests that wait are not among them. */
  readonly inFlight: number;
  readonly waiting: number;
  /** Whether the requests in flight are more than the server may have. */
  readonly overloaded: boolean;
  enter(): Visit;
  /** Readiness fails from now on; everything is still served. */
  leave(): void;
  /** Refuses new requests from now on; resolves when none is left, waiting ones included. */
  close(): Promise<void>;
}

/**
 * Most requests that continue after a wait at once: one event can wake thousands, and together they would fill
 * the server. Twice the usual number of connections to the database; more would only wait for one.
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
