/**
 * The import of a connected store: the whole run, from the request to its end, beside reading the store alone and
 * importing the same rows as a file (limit: both, one after the other). And the memory of a store of 100,000 variants.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { consent } from '../demo/store-platform/june-store.ts';
import type { Shop } from '../demo/store-platform/shop.ts';
import { type StorePlatform, startStorePlatform } from '../demo/store-platform/start-store-platform.ts';
import { askAdmin } from '../src/modules/channels/adapters/ask-admin.ts';
import { readProducts } from '../src/modules/channels/adapters/read-products.ts';
import { importFile } from '../src/modules/channels/domain/import-file.ts';
import { watchMemory } from './lab/memory.ts';
import type { BenchOptions } from './lab/options.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { heading, milliseconds, report, whole } from './lab/statistics.ts';

const PUBLIC = 'http://127.0.0.1:9';
const APP = { clientId: 'bench', secret: 'bench-store-secret' };
const HEAP_LIMIT_MB = 250;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly counts: { readonly rows: number; readonly staged: number };
}

async function call<Body>(service: Service, seller: Seller, path: string, json?: object): Promise<Body> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: json === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${seller.token}`, 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

/** The newest import of a seller, once it has ended. */
async function ended(service: Service, seller: Seller): Promise<Run> {
  for (;;) {
    const { data } = await call<{ data: Run[] }>(
      service,
      seller,
      '/products/feed-runs?kind=channel_import&limit=1',
    );
    const [run] = data;
    if (run !== undefined && !['received', 'validating', 'applying'].includes(run.status)) return run;
    await sleep(100);
  }
}

/** Connects a store; its first preview begins. */
async function connect(service: Service, seller: Seller, shop: Shop): Promise<string> {
  const json = { platform: 'shopify', shop: shop.domain };
  const { start_url, channel_id } = await call<{ start_url: string; channel_id: string }>(
    service,
    seller,
    '/channels',
    json,
  );
  await consent(start_url, (uri) => uri.replace(PUBLIC, service.url));
  return channel_id;
}

function stock(shop: Shop, products: number, variants: number): void {
  shop.bucket.fill(Number.MAX_SAFE_INTEGER);
  for (let index = 0; index < products; index += 1)
    shop.catalogue.addProduct({
      title: `Mug ${index}`,
      body_html: `<p>A sturdy mug, number ${index}; it keeps tea warm.</p>`,
      images: [`https://cdn.example.com/${index}.jpg`],
      variants: Array.from({ length: variants }, (_, number) => ({
        ...(variants > 1 && { title: `Size ${number}` }),
        sku: `M-${index}-${number}`,
      })),
    });
}

/** Reads a store as the service does, and writes the file of its import. */
async function readStore(platform: StorePlatform, shop: Shop): Promise<Buffer> {
  const target = {
    ...{ clientId: APP.clientId, secrets: [APP.secret] as const, apiVersion: '2026-10', formTargets: '' },
    ...{ callbackUrl: '', receiverUrl: '' },
    addressOf: (domain: string) => platform.baseUrl.replace('{shop}', domain),
  };
  const access = shop.tokens.save().current?.access ?? '';
  const { head, linesOf } = importFile(true);
  const pieces = [head];
  const linked = new Map<string, string>();
  for await (const page of readProducts((question) => askAdmin(target, shop.domain, access, question)))
    pieces.push(...page.map((product) => linesOf({ product, content_sha256: '', linked })));
  return Buffer.from(pieces.join(''));
}

async function importAsFile(service: Service, seller: Seller, file: Buffer): Promise<void> {
  const path = '/api/v1/products/import-profiles?profile=store_platform_products';
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${seller.token}`, 'content-type': 'text/csv', 'idempotency-key': 'file' },
    },
    body: new Uint8Array(file),
  });
  if (response.status !== 201) throw new Error(`file: ${response.status} ${await response.text()}`);
}

async function measureTime(service: Service, platform: StorePlatform, products: number): Promise<void> {
  const [seller, other] = await makeSellers(service, 2);
  if (seller === undefined || other === undefined) return;
  const shop = platform.shop('bench.myshopify.com');
  stock(shop, products, 1);
  const channelId = await connect(service, seller, shop);
  await ended(service, seller);
  await signIn(service, [seller, other]);
  const whole_ms = await milliseconds(async () => {
    await call(service, seller, `/channels/${channelId}/imports`, { dry_run: false });
    const { status, counts } = await ended(service, seller);
    if (status !== 'succeeded' || counts.staged !== products) throw new Error(JSON.stringify(counts));
  });
  let file: Buffer = Buffer.alloc(0);
  const readMs = await milliseconds(async () => {
    file = await readStore(platform, shop);
  });
  const fileMs = await milliseconds(() => importAsFile(service, other, file));
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  report({
    name: `import of a store of ${whole(products)} products`,
    figure: seconds(whole_ms),
    limit: `${seconds(readMs)} reading, ${seconds(fileMs)} as a file`,
    ratio: `${(whole_ms / (readMs + fileMs)).toFixed(2)}x`,
    aim: '',
  });
}

async function measureMemory(service: Service, platform: StorePlatform): Promise<void> {
  const [seller] = await makeSellers(service, 1);
  if (seller === undefined) return;
  const shop = platform.shop('large.myshopify.com');
  stock(shop, 1_000, 100);
  const { idleHeapMb, peakHeapMb, peakRssMb } = await watchMemory(service, async () => {
    await connect(service, seller, shop);
    const { status, counts } = await ended(service, seller);
    if (status !== 'succeeded' || counts.rows !== 100_000) throw new Error(`${status} ${counts.rows}`);
  });
  report({
    name: 'import of 100,000 variants, heap above idle',
    figure: `${whole(peakHeapMb - idleHeapMb)} MB  (peak resident ${whole(peakRssMb)} MB)`,
    limit: `${HEAP_LIMIT_MB} MB`,
    ratio: `${((peakHeapMb - idleHeapMb) / HEAP_LIMIT_MB).toFixed(2)}x`,
    aim: '<= 1x',
  });
}

export async function benchImports({ quick }: BenchOptions): Promise<void> {
  heading('Import of a connected store');
  const platform = await startStorePlatform({
    ...{ ...APP, port: 0, now: Date.now },
    redirectUris: () => [`${PUBLIC}/api/v1/channels/oauth/callback/shopify`],
    // Nothing is sent: only reading is measured.
    reach: () => PUBLIC,
  });
  await inTemporaryDirectory(async (dir) => {
    const env = {
      ...{ STORE_PLATFORM_CLIENT_ID: APP.clientId, STORE_PLATFORM_SECRETS: APP.secret },
      ...{ STORE_PLATFORM_BASE_URL: platform.baseUrl, PUBLIC_URL: PUBLIC },
    };
    const service = await startService(dir, { env });
    try {
      await measureTime(service, platform, quick ? 1_000 : 10_000);
      if (!quick) await measureMemory(service, platform);
    } finally {
      await service.stop();
      await platform.stop();
    }
  });
}
