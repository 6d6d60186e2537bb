/**
 * What follows a feed run of a channel: a preview is announced, an applied run links its variants, and a reverted one
 * ends these links. Source: docs/design/channels.md#import.
 */
import type { Acting } from '../../../kernel/context.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import {
  CHANNEL_RUN_JOB,
  type ChannelRun,
  findApplyingRun,
  type ImportedRow,
  isReverted,
  lastImportOf,
  productsById,
  readChannelRows,
  readChannelRun,
  revertedProducts,
  type StoredProduct,
} from '../../products/index.ts';
import { isTaken } from '../domain/choose-product.ts';
import { storeTexts } from '../domain/field-texts.ts';
import { keptFacts } from '../domain/import-file.ts';
import { isLeftAlone } from '../domain/link-words.ts';
import { firstBase } from '../domain/merge-row.ts';
import { channelEvents } from '../events.ts';
import { type ChannelKey, type ChannelRow, touch } from '../store/channels.ts';
import { wakeLevels } from '../store/deliveries.ts';
import { openConflicts } from '../store/issues.ts';
import { levelsOf } from '../store/levels.ts';
import { endLinks, linksOfImport, noteRun } from '../store/link-state.ts';
import { eraseLinks, type LinkRow, newLink } from '../store/links.ts';
import { applyWaitingLevels, askForLevels } from './apply-levels.ts';
import { saveLinks } from './apply-product.ts';
import { changeChannel } from './ask-store.ts';
import { deactivateSoon } from './deactivate-channel.ts';
import { resolveIssue } from './issues.ts';
import { fieldConflict, identityConflict } from './product-issues.ts';

/** A batch of the rows of a run. */
interface ImportedRows {
  readonly header: readonly string[];
  readonly rows: readonly ImportedRow[];
}

/** The link that a row of an import makes; undefined if the row has no product or is no variant. */
function linkOf(
  ctx: Acting,
  { channel_id }: ChannelRow,
  header: readonly string[],
  { row, evidence }: ImportedRow,
  product: Pick<StoredProduct, 'product_id' | 'status'> | undefined,
): LinkRow | undefined {
  const { patch } = row;
  const facts = keptFacts(header, row.cells?.map((cell) => cell ?? '') ?? []);
  if (facts === undefined || patch === null || product === undefined) return undefined;
  if (evidence.outcome === 'rejected' || evidence.outcome === 'not_attempted') return undefined;
  const values = Object.values(patch.variation?.values ?? {});
  return newLink(ctx, channel_id, {
    ...facts,
    inventory_item_id: facts.inventory_item_id || null,
    external_sku: patch.seller_sku ?? null,
    title: [patch.title ?? '', ...values].join(' / '),
    ...{ product_id: product.product_id, state: 'linked', linked_by: 'import' },
    // A draft waits for what the store lacks; that is no edit of its status.
    base: product.status === 'draft' ? firstBase(row, product) : storeTexts(patch),
  });
}

/** The links that rows make. A product that was deleted meanwhile gets none. */
async function linksOf(
  ctx: Acting,
  channel: ChannelRow,
  { header, rows }: ImportedRows,
): Promise<readonly LinkRow[]> {
  const ids = rows.flatMap(({ evidence }) => evidence.product_id ?? []);
  const products = new Map((await productsById(ctx, ids)).map((product) => [product.product_id, product]));
  return rows.flatMap(
    (row) => linkOf(ctx, channel, header, row, products.get(row.evidence.product_id ?? '')) ?? [],
  );
}

/**
 * Links the variants of rows. A link that a delivery or a member has made meanwhile stays, and so does one that went
 * after the run had begun. The channel is locked, and the job that follows a revert waits for it: so it ends every link
 * that is made here before the revert is seen.
 */
async function linkRows(
  ctx: Acting,
  channel: ChannelRow,
  run: ChannelRun,
  batch: ImportedRows,
): Promise<void> {
  if (await isReverted(ctx, run.run_id)) return;
  const made = await linksOf(ctx, channel, batch);
  const variants = made.map(({ external_variant_id: id }) => id);
  const products = made.flatMap(({ product_id }) => product_id ?? []);
  const known = await linksOfImport(ctx, channel.channel_id, variants, products);
  const byVariant = new Map(known.map((link) => [link.external_variant_id, link]));
  const holders = new Map(known.map((link) => [link.product_id, link]));
  const free = made.filter((link) => !isTaken(holders.get(link.product_id), link.external_variant_id));
  const added = free.filter((link) => !byVariant.has(link.external_variant_id));
  const from = (link: LinkRow, { link_id, version, created_at, ...before }: LinkRow): LinkRow => {
    const { base_level, shortfall } = before.product_id === link.product_id ? before : link;
    return { ...link, link_id, created_at, version: version + 1, base_level, shortfall };
  };
  const linked = free.flatMap((link) => {
    const before = byVariant.get(link.external_variant_id);
    if (before === undefined || !mayLink(before, run)) return [];
    return [from(link, before)];
  });
  // The same product: what the store says about it was applied.
  const confirmed = free.flatMap((link) => {
    const before = byVariant.get(link.external_variant_id);
    if (before?.state !== 'linked' || before.product_id !== link.product_id) return [];
    if (before.external_updated_at > link.external_updated_at) return [];
    return [{ ...from(link, before), linked_by: before.linked_by }];
  });
  await saveLinks(ctx, [...added, ...linked, ...confirmed], known);
  await noteRun(
    ctx,
    run.run_id,
    [...added, ...linked].map(({ link_id }) => link_id),
  );
  await resolveConflicts(ctx, channel, linked, confirmed);
  // As in a delivery, a variant counts on where it was gone, or another one that was this product.
  const ended = [...added, ...linked].flatMap(({ link_id, product_id, external_variant_id: id }) => {
    const own = byVariant.get(id);
    const before = own?.product_id === product_id ? own : holders.get(product_id);
    return before === undefined ? [] : [[link_id, before] as const];
  });
  await followLevels(ctx, channel, { added, linked, ended: new Map(ended) });
}

