/** The demo marketplace's side of the trade: reads the outbox and sends events over HTTP, like any marketplace. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock, Logger } from '../../src/kernel/context.ts';
import type { OutboxPage } from '../../src/marketplace/read-outbox.ts';
import type { CloudEvent } from '../demo-event.ts';
import { createTradePlan, type Past, type TradePlan } from './plan-trade.ts';
import type { Welcome } from './welcome.ts';

const STEP_EVERY_MS = 1_000;
const PAGE = 500;
/** An event that is rejected now may apply a little later, once the event before it has. */
const TRIES_MAX = 3;

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
  /** The past of the shop that has traded before. */
  readonly past?: Past | undefined;
  /** Welcomes the sellers that have registered. */
  readonly welcome?: Welcome | undefined;
}

export interface Trader {
  /** Reads new outbox events and sends the events that are due. */
  step(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface Unsent {
  readonly event: CloudEvent;
  readonly tries: number;
}

class DemoTrader implements Trader {
  private readonly options: TraderOptions;
  private readonly plan: TradePlan;
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private after = '0';
  private unsent: Unsent[] = [];

  constructor(options: TraderOptions) {
    this.options = options;
    this.plan = createTradePlan(options.seed, options.run, options.past);
  }

  async step(): Promise<void> {
    await this.learn();
    const due = this.plan.due(this.options.now()).map((event): Unsent => ({ event, tries: 0 }));
    const sending = [...this.unsent, ...due];
    this.unsent = [];
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
        if (!signal.aborted)
          this.options.log.debug({ err: error.message }, 'a step of the demo trade failed');
      });
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
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  }

  private async learn(): Promise<void> {
    for (;;) {
      const page = (await this.call(`/internal/v1/outbox?after=${this.after}&limit=${PAGE}`)) as OutboxPage;
      for (const event of page.data) {
        this.plan.learn(event, this.options.now());
        await this.options.welcome?.(event);
      }
      this.after = page.next_after;
      if (!page.has_more) return;
    }
  }

  private async send(sending: readonly Unsent[]): Promise<void> {
    const body = JSON.stringify(sending.map(({ event }) => event));
    let answer: unknown;
    try {
      answer = await this.call('/internal/v1/events', { method: 'POST', body });
    } catch (error) {
      // The service may have taken some of them; sent again, those are duplicates.
      this.unsent = [...sending];
      throw error;
    }
    const { results } = answer as { readonly results: readonly { readonly status: string }[] };
    this.unsent = sending.flatMap(({ event, tries }, index) =>
      results[index]?.status === 'rejected' && tries + 1 < TRIES_MAX ? [{ event, tries: tries + 1 }] : [],
    );
  }
}

/** A trader of the demo marketplace; trades from `start` on. */
export const createTrader = (options: TraderOptions): Trader => new DemoTrader(options);
