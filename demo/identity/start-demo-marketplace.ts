/**
 * The demo marketplace of development: an issuer of sessions with a key set, on loopback only. It signs in every
 * e-mail address, so that a visitor can try the service without an account.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Logger } from '../../src/kernel/context.ts';
import { systemNow } from '../../src/platform/db/clock.ts';
import { DEMO_AUDIENCE, type MintOptions, mintSession } from './mint-session.ts';
import { DEMO_ROUTES, type DemoAnswer, type DemoDeps, type SendEvent } from './routes.ts';
import { openDemoKeys } from './signing-keys.ts';

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 64 * 1024;

export interface DemoMarketplaceOptions {
  /** 0: any free port; the issuer then changes with every start. */
  readonly port: number;
  readonly dataDir: string;
  /** The service's clock, so that sessions are of its time. Default: the machine's. */
  readonly now?: Clock;
  /** `aud` of the sessions. */
  readonly audience?: string;
  readonly log?: Logger;
}

export interface DemoMarketplace {
  readonly url: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** A session's access token; by default of mia@example.com at aal2. */
  mint(options?: MintOptions): Promise<string>;
  /** A new key signs; earlier keys stay published unless `dropOld`. */
  rotate(options?: { readonly dropOld?: boolean }): void;
  /** From now on the demo marketplace can change plans. */
  connect(sendEvent: SendEvent, install?: DemoDeps['install']): void;
  stop(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8').trim();
  if (text === '') return {};
  // `curl -d '{…}'` announces a form: read a body that begins like JSON as JSON.
  if (!text.startsWith('{')) return Object.fromEntries(new URLSearchParams(text));
  return JSON.parse(text) as Record<string, unknown>;
}

async function answerTo(deps: DemoDeps, request: IncomingMessage): Promise<DemoAnswer> {
  const url = new URL(request.url ?? '/', deps.issuer);
  const handler = DEMO_ROUTES.get(`${request.method} ${url.pathname}`);
  if (handler === undefined)
    return { status: 404, body: { error: 'not_found', routes: [...DEMO_ROUTES.keys()] } };
  try {
    return await handler(deps, { query: url.searchParams, body: await readBody(request) });
  } catch (error) {
    return { status: 400, body: { error: 'invalid_request', error_description: (error as Error).message } };
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: DemoAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * Starts the demo marketplace.
 *
 * @throws the listen error when the port is taken
 */
export async function startDemoMarketplace(options: DemoMarketplaceOptions): Promise<DemoMarketplace> {
  const { now = systemNow, audience = DEMO_AUDIENCE } = options;
  const keys = openDemoKeys(options.dataDir);
  let deps: DemoDeps | undefined;
  const server = createServer((request, response) => {
    if (deps === undefined) return void response.destroy();
    answerTo(deps, request).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        options.log?.error({ err: error }, 'the demo marketplace failed to answer');
        response.destroy();
      },
    );
  });
  const port = await listen(server, options.port);
  const url = `http://${HOST}:${port}`;
  const mint = (asked: MintOptions = {}): Promise<string> =>
    mintSession({ key: keys.signer(asked.alg ?? 'ES256'), issuer: url, audience, now: now() }, asked);
  const ready: DemoDeps = { issuer: url, keys, now, mint, refreshable: new Map() };
  deps = ready;
  return {
    url,
    issuer: url,
    audience,
    jwksUrl: `${url}/.well-known/jwks.json`,
    mint,
    rotate: ({ dropOld = false } = {}) => keys.rotate(dropOld),
    connect: (sendEvent, install) => {
      ready.sendEvent = sendEvent;
      if (install !== undefined) ready.install = install;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
