/** The whole service in this process, on a database of its own, with real ports and a demo marketplace. */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DestinationStream } from 'pino';
import { startDemoMarketplace } from '../../demo/index.ts';
import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { waitingProblems } from '../../src/kernel/waiting.ts';
import { MODULE_SETTINGS, MODULES } from '../../src/modules.ts';
import { systemNow } from '../../src/platform/db/clock.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { atEnd } from './at-end.ts';
import { type TestDatabase, testDatabase } from './pg.ts';

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for other content. */
  readonly body: Body;
  readonly text: string;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged; give its content type in `headers`. */
  readonly body?: string | Uint8Array | FormData;
}

export type Call = <Body = Record<string, never>>(
  method: string,
  path: string,
  options?: CallOptions,
) => Promise<Answer<Body>>;

/** A seller of one test, signed in as its owner. */
export interface TestSeller {
  /** The service where it is signed in. */
  readonly app: App;
  readonly seller_id: string;
  readonly token: string;
  readonly email: string;
  readonly tax_id: string;
  /** Calls below `/api/v1` with the seller's token. */
  readonly call: Call;
  /** A new session token of the marketplace for the owner. */
  session(aal?: 'aal1' | 'aal2'): Promise<string>;
  /** Exchanges again, for example after a change of plan or roles. */
  renew(): Promise<TestSeller>;
}

export interface TestApp {
  readonly app: App;
  readonly database: TestDatabase;
  readonly url: string;
  readonly internalUrl: string;
  readonly internalToken: string;
  /** DATA_DIR of the service: generated keys live below it. */
  readonly dataDir: string;
  readonly demo: Awaited<ReturnType<typeof startDemoMarketplace>>;
  /** Calls any path without a token. */
  readonly call: Call;
  seller(options?: {
    readonly plan?: 'Free' | 'Small' | 'Big';
    readonly account_flags?: readonly string[];
    /** Whether it has an address to send from, as labels need it. */
    readonly address?: boolean;
  }): Promise<TestSeller>;
  /** Sends marketplace events to the internal listener and returns their results. */
  events(
    ...events: readonly Record<string, unknown>[]
  ): Promise<readonly { id: string; status: string; code?: string }[]>;
}

async function send(
  url: string,
  method: string,
  options: CallOptions = {},
  headers: Record<string, string> = {},
): Promise<Answer<never>> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const type: Record<string, string> =
    options.json === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    // Tests read entity tags as they are; a compressed answer has weak ones.
    headers: { 'accept-encoding': 'identity', ...type, ...headers, ...options.headers },
    ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
    redirect: 'manual',
  });
  const text = await response.text();
  const json =
    response.headers.get('content-type')?.includes('json') &&
    text !== '' &&
    !response.headers.get('content-type')?.includes('ndjson');
  const parsed: unknown = json ? JSON.parse(text) : undefined;
  // Invariant W (docs/design/wire.md#waiting) holds in every answer that a test sees.
  const problems = waitingProblems(parsed);
  if (problems.length > 0) throw new Error(`${method} ${url}: ${problems.join('; ')}`);
  return { status: response.status, headers: response.headers, body: parsed as never, text };
}

/** Sends again what a busy machine answers with 503, as every client should. */
async function sendPatiently(...request: Parameters<typeof send>): Promise<Answer<never>> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(...request);
    if (answer.status !== 503 || tries === 10) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Sets the address from which a seller sends. */
export async function giveAddress(seller: Pick<TestSeller, 'call'>, more: object = {}): Promise<void> {
  const dispatch_address = {
    line1: '12 Harbour Street',
    city: 'Sydney',
    ...{ state: 'NSW', postcode: '2000', country: 'AU' },
    ...more,
  };
  const { status, text } = await seller.call('PATCH', '/sellers/me', { json: { dispatch_address } });
  if (status !== 200) throw new Error(`address: ${status} ${text}`);
}

/** The flags with which no area is hidden from a seller. */
export const account_flags = MODULES.flatMap(({ name, accountGated }) => (accountGated ? [name] : []));

let taxIds = Number(randomUUID().replaceAll(/\D/g, '').slice(0, 9));

type Launched = Omit<TestApp, 'call' | 'seller' | 'events'>;

/**
 * Each connection of a new database fills its caches first, which costs more than most tests. Tests in which more than two
 * requests wait for a lock ask for `MANY_CONNECTIONS`.
 */
const FEW_CONNECTIONS = { DB_POOL_SIZE: '4', DB_LONG_POOL_SIZE: '4' };
export const MANY_CONNECTIONS = { DB_POOL_SIZE: '8', DB_LONG_POOL_SIZE: '8' };

