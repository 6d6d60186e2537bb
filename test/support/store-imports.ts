/** Imports of stores, in tests. */
import type { NewProduct } from '../../demo/store-platform/catalogue.ts';
import type { TestSeller } from './app.ts';
import { isOver, type Run, runOf } from './feeds.ts';
import { afterJobs } from './jobs.ts';
import { connectStore, newShop, type Stores } from './store-platform.ts';
import { runOn } from './test-server.ts';

/** Runs of a channel that read the store, newest first. */
export const importsOf = async ({ call }: TestSeller): Promise<Run[]> =>
  (await call<{ data: Run[] }>('GET', '/products/feed-runs?kind=channel_import')).body.data;

/** The run, once it has ended. */
export const ended = (seller: TestSeller, runId: string): Promise<Run> =>
  afterJobs(seller, () => runOf(seller, runId), isOver);

/** The newest import, once it has ended. */
export async function lastImport(seller: TestSeller): Promise<Run> {
  const [run] = await afterJobs(
    seller,
    () => importsOf(seller),
    ([newest]) => newest !== undefined && isOver(newest),
  );
  if (run === undefined) throw new Error('no import');
  return run;
}

export const beginImport = ({ call }: TestSeller, channelId: string, dry_run: boolean) =>
  call<Run & { code: string }>('POST', `/channels/${channelId}/imports`, { json: { dry_run } });

interface StoredLink {
  readonly external_variant_id: string;
  readonly state: string;
  readonly product_id: string | null;
  readonly linked_by: string | null;
}
/** The links of a channel, in the order of their variants. */
export const linksOf = (stores: Stores, channelId: string): Promise<StoredLink[]> =>
  runOn(stores.database.adminUrl, async (client) => {
    const { rows } = await client.query<StoredLink>(
      `select external_variant_id, state, product_id, linked_by from channel_link where channel_id = $1
        order by external_variant_id::numeric`,
      [channelId],
    );
    return rows;
  });

/** Waits until a run of a channel is followed: its variants are linked, or no longer. */
export const followed = (stores: Stores, runId: string): Promise<unknown> =>
  runOn(stores.database.adminUrl, (client) =>
    afterJobs(
      stores,
      () =>
        client.query("select from job where unique_key = $1 and kind = 'products.channel_run_ended'", [
          runId,
        ]),
      ({ rowCount }) => rowCount === 0,
    ),
  );

/** A number of products that can be sold at once. */
export const goodsOf = (count: number, prefix = 'MUG'): NewProduct[] =>
  Array.from({ length: count }, (_, index) => ({
    title: `${prefix} ${index}`,
    images: [`https://cdn.example.com/${prefix}/${index}.jpg`],
    variants: [{ sku: `${prefix}-${index}`, barcode: null }],
  }));

/** The stock of each variant of such a store. */
export const UNITS = 5;

/** Connects a store with these products at one location, and waits for the preview of its import. */
export async function storeWith(stores: Stores, seller: TestSeller, products: readonly NewProduct[]) {
  const domain = newShop();
  const { catalogue, bucket } = stores.platform.shop(domain);
  bucket.fill(1_000_000);
  const location = catalogue.addLocation('Sydney');
  const made = products.map((product) => catalogue.addProduct(product));
  for (const { inventory_item_id: item } of made.flatMap(({ variants }) => variants))
    catalogue.setLevel(item, location.id, UNITS);
  const connected = await connectStore(stores, seller, { shop: domain });
  return { ...connected, made, location, preview: await lastImport(seller) };
}

/** A channel whose first preview has ended. */
export const previewed = async (stores: Stores, seller: TestSeller): Promise<string> =>
  (await storeWith(stores, seller, [])).channel_id;

/** Commits a preview, and waits until its variants are linked. */
export async function commitImport(
  stores: Stores,
  seller: TestSeller,
  run: Pick<Run, 'run_id'>,
): Promise<Run> {
  const { status, body, text } = await seller.call<Run>('POST', `/products/feed-runs/${run.run_id}/commit`);
  if (status !== 201) throw new Error(`commit: ${status} ${text}`);
  await followed(stores, body.run_id);
  return body;
}
