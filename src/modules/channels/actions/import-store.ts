/**
 * Reads a whole store into the file of a feed run. The store is asked page by page, and each page goes to the disk, so the
 * size of the store needs no memory. Source: docs/design/channels.md#import.
 */
import type { Acting } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { readStanding } from '../../../platform/db/read-standing.ts';
import { isUnavailable } from '../../../platform/db/unavailable.ts';
import { spool } from '../../../platform/files/spool.ts';
import type { Services } from '../../../platform/services.ts';
import {
  beginChannelRun,
  failChannelRun,
  fillChannelRun,
  findChannelRun,
  noteRowsRead,
} from '../../products/index.ts';
import { askFor, QuestionRefused } from '../adapters/ask-admin.ts';
import { SHOP_FACTS, type ShopFacts } from '../adapters/questions.ts';
import { readProducts } from '../adapters/read-products.ts';
import { StoreRefused, StoreUnreachable } from '../adapters/store-errors.ts';
import { contentDigest } from '../domain/content-digest.ts';
import { type ImportedProduct, importFile } from '../domain/import-file.ts';
import { isLeftAlone } from '../domain/link-words.ts';
import type { StoreProduct } from '../domain/store-product.ts';
import { channelErrors } from '../errors.ts';
import { type ChannelKey, type ChannelRow, channels } from '../store/channels.ts';
import { linksOfProducts } from '../store/link-state.ts';
import { askUntil } from './ask-store.ts';
import { NoToken } from './tokens.ts';

export const IMPORT_JOB = 'channels.import';

/**
 * Begins the import of a store whose row is locked.
 *
 * @throws ApiError 409 `channel_not_connected`, `import_running`
 */
export async function beginImport(ctx: Acting, row: ChannelRow, dryRun: boolean) {
  const { channel_id, status, create_products: creates } = row;
  if (status !== 'connected') throw fail(channelErrors.channel_not_connected, { facts: { status } });
  const running = await findChannelRun(ctx, channel_id);
  if (running !== undefined) throw fail(channelErrors.import_running, { facts: { run_id: running } });
  const run = await beginChannelRun(ctx, { channel_id, dryRun, creates });
  const payload = { channel_id, run_id: run.run_id };
  await ctx.jobs.add({ kind: IMPORT_JOB, payload, uniqueKey: run.run_id, dueAt: ctx.now() });
  return run;
}

/** The run was cancelled, or another worker has filled it. */
class RunGone extends Error {
  override readonly name = 'RunGone';
}

/** The store has more bytes than the service has room for. */
class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

const FAILURES = {
  store_unreachable: 'The store did not answer while it was read. Nothing was changed; import it again.',
  store_refused: 'The store refuses to be read. Authorise it again, then import it again.',
  store_unreadable:
    'The store refuses a question of the service. Nothing was changed; import it again later.',
  feed_no_room: 'The service has no room for the file of this store now. Import it again later.',
  feed_execution_failed: 'The store could not be read. Nothing was changed; import it again.',
} as const;

function codeOf(error: unknown): keyof typeof FAILURES {
  if (error instanceof StoreUnreachable) return 'store_unreachable';
  if (error instanceof NoToken || error instanceof StoreRefused) return 'store_refused';
  if (error instanceof QuestionRefused) return 'store_unreadable';
  return error instanceof NoRoom ? 'feed_no_room' : 'feed_execution_failed';
}

/** The products with the variants that may be imported, and what these are here. */
async function withLinks(
  { withSellerLong }: Services,
  { seller_id, channel_id }: ChannelKey,
  products: readonly StoreProduct[],
  priced: boolean,
): Promise<ImportedProduct[]> {
  const ids = products.map(({ external_product_id }) => external_product_id);
  const found = await withSellerLong(seller_id, 'read', (db) =>
    linksOfProducts({ db, seller_id }, channel_id, ids),
  );
  const leftAlone = new Set(found.filter(isLeftAlone).map(({ external_variant_id: id }) => id));
  const linked = new Map(
    found.flatMap(({ state, external_variant_id, product_id }) =>
      state === 'linked' && product_id !== null ? [[external_variant_id, product_id] as const] : [],
    ),
  );
  return products.map((product) => {
    const variants = product.variants.filter(({ external_variant_id: id }) => !leftAlone.has(id));
    return { product: { ...product, variants }, content_sha256: contentDigest(product, priced), linked };
  });
}

/** The file of a store, piece by piece. @throws RunGone */
async function* piecesOf(
  services: Services,
  key: ChannelKey,
  runId: string,
  { head, linesOf, priced }: ReturnType<typeof importFile>,
  pages: AsyncIterable<StoreProduct[]>,
): AsyncGenerator<Buffer> {
  let rows = 0;
  yield Buffer.from(head);
  for await (const page of pages) {
    const imported = await withLinks(services, key, page, priced);
    const found = imported.filter(({ product }) => product.variants.length > 0);
    rows += found.reduce((sum, { product }) => sum + product.variants.length, 0);
    yield Buffer.from(found.map(linesOf).join(''));
    if (!(await noteRowsRead(services, key.seller_id, runId, rows))) throw new RunGone();
  }
}

async function readInto(
  services: Services,
  key: ChannelKey,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { seller_id, channel_id } = key;
  const { row, standing } = await services.withSellerLong(seller_id, 'read', async (db) => ({
    row: await channels.find({ db, seller_id }, { channel_id }),
    standing: await readStanding(db, seller_id),
  }));
  if (row?.status !== 'connected') throw new NoToken('ended');
  const ask = askUntil(services, key, row, signal);
  const currency = await askFor(ask, SHOP_FACTS, ({ shop }: ShopFacts) => shop.currencyCode);
  const file = importFile(currency === standing?.currency);
  const full = () => new NoRoom();
  const { MAX_SPOOL_BYTES: max } = services.config;
  const stored = await spool(piecesOf(services, key, runId, file, readProducts(ask)), {
    ...{ maxBytes: max, tooLarge: full, maxTotalBytes: max, full },
  });
  try {
    await fillChannelRun(services, seller_id, runId, { header: file.header, spool: stored });
  } finally {
    await stored[Symbol.asyncDispose]();
  }
}

/** Reads the store of a run. An error while it reads ends the run, and nothing is applied. */
export async function importStore(
  services: Services,
  key: ChannelKey,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await readInto(services, key, runId, signal);
  } catch (error) {
    if (error instanceof RunGone) return;
    // Another worker reads the store from its beginning.
    if (signal.aborted || isUnavailable(error)) throw error;
    const code = codeOf(error);
    if (code === 'feed_execution_failed') services.log.error({ err: error, run_id: runId }, 'import failed');
    const retryable = code !== 'store_refused';
    await failChannelRun(services, key.seller_id, runId, { code, detail: FAILURES[code], retryable });
  }
}
