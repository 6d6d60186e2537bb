import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { ASSET_NAMES } from '../routes/assets.ts';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const PAGES = ['/docs', '/redoc'] as const;

const service = await startTestApp();

describe('in development', () => {
  test('the description is OpenAPI 3.1, and a client that has it gets 304', async () => {
    const first = await service.call<{ openapi: string }>('GET', '/openapi.json');
    expect(first.status).toBe(200);
    expect(first.body.openapi).toBe('3.1.0');
    const etag = first.headers.get('etag') ?? '';
    expect((await service.call('GET', '/openapi.json', { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    );
  });

  test('the address alone leads to /docs', async () => {
    const { status, headers } = await service.call('GET', '/');
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
  });

  test.each(PAGES)('%s may load own files and nothing else', async (path) => {
    const { status, headers, text } = await service.call('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(text).not.toMatch(/https?:/);
  });

  test.each(PAGES)(
    '%s keeps its policy when it has not changed, so a second visit shows it',
    async (path) => {
      const first = (await service.call('GET', path)).headers;
      const headers = { 'if-none-match': first.get('etag') ?? '' };
      const again = await service.call('GET', path, { headers });
      expect(again.status).toBe(304);
      for (const name of ['content-security-policy', 'cache-control', 'etag'])
        expect([name, again.headers.get(name)]).toEqual([name, first.get(name)]);
    },
  );

  test('no other answer has the policy of the pages', async () => {
    const { headers } = await service.call('GET', '/openapi.json');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test.each(ASSET_NAMES)('%s is served with its type and an entity tag', async (name) => {
    const { status, headers } = await service.call('GET', `/docs/assets/${name}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^(text\/(javascript|css); charset=utf-8|image\/png)$/);
    const again = await service.call('GET', `/docs/assets/${name}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test.each([
    'package.json',
    'swagger-ui.js',
    '__proto__',
    'constructor',
    '..%2Fpackage.json',
    '%2e%2e%2f%2e%2e%2fpackage.json',
  ])('any other file is 404: %s', async (name) => {
    expect((await service.call('GET', `/docs/assets/${name}`)).status).toBe(404);
  });
});

describe('in production', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signingKey = { ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'EdDSA', use: 'sig' };
  const production = await startTestApp({
    APP_ENV: 'production',
    TOKEN_SIGNING_KEYS: JSON.stringify([signingKey]),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    MARKETPLACE_ISSUER: 'https://marketplace.example',
    MARKETPLACE_AUDIENCE: 'authenticated',
    MARKETPLACE_JWKS_URL: 'https://marketplace.example/jwks.json',
  });

  test('the address alone lists the first paths, and they exist', async () => {
    const { status, body } = await production.call<Record<string, string>>('GET', '/');
    expect([status, Object.keys(body)]).toEqual([200, ['service', 'version', 'api', 'health', 'keys']]);
    for (const path of [body['health'], body['keys']])
      expect((await production.call('GET', String(path))).status).toBe(200);
  });

  test.each(['/openapi.json', '/docs', '/redoc', '/docs/assets/swagger-ui.css'])(
    '%s gets the 404 of any unknown path, for every method',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await production.call<{ detail: string }>(method, path);
        const unknown = await production.call<{ detail: string }>(method, '/no-such-path');
        expect(status).toBe(404);
        expect(body.detail).toBe(unknown.body.detail.replace('/no-such-path', path));
        expect(body).toMatchObject({ code: 'route_not_found' });
      }
    },
  );
});

const browserHere = existsSync(CHROMIUM);

/** The requests and errors of an open page. */
interface Visit {
  readonly page: Page;
  readonly complaints: string[];
  readonly foreign: string[];
}

describe.skipIf(!browserHere)(`in Chromium${browserHere ? '' : ` (skipped: no ${CHROMIUM})`}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(() => browser.close());

  /** @param described the API description that the page gets; by default that of the service */
  async function visit(path: string, described?: object): Promise<Visit> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    // To draw all operations takes seconds, and on a busy machine a minute.
    page.setDefaultTimeout(150_000);
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (/^(https?|wss?):$/.test(protocol) && origin !== service.url) foreign.push(request.url());
    });
    if (described !== undefined)
      await page.route('**/openapi.json', (route) => route.fulfill({ json: described }));
    await page.goto(`${service.url}${path}`);
    return { page, complaints, foreign };
  }

  async function look({ page }: Visit, name: string): Promise<void> {
    const directory = process.env['SCREENSHOTS'];
    if (directory !== undefined) await page.screenshot({ path: `${directory}/${name}.png` });
  }

  test('/docs shows every operation, and one can be tried', async () => {
    const seen = await visit('/docs');
    const { body } = await service.call<{ paths: Record<string, Record<string, unknown>> }>(
      'GET',
      '/openapi.json',
    );
    // The page draws only the visible part of a long list, so the test scrolls through it.
    const shown = new Set<string>();
    const scroll = async (): Promise<string[]> => {
      const paths = await seen.page
        .locator('.opblock [data-path]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-path') ?? ''));
      for (const path of paths) shown.add(path);
      await seen.page.mouse.wheel(0, 500);
      return Object.keys(body.paths).filter((path) => !shown.has(path));
    };
    await seen.page.locator('.opblock').first().waitFor();
    await expect.poll(scroll, { timeout: 150_000, interval: 50 }).toEqual([]);
    await seen.page.evaluate('scrollTo(0, 0)');
    await look(seen, 'docs');
    const live = seen.page.locator('.opblock', { has: seen.page.locator('[data-path="/health/live"]') });
    // Health is last, and the page does not draw distant parts.
    await expect
      .poll(
        async () => {
          await seen.page.mouse.wheel(0, 500);
          return live.count();
        },
        { timeout: 150_000, interval: 50 },
      )
      .toBe(1);
    await live.locator('.opblock-summary-control').click();
    await live.locator('.try-out__btn').click();
    await live.locator('.execute').click();
    await live.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    await look(seen, 'docs-tried');
    expect(seen.complaints).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('a link to an operation opens it, near and far', async () => {
    const { body } = await service.call<{
      tags: { name: string }[];
      paths: Record<string, Record<string, { operationId: string; tags: string[]; summary: string }>>;
    }>('GET', '/openapi.json');
    const operations = Object.values(body.paths).flatMap((methods) => Object.values(methods));
    const ofArea = (area: string) => operations.filter(({ tags }) => tags.includes(area));
    // The last operation of an area is the farthest from its heading.
    const linked = body.tags.flatMap(({ name }) => {
      const own = ofArea(name).at(-1);
      return own === undefined ? [] : [{ name, id: own.operationId }];
    });
    // The last area is looked for among all operations. For the others a page with the first and the last operation of
    // each area, without schemas, is long enough, and loads in a fraction of the time. One visit takes seconds, and the
    // page opens every area by the same rule: the first, one in the middle and one whose name is more than a word do.
    const ends = new Set(body.tags.flatMap(({ name }) => [ofArea(name)[0], ofArea(name).at(-1)]));
    const paths = Object.entries(body.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods)
          .filter(([, operation]) => ends.has(operation))
          .map(([method, { operationId, tags, summary }]) => [method, { operationId, tags, summary }]),
      ),
    ]);
    const outline = { ...body, components: {}, security: [], webhooks: {}, paths: Object.fromEntries(paths) };
    expect(linked.length).toBeGreaterThan(10);
    const farthest = linked.at(-1);
    const spaced = linked.find(({ name }) => /\W/.test(name));
    const chosen = [linked[0], linked[Math.floor(linked.length / 2)], spaced, farthest].filter(
      (link) => link !== undefined,
    );
    const opens = async (link: (typeof linked)[number]): Promise<boolean> => {
      const { name, id } = link;
      const path = `/docs#/${encodeURIComponent(name)}/${id}`;
      const { page } = await visit(path, link === farthest ? undefined : outline);
      const block = page.locator('.opblock.is-open', { has: page.locator('.opblock-body') });
      const opened = await block
        .first()
        .waitFor()
        .then(
          () => block.evaluateAll((all) => all.map((one) => one.id)),
          () => [],
        );
      await page.close();
      return opened.some((blockId) => blockId.replaceAll('\\', '').endsWith(`-${id}`));
    };
    const found = await Promise.all(chosen.map(opens));
    expect(chosen.filter((_, index) => !found[index])).toEqual([]);
  });

  test('/redoc shows the operations and finds one', async () => {
    const seen = await visit('/redoc');
    await seen.page.getByRole('heading', { name: 'Whether the process runs' }).waitFor();
    await look(seen, 'redoc');
    await seen.page.getByPlaceholder('Search...').fill('process runs');
    await seen.page.locator('[data-role="search:results"]').getByText('Whether the process runs').waitFor();
    await look(seen, 'redoc-searched');
    expect(seen.complaints).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });
});
