/**
 * A store platform on loopback, for the demo and for tests: consent page, tokens that are replaced, the admin API, and
 * signed deliveries, as the documentation of the real one describes them. Never part of production.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuery } from './admin-api.ts';
import { consentPage } from './consent-page.ts';
import { RETRY_DELAYS_MS } from './deliveries.ts';
import { exactJson } from './exact-json.ts';
import { Shop } from './shop.ts';
import { signQuery } from './sign.ts';

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 1024 * 1024;
const API_VERSION = '2026-10';

interface StorePlatformOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly now: () => number;
  readonly clientId: string;
  readonly secret: string;
  /** The addresses that the app's configuration allows after the consent. */
  readonly redirectUris: () => readonly string[];
  /** The address for the topics of privacy law. */
  readonly complianceUri?: () => string | undefined;
  readonly retryDelaysMs?: readonly number[];
  /** Gives a new store its first goods. Default: none. */
  readonly furnish?: (shop: Shop) => void;
  /** The address that is called instead of a public address. Default: the public one. */
  readonly reach?: (uri: string) => string;
}

export interface StorePlatform {
  /** The address of a store, with `{shop}` in the place of its domain. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly secret: string;
  /** The store of a domain; it exists from its first mention on. */
  shop(domain: string): Shop;
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
interface Asked {
  readonly method: string;
  /** Path below the store. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}
type Handler = (
  options: StorePlatformOptions,
  shop: Shop,
  asked: Asked,
) => Reply | undefined | Promise<Reply>;

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: exactJson(body),
});
const page = (status: number, body: string): Reply => ({
  ...{ status, headers: { 'content-type': 'text/html; charset=utf-8' }, body },
});

/** Fields of a form or of JSON. */
function fieldsOf({ text, headers }: Asked): Readonly<Record<string, string>> {
  if (headers['content-type']?.startsWith('application/json') === true)
    return JSON.parse(text) as Record<string, string>;
  return Object.fromEntries(new URLSearchParams(text));
}

/** The problem of a request for consent; undefined if there is none. */
function consentProblem(options: StorePlatformOptions, asked: Readonly<Record<string, string>>) {
  if (asked['client_id'] !== options.clientId) return 'The application is not known.';
  if (!options.redirectUris().includes(asked['redirect_uri'] ?? ''))
    return 'The redirect_uri is not whitelisted.';
  return undefined;
}

const showConsent: Handler = (options, shop, { query }) => {
  const fields = Object.fromEntries(query);
  const problem = consentProblem(options, fields);
  return problem === undefined ? page(200, consentPage(shop.domain, fields)) : page(400, problem);
};

const takeConsent: Handler = (options, shop, asked) => {
  const fields = fieldsOf(asked);
  const problem = consentProblem(options, fields);
  if (problem !== undefined) return page(400, problem);
  const { scope = '', state = '', redirect_uri = '', decision } = fields;
  const parameters = signQuery(options.secret, {
    host: Buffer.from(`${shop.domain}/admin`).toString('base64url'),
    shop: shop.domain,
    state,
    timestamp: String(Math.floor(options.now() / 1_000)),
    ...(decision === 'install'
      ? { code: shop.tokens.code(shop.faults.grants ?? scope) }
      : { error: 'access_denied' }),
  });
  return { status: 302, headers: { location: `${redirect_uri}?${parameters}` } };
};

const giveTokens: Handler = (options, shop, asked) => {
  const { client_id, client_secret, code, expiring, grant_type, refresh_token } = fieldsOf(asked);
  if (client_id !== options.clientId || client_secret !== options.secret)
    return json(400, { error: 'application_cannot_be_found' });
  const { faults, tokens } = shop;
  if (grant_type !== 'refresh_token') {
    const answer = tokens.exchange(code ?? '', expiring === '1' && !faults.withoutRefresh);
    return answer === undefined ? json(400, { error: 'invalid_request' }) : json(200, answer);
  }
  const answer = tokens.refresh(refresh_token ?? '');
  if (answer === undefined) return json(400, { error: 'invalid_grant' });
  if (faults.lostRefreshes > 0) {
    faults.lostRefreshes -= 1;
    return undefined;
  }
  return json(
    200,
    Object.fromEntries(Object.entries(answer).filter(([name]) => !faults.leaveOut.includes(name))),
  );
};

const answerAdmin: Handler = async (_options, shop, asked) => {
  if (shop.faults.status !== undefined) return json(shop.faults.status, { errors: 'Unavailable Shop' });
  if (!shop.tokens.accepts(String(asked.headers['x-shopify-access-token'])))
    return json(401, {
      errors: '[API] Invalid API key or access token (unrecognized login or wrong password)',
    });
  return json(200, await answerQuery(shop, JSON.parse(asked.text)));
};

const ROUTES: Readonly<Record<string, Handler>> = {
  'GET /admin/oauth/authorize': showConsent,
  'POST /admin/oauth/authorize': takeConsent,
  'POST /admin/oauth/access_token': giveTokens,
  [`POST /admin/api/${API_VERSION}/graphql.json`]: answerAdmin,
};

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts the platform. @throws the listen error when the port is taken */
export async function startStorePlatform(options: StorePlatformOptions): Promise<StorePlatform> {
  const { port, now, clientId, secret, complianceUri = () => undefined } = options;
  const shops = new Map<string, Shop>();
  const shopOf = (domain: string): Shop => {
    const known = shops.get(domain);
    if (known !== undefined) return known;
    const shop = new Shop({
      ...{ domain, name: domain.replace(/\..*/, '').replaceAll('-', ' '), now, secret, complianceUri },
      ...{ apiVersion: API_VERSION, number: shops.size, reach: options.reach ?? ((uri) => uri) },
      retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
    });
    shops.set(domain, shop);
    options.furnish?.(shop);
    return shop;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', `http://${HOST}`);
    const [, domain = '', path = ''] = /^\/stores\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
    const { method = 'GET', headers } = request;
    const handler = ROUTES[`${method} ${path}`];
    if (handler === undefined) return void response.writeHead(404).end('Not Found');
    const shop = shopOf(domain);
    if (shop.faults.unreachable) return void response.destroy();
    const asked = { method, path, query: url.searchParams, headers, text: await readText(request) };
    const reply = await handler(options, shop, asked);
    await shop.faults.meanwhile?.(path);
    if (reply === undefined) return void response.destroy();
    response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const { port: opened } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${HOST}:${opened}/stores/{shop}`,
    clientId,
    secret,
    shop: shopOf,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
