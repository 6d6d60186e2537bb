/** Lets the demo marketplace trade: it reads the outbox and sends events, over HTTP, like any marketplace core. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock, Logger } from '../../src/kernel/context.ts';
import type { OutboxPage } from '../../src/marketplace/read-outbox.ts';
import type { CloudEvent } from '../demo-event.ts';
import { createShop, type Past, type Shop } from './plan-trade.ts';

const LOOK_EVERY_MS = 1_000;
const PAGE = 500;
/** What is refused now may be taken a little later: the event before it was under way. */
const TRIES = 3;

export interface TraderOptions {
  /** Address of the internal listener. */
  readonly internalUrl: string;
  readonly token: string;
  /** The service's clock. */
  readonly now: Clock;
  readonly log: Logger;
  readonly seed: number;
  /** Names this run of the trade. */
  readonly run: string;
  /** Of the shop that has traded before. */
  readonly past?: Past | undefined;
}

export interface Trader {
  /** One look: learns what is new and sends what is due. */
  step(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface Waiting {
  readonly event: CloudEvent;
  readonly tries: number;
}

class DemoTrader implements Trader {
  private readonly options: TraderOptions;
  private readonly shop: Shop;
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private after = '0';
  private waiting: Waiting[] = [];

  constructor(options: TraderOptions) {
    this.options = options;
    this.shop = createShop(options.seed, options.run, options.past);
  }

  async step(): Promise<void> {
    await this.learn();
    const due = this.shop.due(this.options.now()).map((event): Waiting => ({ event, tries: 0 }));
    const sending = [...this.waiting, ...due];
    this.waiting = [];
    if (sending.length > 0) await this.send(sending);
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
      await this.step().catch((error: Error) => {
        if (!signal.aborted) this.options.log.debug({ err: error.message }, 'the demo trade paused');
      });
      await rest(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async call(path: string, init: RequestInit = {}): Promise<unknown> {
    const { internalUrl, token } = this.options;
    const response = await fetch(`${internalUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: this.ending.signal,
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  }

  private async learn(): Promise<void> {
    for (;;) {
      const page = (await this.call(`/internal/v1/outbox?after=${this.after}&limit=${PAGE}`)) as OutboxPage;
      for (const event of page.data) this.shop.learn(event, this.options.now());
      this.after = page.next_after;
      if (!page.has_more) return;
    }
  }

  private async send(sending: readonly Waiting[]): Promise<void> {
    const body = JSON.stringify(sending.map(({ event }) => event));
    let answer: unknown;
    try {
      answer = await this.call('/internal/v1/events', { method: 'POST', body });
    } catch (error) {
      // Nobody knows what was taken: sent again, what was is a duplicate.
      this.waiting = [...sending];
      throw error;
    }
    const { results } = answer as { readonly results: readonly { readonly status: string }[] };
    this.waiting = sending.flatMap(({ event, tries }, index) =>
      results[index]?.status === 'rejected' && tries + 1 < TRIES ? [{ event, tries: tries + 1 }] : [],
    );
  }
}

/** A trader of the demo marketplace; it begins with `start`. */
export const createTrader = (options: TraderOptions): Trader => new DemoTrader(options);
