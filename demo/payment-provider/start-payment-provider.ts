/**
 * A payment provider on this machine, for development and tests: it answers the requests that the service makes with
 * the provider's own client library, has the hosted page, pays by the clock, sends signed events and fails on demand.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliver, type Target } from './deliver.ts';
import { readForm } from './form.ts';
import { type Life, passTime } from './life.ts';
import { openLink, type PageAnswer, submitForm } from './pages.ts';
import { findResource, Refusal } from './resources.ts';
import { newState, type ProviderEvent, providerId, type State } from './state.ts';

const HOST = '127.0.0.1';
const KEY_MS = 86_400_000;
const BODY_BYTES_MAX = 256 * 1024;

/**
 * - `cut`: the effect happens and the connection breaks. `lost`: it breaks before the effect.
 * - `limit`: 429 without an effect. `error`: 500 after the effect. `broken`: 500 without one.
 */
export type Fault = 'cut' | 'lost' | 'limit' | 'error' | 'broken';

interface PaymentProviderOptions {
  readonly port: number;
  readonly now: () => number;
  readonly apiKey: string;
  readonly secrets: Target['secrets'];
  /** The platform's money at first, minor units. */
  readonly funds: number;
  /** What was remembered by an earlier start. */
  readonly state?: State | undefined;
  /** Called after each change. */
  readonly save?: (state: State) => void;
}

export interface PaymentProvider {
  readonly url: string;
  readonly life: Life;
  /** Method, path and idempotency key of every request. */
  readonly asked: readonly string[];
  /** The next requests to a path that begins so fail. */
  fail(fault: Fault, path: string, times?: number): void;
  /** Is awaited before each request of the API. */
  before: (request: string) => Promise<void> | void;
  /** Lets the account of a seller be open from the beginning, with a bank account. */
  vouchFor(sellerId: string, bank: string): void;
  /** Lets time pass and removes the events that no receiver has acknowledged. */
  takeEvents(): ProviderEvent[];
  /** Lets time pass and sends the events that wait. */
  sendEvents(url: string): Promise<void>;
  send(url: string, event: ProviderEvent): Promise<number>;
  /** Forgets the idempotency keys, as the provider may after a day. */
  forgetKeys(): void;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly location?: string;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Refusal(413, 'too_large', 'The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const refusalAnswer = ({ status, code, message, type }: Refusal): Answer => ({
  status,
  body: JSON.stringify({ error: { code, message, type } }),
});
const IN_USE = refusalAnswer(
  new Refusal(
    409,
    'idempotency_key_in_use',
    'Another request with this key is running.',
    'idempotency_error',
  ),
);
const INTERNAL = refusalAnswer(new Refusal(500, 'api_error', 'Something went wrong.', 'api_error'));
const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

class LocalProvider {
  readonly options: PaymentProviderOptions;
  readonly life: Life;
  readonly asked: string[] = [];
  readonly faults: { fault: Fault; path: string }[] = [];
  readonly working = new Set<string>();
  before: PaymentProvider['before'] = () => undefined;
  url = '';

  constructor(options: PaymentProviderOptions) {
    this.options = options;
    const state = options.state ?? newState(options.funds);
    this.life = { state, now: options.now, vouched: new Map() };
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const text = await readText(request);
    if (!url.pathname.startsWith('/v1/')) return this.send(response, this.page(request, url, text));
    const name = `${request.method} ${url.pathname}`;
    const key = headerOf(request, 'idempotency-key') ?? '';
    this.asked.push(`${name} ${key}`.trim());
    const lane = key === '' ? providerId('get') : `${headerOf(request, 'stripe-account') ?? ''} ${key}`;
    if (this.working.has(lane)) return this.send(response, IN_USE);
    this.working.add(lane);
    try {
      await this.before(name);
      await this.work(request, response, url, text);
    } finally {
      this.working.delete(lane);
    }
  }

  private async work(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    text: string,
  ): Promise<void> {
    const at = this.faults.findIndex(({ path }) => url.pathname.startsWith(path));
    const [{ fault } = { fault: undefined }] = at === -1 ? [] : this.faults.splice(at, 1);
    if (fault === 'lost') return void response.destroy();
    const answer = fault === 'limit' ? this.tooMany() : this.keyed(request, url, text, fault);
    this.options.save?.(this.life.state);
    if (fault === 'cut') response.destroy();
    else this.send(response, answer);
  }