/** Builds and opens the service; it ends with the last test of the calling file. */
async function launch(env: Readonly<Record<string, string>>, output?: DestinationStream): Promise<Launched> {
  const database = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'spp-app-'));
  const config = readConfig(
    {
      APP_ENV: 'development',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      PORT: '0',
      INTERNAL_PORT: '0',
      INTERNAL_TOKEN: 'test-internal-token-0123456789',
      RATE_LIMITS: 'off',
      ...FEW_CONNECTIONS,
      ...env,
    },
    MODULE_SETTINGS,
  );
  let clock = systemNow;
  const demo = await startDemoMarketplace({ port: 0, dataDir, now: () => clock() });
  const app = await buildApp({
    config,
    databaseUrl: database.url,
    log: createLog(config.LOG_LEVEL, output),
    publicUrl: 'http://spp.test',
    marketplace: demo,
    // The clients of a test have no further requests.
    farewellMs: 0,
  });
  clock = app.services.now;
  const url = await app.api.listen({ host: '127.0.0.1', port: 0 });
  const internalUrl = await app.internal.listen({ host: '127.0.0.1', port: 0 });
  await app.startWorker();
  const launched = {
    ...{ app, database, url, internalUrl, demo },
    ...{ internalToken: config.INTERNAL_TOKEN ?? '', dataDir },
  };
  atEnd(async () => {
    await app.stop();
    await demo.stop();
    await rm(dataDir, { recursive: true, force: true });
    for (const part of [app, demo, launched]) empty(part);
  });
  return launched;
}

/**
 * Takes everything from an object. The process never unloads a test file, so what its constants hold would stay in
 * memory: five megabytes for each service, which the garbage collector reads again and again.
 */
function empty(part: object): void {
  for (const key of Object.keys(part)) Reflect.deleteProperty(part, key);
}

function eventSender({ internalUrl, internalToken }: Launched): TestApp['events'] {
  return async (...list) => {
    const headers = { authorization: `Bearer ${internalToken}` };
    const answer = await send(`${internalUrl}/internal/v1/events`, 'POST', { json: list }, headers);
    if (answer.status !== 200) throw new Error(`events: ${answer.status} ${answer.text}`);
    return (answer.body as { results: { id: string; status: string; code?: string }[] }).results;
  };
}

async function signIn(
  launched: Launched,
  email: string,
  seller_id: string,
  tax_id: string,
): Promise<TestSeller> {
  const { url, demo } = launched;
  const session = (aal: 'aal1' | 'aal2' = 'aal2') => demo.mint({ email, aal });
  const json = { marketplace_token: await session() };
  const exchanged = await sendPatiently(`${url}/api/v1/auth/exchange`, 'POST', { json });
  if (exchanged.status !== 200) throw new Error(`exchange: ${exchanged.status} ${exchanged.text}`);
  const token = String((exchanged.body as { access_token: string }).access_token);
  const call: Call = (method, path, options) =>
    send(`${url}/api/v1${path}`, method, options, { authorization: `Bearer ${token}` });
  const renew = () => signIn(launched, email, seller_id, tax_id);
  return { app: launched.app, seller_id, token, email, tax_id, call, session, renew };
}

function sellerFactory(launched: Launched, events: TestApp['events']): TestApp['seller'] {
  const { url, demo, app } = launched;
  return async ({ plan, account_flags, address } = {}) => {
    taxIds += 1;
    const email = `owner-${randomUUID()}@example.com`;
    const tax_id = String(taxIds);
    const json = { business_name: 'Test Goods', tax_id };
    const headers = { authorization: `Bearer ${await demo.mint({ email, aal: 'aal1' })}` };
    const registered = await sendPatiently(`${url}/api/v1/auth/register`, 'POST', { json }, headers);
    if (registered.status !== 201) throw new Error(`register: ${registered.status} ${registered.text}`);
    const { seller_id } = registered.body as { seller_id: string };
    if (plan !== undefined || account_flags !== undefined) {
      const [result] = await events({
        specversion: '1.0',
        id: randomUUID(),
        source: '/test',
        type: 'marketplace.seller.standing_changed',
        subject: seller_id,
        sellerid: seller_id,
        time: new Date(app.services.now()).toISOString(),
        data: { ...(plan && { plan }), ...(account_flags && { account_flags }) },
      });
      if (result?.status !== 'applied') throw new Error(`plan: ${JSON.stringify(result)}`);
    }
    const seller = await signIn(launched, email, seller_id, tax_id);
    if (address) await giveAddress(seller);
    return seller;
  };
}

/**
 * Starts the service for the calling test file; everything ends with its last test.
 *
 * @param output gets the lines of the log; default: standard output
 */
export async function startTestApp(
  env: Readonly<Record<string, string>> = {},
  output?: DestinationStream,
): Promise<TestApp> {
  const launched = await launch(env, output);
  const events = eventSender(launched);
  return {
    ...launched,
    call: (method, path, options) => send(`${launched.url}${path}`, method, options),
    seller: sellerFactory(launched, events),
    events,
  };
}
