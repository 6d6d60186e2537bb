/**
 * How many requests a server has in work, and how it leaves: first it only says so at its readiness, so that a
 * load balancer turns to others; then it refuses what is new and waits for what is in work.
 */
export type Phase = 'serving' | 'leaving' | 'closing';

export interface Traffic {
  readonly phase: Phase;
  readonly inFlight: number;
  /** Counts a request until {@link exit}: when its answer is out, or its client is gone. */
  enter(): void;
  exit(): void;
  /** Readiness fails from now on; everything is still served. */
  leave(): void;
  /** Refuses what comes from now on; resolves when nothing is in work any more. */
  close(): Promise<void>;
}

export function createTraffic(): Traffic {
  let phase: Phase = 'serving';
  let inFlight = 0;
  let onIdle: (() => void) | undefined;
  return {
    get phase() {
      return phase;
    },
    get inFlight() {
      return inFlight;
    },
    enter() {
      inFlight += 1;
    },
    exit() {
      inFlight -= 1;
      if (inFlight === 0) onIdle?.();
    },
    leave() {
      if (phase === 'serving') phase = 'leaving';
    },
    close() {
      phase = 'closing';
      if (inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onIdle = resolve;
      });
    },
  };
}