  private tooMany(): Answer {
    return refusalAnswer(new Refusal(429, 'rate_limit', 'Too many requests.'));
  }

  private page(request: IncomingMessage, url: URL, text: string): Answer {
    passTime(this.life);
    const [, place = '', token = ''] = url.pathname.split('/');
    const shown: PageAnswer =
      request.method === 'POST'
        ? submitForm(this.life, token, new URLSearchParams(text))
        : openLink(this.life, token, place === 'dashboard' ? 'dashboard' : 'onboarding');
    this.options.save?.(this.life.state);
    const { status, html = '', location } = shown;
    return { status, body: html, type: 'text/html; charset=utf-8', ...(location && { location }) };
  }

  /** Answers a repeated key with its first answer, errors included. */
  private keyed(request: IncomingMessage, url: URL, text: string, fault: Fault | undefined): Answer {
    const given = headerOf(request, 'idempotency-key');
    const account = headerOf(request, 'stripe-account');
    if (given === undefined || request.method === 'GET') return this.answer(request, url, text, fault);
    const key = `${account ?? ''} ${given}`;
    const asked = `${url.pathname} ${text}`;
    const { state, now } = this.life;
    const known = state.keys[key];
    if (known !== undefined && now() - known.at < KEY_MS) {
      if (known.request === asked) return known;
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      return refusalAnswer(new Refusal(400, 'idempotency_error', message, 'idempotency_error'));
    }
    const { status, body } = this.answer(request, url, text, fault);
    state.keys[key] = { request: asked, status, body, at: now() };
    return { status, body };
  }

  private answer(request: IncomingMessage, url: URL, text: string, fault: Fault | undefined): Answer {
    try {
      if (headerOf(request, 'authorization') !== `Bearer ${this.options.apiKey}`)
        throw new Refusal(401, 'api_key_invalid', 'Invalid API Key provided.');
      if (fault === 'broken') return INTERNAL;
      const { resource, id } = findResource(request.method ?? '', url.pathname);
      const params = readForm(request.method === 'GET' ? url.search.slice(1) : text);
      const account = headerOf(request, 'stripe-account');
      const body = JSON.stringify(resource(this.life, { params, id, account, url: this.url }));
      return fault === 'error' ? INTERNAL : { status: 200, body };
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      throw error;
    }
  }

  private send(
    response: ServerResponse,
    { status, body, type = 'application/json', location }: Answer,
  ): void {
    response.writeHead(status, { 'content-type': type, ...(location && { location }) });
    response.end(body);
  }
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.removeListener('error', reject);
      resolve(`http://${HOST}:${(server.address() as AddressInfo).port}`);
    });
  });
}

/**
 * Starts the provider on loopback.
 *
 * @throws the listen error when the port is taken
 */
export async function startPaymentProvider(options: PaymentProviderOptions): Promise<PaymentProvider> {
  const local = new LocalProvider(options);
  const server = createServer((request, response) => {
    local.handle(request, response).catch(() => response.destroy());
  });
  local.url = await listen(server, options.port);
  const { life, asked } = local;
  const target = (url: string): Target => ({ url, secrets: options.secrets });
  const send = (url: string, event: ProviderEvent) => deliver(target(url), event, life.now);
  return {
    url: local.url,
    life,
    asked,
    fail: (fault, path, times = 1) => void local.faults.push(...Array(times).fill({ fault, path })),
    set before(wait) {
      local.before = wait;
    },
    get before() {
      return local.before;
    },
    vouchFor: (sellerId, bank) => void life.vouched.set(sellerId, bank),
    takeEvents() {
      passTime(life);
      return life.state.unsent.splice(0);
    },
    async sendEvents(url) {
      passTime(life);
      for (const event of life.state.unsent.splice(0))
        if ((await send(url, event)) !== 200) life.state.unsent.push(event);
      options.save?.(life.state);
    },
    send,
    forgetKeys: () => {
      life.state.keys = {};
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
