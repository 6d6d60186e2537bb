/** The code of docs/integrate.md, as one program, against the running service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DemoAddresses, prepareDemo } from '../support/demo-service.ts';
import { testDatabase } from '../support/pg.ts';
import { startReceiver } from '../support/receiver.ts';
import { ROOT } from '../support/source-tree.ts';

const TIMEOUT_MS = 120_000;
const database = await testDatabase();
const place = prepareDemo(database.url);
const receiver = await startReceiver();
const folder = mkdtempSync(join(tmpdir(), 'spp-integrate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const page = readFileSync(join(ROOT, 'docs/integrate.md'), 'utf8');
const code = [...page.matchAll(/^```js\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block);
const module = join(folder, 'integrate.mjs');
writeFileSync(module, code.join('\n\n'));

interface Order {
  readonly order_id: string;
  readonly status: string;
}
interface Event {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly object: Order };
}
interface Row {
  readonly messages: readonly { readonly code: string }[];
}
interface Program {
  call(
    method: string,
    path: string,
    options?: { json?: object; csv?: string; key?: string },
  ): Promise<Response>;
  get(path: string): Promise<Record<string, unknown>>;
  sendCatalogue(
    csv: string,
    key: string,
  ): Promise<{ run_id: string; counts: Record<string, number>; rejected: readonly Row[] }>;
  sendStock(stock: readonly object[]): Promise<readonly { seller_sku: string; error: { code: string } }[]>;
  readEvents(after: number, types: string, handle: (event: Event) => unknown): Promise<number>;
  isSigned(secret: string, headers: object, body: string): boolean;
  subscribe(url: string): Promise<{ secret: string }>;
  accept(order: Order): Promise<Order>;
  ship(order: Order, parcel: object): Promise<{ pdf: Buffer; shipment: { status: string } }>;
  settlementsPaidSince(
    day: string,
  ): AsyncIterable<{ settlement: { status: string }; journal: string; invoices: readonly Buffer[] }>;
}

let addresses: DemoAddresses;
beforeAll(async () => {
  addresses = await place.start().ready();
}, TIMEOUT_MS);

const postJson = async (url: string, body: object, headers: object = {}) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return (await (await fetch(url, { ...init, body: JSON.stringify(body) })).json()) as Record<string, string>;
};

let programs = 0;
/** The program with a refresh token in its file, as if it had just been set up. */
async function program(refreshToken: string, service = addresses.api) {
  programs += 1;
  const file = join(folder, `refresh-${programs}`);
  writeFileSync(file, `${refreshToken}\n`);
  Object.assign(process.env, { SERVICE: service, MARKETPLACE: addresses.demo, REFRESH_TOKEN_FILE: file });
  const loaded: unknown = await import(`${pathToFileURL(module).href}?${programs}`);
  return { file, program: loaded as Program };
}

async function signIn(email: string) {
  return postJson(`${addresses.demo}/session`, { email, aal: 'aal2' });
}

/** A new shop; resolves with the refresh token of its owner. */
async function newShop(name: string): Promise<string> {
  const session = await signIn(`${name}@example.com`);
  const shop = { business_name: name, tax_id: String(Date.now()) };
  const authorization = `Bearer ${session['access_token']}`;
  await postJson(`${addresses.api}/api/v1/auth/register`, shop, { authorization });
  return session['refresh_token'] ?? '';
}

test('a shop: catalogue, stock, an order by number and by webhook, a label', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { program: own } = await program(await newShop('integrated'));
  const endpoint = await own.subscribe(receiver.url);
  const catalogue = readFileSync(join(ROOT, 'examples/catalogue.csv'), 'utf8');
  const sent = await own.sendCatalogue(catalogue, 'monday');
  expect(sent.counts).toMatchObject({ created: 2, rejected: 3 });
  expect(sent.rejected.map(({ messages }) => messages[0]?.code)).toHaveLength(3);
  expect((await own.sendCatalogue(catalogue, 'monday')).run_id).toBe(sent.run_id);
  await expect(own.sendCatalogue('seller_sku,title\nA,A mug\n', 'monday')).rejects.toMatchObject({
    status: 409,
    code: 'idempotency_key_reused',
  });
  const stock = Array.from({ length: 201 }, (_, index) => ({ seller_sku: `NONE-${index}`, quantity: 1 }));
  const failed = await own.sendStock([{ seller_sku: 'MUG-BLU', quantity: 7 }, ...stock]);
  expect(failed.map(({ error }) => error.code)).toEqual(stock.map(() => 'not_found'));
  expect(await own.get('/products/inventory?sku=MUG-BLU')).toMatchObject({ data: [{ quantity_on_hand: 7 }] });

  const orders: Order[] = [];
  let last = 0;
  while (orders.length === 0)
    last = await own.readEvents(last, 'order.created', (event) => orders.push(event.data.object));
  const [order] = orders as [Order];
  expect((await own.accept(order)).status).toBe('accepted');
  await own.call('PATCH', '/sellers/me', {
    json: {
      dispatch_address: {
        ...{ line1: '12 Harbour Street', city: 'Sydney', state: 'NSW' },
        ...{ postcode: '2000', country: 'AU' },
      },
    },
  });
  const parcel = { weight_g: 650, length_mm: 200, width_mm: 150, height_mm: 120 };
  const { pdf, shipment } = await own.ship(order, parcel);
  expect([pdf.subarray(0, 5).toString(), shipment.status]).toEqual(['%PDF-', 'dispatched']);
  const types: string[] = [];
  while (!types.includes('order.shipped'))
    last = await own.readEvents(last, 'order.*', ({ type }) => types.push(type));

  const heard = () => receiver.received.find(({ event }) => event.type === 'order.shipped');
  await expect.poll(heard, { timeout: 30_000, interval: 50 }).toBeDefined();
  const { headers = {}, text = '' } = heard() ?? {};
  expect(own.isSigned(endpoint.secret, headers, text)).toBe(true);
  expect(own.isSigned(endpoint.secret, headers, `${text} `)).toBe(false);
  expect(own.isSigned(endpoint.secret, { ...headers, 'webhook-timestamp': '1' }, text)).toBe(false);
});

