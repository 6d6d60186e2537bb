/** The demo marketplace's side of the trade: reads the outbox and sends events over HTTP, like any marketplace. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock, Logger } from '../../src/kernel/context.ts';
import type { OutboxPage } from '../../src/marketplace/read-outbox.ts';
import type { CloudEvent } from '../demo-event.ts';
import type { TradePlan } from './plan-trade.ts';
import type { Welcome } from './welcome.ts';

const STEP_EVERY_MS = 1_000;
const PAGE = 500;
/** Half of the most that the service accepts in one request. */
const SLICE = 500;
/** A rejected event may apply a little later, after the event that it depends on. */
const TRIES_MAX = 3;

interface TraderOptions {
  /** Address of the internal listener. */
  readonly internalUrl: string;
  readonly token: string;
  /** The service's clock. */
  readonly now: Clock;
  readonly log: Logger;
  /** What the marketplace with its buyers does, and what its suppliers do. */
  readonly plans: readonly TradePlan[];
  /** Welcomes the sellers that have registered. */
  readonly welcome?: Welcome | undefined;
  /** Tells the payment provider of an event that is sent. */
  readonly book?: ((event: CloudEvent) => void) | undefined;
}

interface Trader {
  /** Reads new outbox events and sends the events that are due. */
  step(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** The service has answered a request with an error. */
class Refusal extends Error {
  readonly status: number;

  constructor(path: string, status: number, text: string) {
    super(`${path}: ${status} ${text}`);
    this.status = status;
  }
}

/** Statuses that refuse the events themselves. Other statuses concern the state of the service or its rate limit. */
const REFUSED_EVENTS = [400, 413, 422];

interface Results {
  readonly results: readonly { readonly status?: string; readonly code?: string }[];
}

interface Unsent {
  readonly event: CloudEvent;
  readonly tries: number;
}

class DemoTrader implements Trader {
  private readonly options: TraderOptions;
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private after = '0';
  private unsent: Unsent[] = [];
  /** Why the last step failed. A step that fails for the same reason again is not logged again. */
  private failing: string | undefined;

  constructor(options: TraderOptions) {
    this.options = options;
  }

  async step(): Promise<void> {
    await this.learn();
    const { plans, now } = this.options;
    const due = plans.flatMap((plan) => plan.due(now())).map((event): Unsent => ({ event, tries: 0 }));
    let left: readonly Unsent[] = [...this.unsent, ...due];
    this.unsent = [];
    try {
      while (left.length > 0) {
        const slice = left.slice(0, SLICE);
        this.unsent = [...this.unsent, ...(await this.send(slice))];
        left = left.slice(SLICE);
      }
    } finally {
      // The service may have accepted some of a failed slice; sent again, those are duplicates.
      this.unsent = [...this.unsent, ...left];
    }
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await this.step().then(
        () => {
          this.failing = undefined;
        },
        ({ message: cause }: Error) => {
          if (signal.aborted || cause === this.failing) return;
          this.failing = cause;
          this.options.log.warn({ cause }, 'the demo marketplace cannot trade; it tries again every second');
        },
      );
      await rest(STEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async call(path: string, init: RequestInit = {}): Promise<unknown> {
    const { internalUrl, token } = this.options;
    const response = await fetch(`${internalUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: this.ending.signal,
    });
    if (!response.ok) throw new Refusal(path, response.status, (await response.text()).slice(0, 500));
    return response.json();
  }

  private async learn(): Promise<void> {
    for (;;) {
      const page = (await this.call(`/internal/v1/outbox?after=${this.after}&limit=${PAGE}`)) as OutboxPage;
      for (const event of page.data) {
        for (const plan of this.options.plans) plan.learn(event, this.options.now());
        await this.options.welcome?.(event);
      }
      this.after = page.next_after;
      if (!page.has_more) return;
    }
  }

  /**
   * Sends events in one request.
   *
   * @returns the refused events that are worth another try
   */
  private async send(slice: readonly Unsent[]): Promise<readonly Unsent[]> {
    const body = JSON.stringify(slice.map(({ event }) => event));
    for (const { event } of slice) this.options.book?.(event);
    try {
      const { results } = (await this.call('/internal/v1/events', { method: 'POST', body })) as Results;
      return slice.flatMap((unsent, index) => {
        const { status, code } = results[index] ?? {};
        return status === 'rejected' ? this.refused(unsent, code) : [];
      });
    } catch (error) {
      if (!(error instanceof Refusal) || !REFUSED_EVENTS.includes(error.status)) throw error;
      return slice.flatMap((unsent) => this.refused(unsent, error.message));
    }
  }

  private refused({ event, tries }: Unsent, cause: string | undefined): readonly Unsent[] {
    if (tries + 1 < TRIES_MAX) return [{ event, tries: tries + 1 }];
    const { id, type } = event;
    this.options.log.warn({ event: id, type, cause }, 'the service refused an event of the demo marketplace');
    return [];
  }
}

/** A trader of the demo marketplace; trades from `start` on. */
export const createTrader = (options: TraderOptions): Trader => new DemoTrader(options);