const mayLink = (link: LinkRow, { received_at }: ChannelRun): boolean =>
  (link.state === 'unlinked' && !isLeftAlone(link)) ||
  (link.state === 'gone' && link.updated_at <= received_at);

/**
 * Resolves the issues of variants whose link is new, or has a new base: a late delivery that was decided before saw other
 * values here, and the import has applied the store's.
 */
async function resolveConflicts(
  ctx: Acting,
  { channel_id }: ChannelRow,
  linked: readonly LinkRow[],
  confirmed: readonly LinkRow[],
): Promise<void> {
  for (const link of linked) await resolveIssue(ctx, identityConflict(link), 'linked');
  const keys = [...linked, ...confirmed].map((link) => fieldConflict(link).external_key);
  for (const issue of await openConflicts(ctx, channel_id, keys)) await resolveIssue(ctx, issue, 'in_step');
}

/** Follows the stock of new links. Most of them have no level yet, for which one job asks when the run is followed. */
async function followLevels(
  ctx: Acting,
  channel: ChannelRow,
  {
    added,
    linked,
    ended,
  }: Record<'added' | 'linked', readonly LinkRow[]> & { readonly ended: ReadonlyMap<string, LinkRow> },
): Promise<void> {
  const items = added.flatMap(({ inventory_item_id: item }) => item ?? []);
  const known = await levelsOf(ctx, channel.channel_id, items);
  const waiting = new Set<string | null>(known.map(({ inventory_item_id: item }) => item));
  const first = added.filter(
    ({ inventory_item_id: item, link_id }) => waiting.has(item) || ended.has(link_id),
  );
  const all = [...first, ...linked];
  if (all.length > 0) await applyWaitingLevels(ctx, channel, all, ended);
}

/** What a channel does after a run, in the transaction that ends the job. */
const endWith = (
  services: Services,
  key: ChannelKey,
  runId: string,
  change: (ctx: Acting, row: ChannelRow) => Promise<unknown>,
): Promise<unknown> =>
  changeChannel(services, key, async (ctx, row) => {
    await change(ctx, row);
    await ctx.jobs.cancel(CHANNEL_RUN_JOB, runId);
  });

/** An import wakes what waits for it when it was applied; one that ends otherwise wakes nothing. */
export const LOOK_AGAIN_MS = 60_000;

/**
 * Whether an import is applied now, or its variants are not linked yet. Until then it is not known which items of the store
 * are unknown.
 */
export async function isImporting(
  at: SellerDb,
  { channel_id, imported_at, connected_at }: ChannelRow,
): Promise<boolean> {
  if ((await findApplyingRun(at, channel_id)) !== undefined) return true;
  const last = await lastImportOf(at, channel_id);
  return last !== null && last > (imported_at ?? connected_at ?? '');
}

const noteImport = async (ctx: Acting, channel_id: string): Promise<unknown> =>
  touch(ctx, channel_id, { imported_at: await lastImportOf(ctx, channel_id) });

async function followApplied(services: Services, key: ChannelKey, run: ChannelRun, signal: AbortSignal) {
  for await (const batch of readChannelRows(services, key.seller_id, run)) {
    signal.throwIfAborted();
    await changeChannel(services, key, (ctx, row) => linkRows(ctx, row, run, batch));
  }
  await endWith(services, key, run.run_id, async (ctx, row) => {
    const { channel_id, shop_domain: shop, deactivating, status_reason } = row;
    await noteImport(ctx, channel_id);
    // The file of the run is older than the request of the store.
    if (status_reason === 'erased') await eraseLinks(ctx, channel_id);
    await askForLevels(ctx, channel_id);
    if (deactivating) await deactivateSoon(ctx, channel_id);
    // Items without a link are unknown from now on.
    await ctx.db.run(wakeLevels({ seller_id: ctx.seller_id, channel_id, shop }, ctx.now()));
  });
}

/** Ends the links of an import that a revert has undone. A revert that restored nothing leaves the import as it was. */
async function followReverted(services: Services, key: ChannelKey, run: ChannelRun, signal: AbortSignal) {
  const { seller_id } = key;
  const isUndone = await services.withSellerLong(seller_id, 'read', (db) =>
    isReverted({ db, seller_id }, run.reverts_run_id ?? ''),
  );
  if (!isUndone) {
    await endWith(services, key, run.run_id, async () => undefined);
    return;
  }
  for await (const products of revertedProducts(services, seller_id, run)) {
    signal.throwIfAborted();
    await changeChannel(services, key, (ctx, { channel_id }) =>
      endLinks(ctx, { channelId: channel_id, runId: run.reverts_run_id, at: ctx.at() }, products),
    );
  }
  await endWith(services, key, run.run_id, (ctx, { channel_id }) => noteImport(ctx, channel_id));
}

/** Follows a run of a channel that has succeeded. It is safe to repeat. */
export async function followImport(
  services: Services,
  sellerId: string,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await services.withSellerLong(sellerId, 'read', (db) =>
    readChannelRun({ db, seller_id: sellerId }, runId),
  );
  if (found === undefined) return;
  const { run, shown, channel_id } = found;
  const key = { seller_id: sellerId, channel_id };
  if (run.dry_run)
    await endWith(services, key, runId, (ctx) => ctx.emit(channelEvents.importPreviewed.of(shown)));
  else if (run.kind === 'revert') await followReverted(services, key, run, signal);
  else await followApplied(services, key, run, signal);
}
