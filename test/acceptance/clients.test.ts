/**
 * Clients that others generate from openapi.json. Two generators make them, and the compiler accepts them with
 * `--strict`. Programs that use them feed a file, accept an order and read a settlement of the running service.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access, Report } from '../clients/report.ts';
import { ClientWorkspace, installClientTools } from '../support/client-tools.ts';
import { prepareDemo } from '../support/demo-service.ts';
import { testDatabase } from '../support/pg.ts';

const MINUTES = 60_000;
const { folder = '', missing } = await installClientTools();
const database = await testDatabase();
const demo = prepareDemo(database.url);

const HEY_API = '@hey-api/openapi-ts/bin/run.js';
const OPENAPI_TYPESCRIPT = 'openapi-typescript/bin/cli.js';
const COMPILER = 'typescript/lib/tsc.js';
const SPECTRAL = '@stoplight/spectral-cli/dist/index.js';

async function post(url: string, body: object, token?: string): Promise<Record<string, string>> {
  const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

/** Asks four times a second. */
async function wait<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

describe.skipIf(missing !== undefined)(`generated clients${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let workspace: ClientWorkspace;
  let address: { readonly api: string; readonly marketplace: string };

  async function tokenOf(email: string, shop?: object): Promise<string> {
    const session = await post(`${address.marketplace}/session`, { email, aal: 'aal2' });
    const marketplace_token = session['access_token'];
    if (shop !== undefined) await post(`${address.api}/api/v1/auth/register`, shop, marketplace_token);
    return (await post(`${address.api}/api/v1/auth/exchange`, { marketplace_token }))['access_token'] ?? '';
  }

  beforeAll(async () => {
    workspace = await ClientWorkspace.create(folder);
    const service = demo.start();
    const build = async (): Promise<void> => {
      await Promise.all([
        workspace.node(HEY_API, '--silent', '--no-log-file'),
        workspace.node(OPENAPI_TYPESCRIPT, 'openapi.json', '-o', 'openapi-typescript.d.ts'),
      ]);
      await workspace.node(COMPILER, '--project', '.');
    };
    const [, { api, demo: marketplace }] = await Promise.all([build(), service.ready()]);
    address = { api, marketplace };
  }, 3 * MINUTES);
  afterAll(() => workspace.remove());

  test.each([
    ['@hey-api/openapi-ts', 'with-hey-api', '51824753556'],
    ['openapi-typescript', 'with-openapi-typescript', '53004085616'],
  ])(
    '%s: feeds, accepts an order and reads a settlement',
    { timeout: 2 * MINUTES },
    async (_, name, tax_id) => {
      const module = pathToFileURL(join(workspace.path, 'compiled', `${name}.js`)).href;
      const { run } = (await import(module)) as { run: (access: Access) => Promise<Report> };
      const seller = await tokenOf(`${name}@example.com`, { business_name: name, tax_id });
      const report = await run({ url: address.api, seller, trader: await tokenOf('june@example.com'), wait });
      expect(report).toEqual({
        created: 1,
        order_status: 'accepted',
        refused: 'invalid_transition',
        settlement_status: 'paid',
        payable_minor: expect.any(Number),
      });
      expect(report.payable_minor).toBeGreaterThan(0);
    },
  );

  test('Spectral finds nothing in the description', { timeout: 3 * MINUTES }, async () => {
    const found = await workspace.node(
      SPECTRAL,
      ...['lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'],
    );
    expect(found).toContain('No results');
  });
});