test('a file in which every row is wrong, with more rows than a page of results', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { program: own } = await program(await newShop('mistaken'));
  const rows = Array.from({ length: 250 }, (_, index) => `BAD-${index},,-1`);
  const { counts, rejected } = await own.sendCatalogue(['seller_sku,title,price', ...rows].join('\n'), 'bad');
  expect([counts['rejected'], rejected.length]).toEqual([250, 250]);
});

test('the books: each settlement with a journal that sums to zero, and its invoices', async () => {
  const { program: own } = await program((await signIn('june@example.com'))['refresh_token'] ?? '');
  let settlements = 0;
  for await (const { settlement, journal, invoices } of own.settlementsPaidSince('2020-01-01')) {
    settlements += 1;
    expect(settlement.status).toBe('paid');
    const amounts = journal.trim().split('\r\n').slice(1);
    expect(amounts.reduce((cents, row) => cents + Math.round(Number(row.split(',')[4]) * 100), 0)).toBe(0);
    expect(invoices.map((invoice) => invoice.subarray(0, 5).toString())).toContain('%PDF-');
  }
  expect(settlements).toBeGreaterThan(0);
  for await (const late of own.settlementsPaidSince('2999-01-01')) expect(late).toBeUndefined();
});

describe('renewal', () => {
  test('a revoked token is renewed, with one refresh for all requests, whose token is stored', async () => {
    const first = await newShop('renewing');
    const { program: own, file } = await program(first);
    await Promise.all([own.get('/auth/session'), own.get('/products'), own.get('/orders')]);
    const second = readFileSync(file, 'utf8');
    expect(second).not.toContain(first);
    await own.call('POST', '/auth/revoke');
    await Promise.all([own.get('/auth/session'), own.get('/products')]);
    expect(readFileSync(file, 'utf8')).not.toBe(second);
  });

  test('a session that has ended needs a person', async () => {
    const { program: own } = await program('used-before');
    await expect(own.get('/products')).rejects.toThrow('a person must sign in');
  });
});

test('temporary failures are repeated, but not a wait of hours', async () => {
  const answers = [
    { status: 503, headers: { 'retry-after': '0' }, body: { code: 'marketplace_unavailable' } },
    { status: 200, body: { access_token: 'token', expires_in: 900 } },
    undefined,
    // A proxy has no JSON.
    {
      status: 502,
      headers: { 'content-type': 'text/html', 'retry-after': '0' },
      body: '<h1>Bad gateway</h1>',
    },
    { status: 409, headers: { 'retry-after': '0' }, body: { code: 'idempotency_in_progress' } },
    { status: 503, headers: { 'retry-after': '0' }, body: { code: 'unavailable' } },
    { status: 200, body: { data: 'at last' } },
    { status: 429, headers: { 'retry-after': '40000' }, body: { code: 'rate_limited', request_id: 'req_1' } },
    { status: 422, body: { code: 'validation_error', detail: [] } },
    { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' },
  ];
  const server = createServer((request, response) => {
    const answer = answers.shift();
    if (answer === undefined) return void request.socket.destroy();
    const headers = { 'content-type': 'application/json', ...answer.headers };
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { program: own } = await program((await signIn('patient@example.com'))['refresh_token'] ?? '', url);
  expect(await own.get('/products')).toEqual({ data: 'at last' });
  await expect(own.get('/products')).rejects.toMatchObject({
    status: 429,
    code: 'rate_limited',
    request_id: 'req_1',
  });
  await expect(own.get('/products')).rejects.toMatchObject({ status: 422, code: 'validation_error' });
  await expect(own.get('/products')).rejects.toMatchObject({ status: 403, code: 'status_403' });
  expect(answers).toEqual([]);
});
