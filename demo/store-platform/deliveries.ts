/**
 * Webhooks of one store: signed, at least once, in no order. An attempt has 5 seconds. After 8 failures in a row the
 * platform removes a subscription, without a message to the app.
 */
import { randomUUID } from 'node:crypto';
import { exactJson } from './exact-json.ts';
import { signBody } from './sign.ts';

const TIMEOUT_MS = 5_000;
const FAILURES_MAX = 8;
/** Eight retries within four hours. */
export const RETRY_DELAYS_MS: readonly number[] = [
  60_000, 300_000, 600_000, 1_200_000, 2_400_000, 3_000_000, 3_000_000, 3_600_000,
];

interface Subscription {
  readonly id: bigint;
  /** `products/update`. */
  readonly topic: string;
  readonly uri: string;
  failures: number;
}

/** One delivery; its headers and its body stay the same over the attempts. */
export interface Delivery {
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status of each attempt; 0: no answer. */
  readonly statuses: number[];
}

interface Options {
  readonly domain: string;
  readonly secret: string;
  readonly apiVersion: string;
  readonly now: () => number;
  readonly retryDelaysMs: readonly number[];
  /** The address that is called instead of a public address, because tests listen elsewhere. */
  readonly reach: (uri: string) => string;
}

const waiting = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms).unref());

export class Deliveries {
  readonly subscriptions = new Map<bigint, Subscription>();
  /** All deliveries so far, oldest first. */
  readonly made: Delivery[] = [];
  private readonly options: Options;
  private readonly running = new Set<Promise<void>>();
  private held: (() => void)[] | undefined;

  constructor(options: Options) {
    this.options = options;
  }

  /** A delivery to an address of the app's configuration or of a subscription. */
  make(topic: string, uri: string, payload: unknown, eventId: string = randomUUID()): Delivery {
    const { domain, secret, apiVersion, now } = this.options;
    const body = exactJson(payload);
    const delivery: Delivery = {
      uri,
      body,
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': domain,
        'x-shopify-api-version': apiVersion,
        'x-shopify-webhook-id': randomUUID(),
        'x-shopify-event-id': eventId,
        'x-shopify-triggered-at': new Date(now()).toISOString(),
        'x-shopify-hmac-sha256': signBody(secret, body),
      },
      statuses: [],
    };
    this.made.push(delivery);
    return delivery;
  }

  /** Sends an event to each subscription of its topic. */
  publish(topic: string, payload: unknown): void {
    const eventId = randomUUID();
    for (const subscription of this.subscriptions.values())
      if (subscription.topic === topic)
        this.begin(this.make(topic, subscription.uri, payload, eventId), subscription);
  }

  /** Sends a topic that the app's configuration subscribes to, with its retries. */
  publishTo(uri: string, topic: string, payload: unknown): void {
    this.begin(this.make(topic, uri, payload));
  }

  /** From now on deliveries wait, until {@link release}. */
  hold(): void {
    this.held ??= [];
  }

  /** Sends the waiting deliveries in their order or in the opposite one, each `copies` times. */
  release({ copies = 1, reversed = false } = {}): void {
    const waitingOnes = this.held ?? [];
    this.held = undefined;
    for (const begin of reversed ? waitingOnes.reverse() : waitingOnes)
      for (let copy = 0; copy < copies; copy += 1) begin();
  }

  /** Makes one attempt, even if the subscription was removed. @returns the status; 0: no answer */
  async attempt(delivery: Delivery): Promise<number> {
    const { uri, headers, body } = delivery;
    let status = 0;
    try {
      const answer = await fetch(this.options.reach(uri), {
        ...{ method: 'POST', headers, body, redirect: 'manual' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.arrayBuffer();
      status = answer.status;
    } catch {
      // An answer that comes too late counts as a failure.
    }
    delivery.statuses.push(status);
    return status;
  }

  /** Resolves when no delivery is in flight or waits for a retry. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private begin(delivery: Delivery, subscription?: Subscription): void {
    const start = (): void => {
      const work = this.deliver(delivery, subscription).finally(() => this.running.delete(work));
      this.running.add(work);
    };
    if (this.held === undefined) start();
    else this.held.push(start);
  }

  private async deliver(delivery: Delivery, subscription: Subscription | undefined): Promise<void> {
    for (const delayMs of [0, ...this.options.retryDelaysMs]) {
      if (delayMs > 0) await waiting(delayMs);
      if (subscription !== undefined && !this.subscriptions.has(subscription.id)) return;
      const status = await this.attempt(delivery);
      const worked = status >= 200 && status < 300;
      if (subscription !== undefined) this.count(subscription, worked);
      if (worked) return;
    }
  }

  private count(subscription: Subscription, worked: boolean): void {
    subscription.failures = worked ? 0 : subscription.failures + 1;
    if (subscription.failures >= FAILURES_MAX) this.subscriptions.delete(subscription.id);
  }
}
