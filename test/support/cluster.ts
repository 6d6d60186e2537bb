/**
 * Real processes of the service in production mode on one database, as an operator runs them: each with its own ports
 * and role, all with the same keys, and a marketplace that issues sessions.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from './at-end.ts';
import { type KeySetServer, signWith, startKeySetServer, type TestKey, testKey } from './key-set-server.ts';

/** The program as `bin/spp.mjs` runs it. */
export const PROGRAM = [
  ...['--import', new URL('../../bin/find-sources.mjs', import.meta.url).href],
  fileURLToPath(new URL('../../src/main.ts', import.meta.url)),
];
const ISSUER = 'https://id.marketplace.test/auth/v1';
const AUDIENCE = 'authenticated';
const UP = /Seller Partner Service: (\S+) {3}marketplace listener: (\S+)/;

/** A list for TOKEN_SIGNING_KEYS of one key. */
export function signingKey(kid: string): Record<string, unknown> {
  return { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid };
}

export type Environment = Readonly<Record<string, string>>;

/** A process of the service. */
export interface Member {
  readonly pid: number;
  /** Address of the API; unused for a worker. */
  readonly api: string;
  readonly url: string;
  readonly internalUrl: string;
  /** Its output, of both streams. */
  output(): string;
  /** Sends a signal; resolves with its exit code and how long it took. */
  end(
    signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL',
  ): Promise<{ readonly code: number | null; readonly ms: number }>;
}

export interface Cluster {
  readonly env: Environment;
  readonly marketplace: KeySetServer;
  /** Starts a process; resolves when its ports are open. */
  start(env?: Environment): Promise<Member>;
  /** Starts a process that ends by itself, or on SIGINT after some milliseconds. */
  ends(
    env: Environment,
    interruptAfterMs?: number,
  ): Promise<{ readonly code: number | null; readonly said: string; readonly ms: number }>;
  /** A marketplace session of an e-mail address, issued at an instant in milliseconds; default: now. */
  session(sub: string, key?: TestKey, at?: number): Promise<string>;
  /** Registers a seller, has the marketplace enable it, and signs it in. */
  seller(
    at: Member,
    plan?: 'Free' | 'Small' | 'Big',
  ): Promise<{ readonly sub: string; readonly token: string }>;
}

export const INTERNAL_TOKEN = 'internal-token-of-the-tests-0123456789';

function run(env: Environment): { child: ChildProcess; output: () => string } {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const inherited = { PATH, HOME, NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, PROGRAM, {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return { child, output: () => said };
}

/** Waits for the line that says where the process listens. */
async function addressOf(
  child: ChildProcess,
  output: () => string,
): Promise<{ url: string; internalUrl: string }> {
  for (;;) {
    const [, url, internalUrl] = UP.exec(output()) ?? [];
    if (url !== undefined && internalUrl !== undefined) return { url, internalUrl };
    if (child.exitCode !== null) throw new Error(`the service did not start:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function startMember(env: Environment, children: Set<ChildProcess>): Promise<Member> {
  const { child, output } = run(env);
  children.add(child);
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => {
    children.delete(child);
    return code ?? null;
  });
  const { url, internalUrl } = await addressOf(child, output);
  return {
    pid: child.pid ?? 0,
    url,
    api: `${url}/api/v1`,
    internalUrl,
    output,
    async end(signal) {
      const from = performance.now();
      child.kill(signal);
      return { code: await ended, ms: performance.now() - from };
    },
  };
}

async function endOf(
  env: Environment,
  children: Set<ChildProcess>,
  interruptAfterMs: number | undefined,
): ReturnType<Cluster['ends']> {
  let from = performance.now();
  const { child, output } = run(env);
  children.add(child);
  const exit = once(child, 'exit') as Promise<(number | null)[]>;
  if (interruptAfterMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, interruptAfterMs));
    from = performance.now();
    child.kill('SIGINT');
  }
  const [code = null] = await exit;
  children.delete(child);
  return { code, said: output(), ms: performance.now() - from };
}

async function post(url: string, token: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Exchanges a session at a process. */
export async function exchange(at: Member, session: string): Promise<string> {
  const { access_token } = await post(`${at.api}/auth/exchange`, '', { marketplace_token: session });
  return String(access_token);
}

const standing = (seller: unknown, plan: string): object => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/cluster',
  type: 'marketplace.seller.standing_changed',
  subject: seller,
  sellerid: seller,
  time: new Date().toISOString(),
  data: { verified: true, api_access: true, plan },
});

let taxIds = Math.floor(Math.random() * 1e9);

/** Prepares a cluster on a database; its processes end with the last test of the calling file. */
export async function prepareCluster(databaseUrl: string): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spp-cluster-'));
  const children = new Set<ChildProcess>();
  const marketplaceKey = testKey('m1');
  const marketplace = await startKeySetServer(marketplaceKey);
  atEnd(async () => {
    await Promise.all(
      [...children].map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
    await marketplace.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const env: Environment = {
    APP_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    INTERNAL_PORT: '0',
    PUBLIC_URL: 'https://api.spp.test',
    MARKETPLACE_ISSUER: ISSUER,
    MARKETPLACE_AUDIENCE: AUDIENCE,
    MARKETPLACE_JWKS_URL: marketplace.url,
    TOKEN_SIGNING_KEYS: JSON.stringify([signingKey('k1')]),
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    INTERNAL_TOKEN,
    DB_POOL_SIZE: '6',
    DB_LONG_POOL_SIZE: '4',
  };
  const session: Cluster['session'] = (sub, key = marketplaceKey, at = Date.now()) => {
    const iat = Math.floor(at / 1000);
    const claims = { iss: ISSUER, aud: AUDIENCE, sub, iat, exp: iat + 3_600, aal: 'aal2' };
    return signWith(key, { ...claims, email: `${sub}@example.com`, role: 'authenticated' });
  };
  return {
    env,
    marketplace,
    session,
    start: (more = {}) => startMember({ ...env, ...more }, children),
    ends: (more, interruptAfterMs) => endOf({ ...env, ...more }, children, interruptAfterMs),
    async seller(at, plan = 'Big') {
      const sub = randomUUID();
      taxIds += 1;
      const tax_id = String(taxIds);
      const registered = await post(`${at.api}/auth/register`, await session(sub), {
        business_name: 'Cluster Goods',
        tax_id,
      });
      const { results } = await post(
        `${at.internalUrl}/internal/v1/events`,
        INTERNAL_TOKEN,
        standing(registered['seller_id'], plan),
      );
      const [result] = results as { status: string }[];
      if (result?.status !== 'applied') throw new Error(`standing: ${JSON.stringify(results)}`);
      return { sub, token: await exchange(at, await session(sub)) };
    },
  };
}
