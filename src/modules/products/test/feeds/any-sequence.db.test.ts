/**
 * Any files of any formats, in any order and mode, on one catalogue. A file changes only products that it names, and its
 * evidence names every change; a preview, a refused file and a file that is reverted change nothing
 * (docs/design/feeds-and-imports.md#feed-runs, #matching).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import { type Line, SHAPES, type Shape, someLines } from '../../../../../test/support/feed-files.ts';
import {
  type CatalogueProduct,
  catalogueOf,
  eventually,
  type FeedFailure,
  feed,
  isOver,
  type Run,
  rowsOf,
  runOf,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

interface Step {
  readonly name: string;
  readonly lines: readonly Line[];
  readonly mode: string;
  readonly onError: string;
  readonly preview: boolean;
  readonly commit: boolean;
  readonly revert: boolean;
  readonly async: boolean;
  /** A product that the seller changes by hand before the file. */
  readonly edit: boolean;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(...Object.keys(SHAPES)),
  lines: someLines(4),
  mode: fc.constantFrom('upsert', 'upsert', 'update_only', 'create_only', 'inventory'),
  onError: fc.constantFrom('continue', 'continue', 'abort'),
  preview: fc.boolean(),
  commit: fc.boolean(),
  revert: fc.boolean(),
  async: fc.constantFrom(false, false, true),
  edit: fc.constantFrom(false, false, true),
});

type Catalogue = ReadonlyMap<string, CatalogueProduct>;
const byId = async (seller: TestSeller): Promise<Catalogue> =>
  new Map([...(await catalogueOf(seller)).values()].map((product) => [product.product_id, product]));

/** What writes may change without saying so: they follow from the other fields. */
const DERIVED = [
  'version',
  'updated_at',
  'source',
  'curation',
  'visible',
  'hidden_reasons',
  'live',
  'issues',
];
const content = (product: CatalogueProduct | undefined): object | undefined =>
  product && Object.fromEntries(Object.entries(product).filter(([field]) => !DERIVED.includes(field)));

/** Whether a product may be the one that a line of a file means. */
function names(line: Line, product: CatalogueProduct, shape: string): boolean {
  const key = String(product['external_key'] ?? '').toLowerCase();
  const [name, option] = [line.name, line.option.toLowerCase()];
  const ofStore = key.includes('#');
  if (shape === 'store_platform_products' && ofStore) return key === `${name}#${option}`;
  const bySku = line.sku !== '' && line.sku === product.seller_sku;
  if (shape === 'the native feed') return bySku;
  const number = { marketplace_listings: 'asin', auction_file_exchange: 'ebay_item_number' }[shape];
  const known = (product['attributes'] as Record<string, string>)[number ?? ''];
  const stated = `${shape === 'marketplace_listings' ? 'B0' : ''}${line.name}-${line.option}`;
  if (known !== undefined && known !== stated) return false;
  return bySku || key.includes(`${name}-${option}`) || key.startsWith(`title ${name} ${option}`);
}

/** The fields of the wire that the evidence names by others. */
const WIRE_NAMES: Readonly<Record<string, string>> = { quantity_on_hand: 'quantity' };
const wireName = (field: string): string => field.split('.')[0] ?? field;

function expectOnlyNamed(before: Catalogue, after: Catalogue, step: Step, run: Run): void {
  const told = Map.groupBy(run.row_results, ({ product_id }) => product_id);
  for (const [id, product] of before) {
    if (step.lines.some((line) => names(line, product, step.name))) continue;
    expect(after.get(id), `${product.seller_sku} ${product['external_key']} is not in the file`).toEqual(
      product,
    );
  }
  for (const [id, product] of after) {
    const earlier = before.get(id);
    const changes = (told.get(id) ?? []).flatMap((row) => row.changes.map(({ field }) => wireName(field)));
    if (earlier === undefined) expect(changes.length, 'a new product has evidence').toBeGreaterThan(0);
    else
      for (const field of Object.keys(content(product) ?? {}))
        if (field !== 'quantity_available' && !changes.includes(WIRE_NAMES[field] ?? field))
          if (!changes.includes(field)) expect(product[field], field).toEqual(earlier[field]);
    if (earlier !== undefined && step.mode === 'inventory' && step.name === 'the native feed')
      expect([product.version, product.title]).toEqual([earlier.version, earlier.title]);
  }
}

/** Sends the file of a step. @returns undefined if it was refused as a whole */
async function send(seller: TestSeller, step: Step): Promise<Run | undefined> {
  const { sending, file } = SHAPES[step.name] as Shape;
  const query = new URLSearchParams({ on_error: step.onError, dry_run: String(step.preview) });
  if (step.name === 'the native feed') query.set('mode', step.mode);
  const headers = step.async ? { prefer: 'respond-async' } : {};
  const answer = await feed<Run & FeedFailure>(seller, file(step.lines), {
    ...sending,
    query: query.toString(),
    headers,
  });
  expect([201, 202, 422]).toContain(answer.status);
  if (answer.status === 422) return undefined;
  const run =
    answer.status === 202 ? await eventually(() => runOf(seller, answer.body.run_id), isOver) : answer.body;
  if (run.status === 'rejected') return undefined;
  expect(run.status).toMatch(/^succeeded/);
  return { ...run, row_results: await rowsOf(seller, run.run_id) };
}

const follow = async (seller: TestSeller, run: Run, how: 'commit' | 'revert'): Promise<Run> => {
  const answer = await seller.call<Run>('POST', `/products/feed-runs/${run.run_id}/${how}`);
  expect(answer.status, answer.text).toBe(201);
  return { ...answer.body, row_results: await rowsOf(seller, answer.body.run_id) };
};

const contents = (catalogue: Catalogue): object =>
  Object.fromEntries([...catalogue].map(([id, product]) => [id, content(product)]));

async function take(seller: TestSeller, step: Step, index: number): Promise<void> {
  const [first] = (await byId(seller)).values();
  if (step.edit && first !== undefined)
    await seller.call('PATCH', `/products/${first.product_id}`, {
      json: { description: `By hand ${index}` },
    });
  const before = await byId(seller);
  let run = await send(seller, step);
  let after = await byId(seller);
  if (run === undefined || step.preview) expect(after).toEqual(before);
  if (run === undefined) return;
  if (step.preview) {
    if (!step.commit) return;
    run = await follow(seller, run, 'commit');
    after = await byId(seller);
  }
  expectOnlyNamed(before, after, step, run);
  if (!step.revert) return;
  await follow(seller, run, 'revert');
  expect(contents(await byId(seller))).toEqual(contents(before));
}

test('files change what they name, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 2, maxLength: 5 }), async (steps) => {
      const seller = await app.seller({ plan: 'Big' });
      for (const [index, step] of steps.entries()) await take(seller, step, index);
    }),
    { numRuns: 8 },
  );
}, 600_000);
