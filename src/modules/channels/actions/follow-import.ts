/**
 * What follows a feed run of a channel: a preview is announced, an applied run links its variants, and a reverted one
 * ends these links. Source: docs/design/channels.md#import.
 */
import type { Acting } from '../../../kernel/context.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import {
  CHANNEL_RUN_JOB,
  type ChannelRun,
  type ImportedRow,
  readChannelRows,
  readChannelRun,
  revertedProducts,
} from '../../products/index.ts';
import { storeTexts } from '../domain/field-texts.ts';
import { keptFacts } from '../domain/import-file.ts';
import { channelEvents } from '../events.ts';
import { type ChannelKey, type ChannelRow, touch } from '../store/channels.ts';
import { levelsOf } from '../store/levels.ts';
import { endLinks, linksOfImport } from '../store/link-state.ts';
import { type LinkRow, links } from '../store/links.ts';
import { applyWaitingLevels, askForLevels } from './apply-levels.ts';
import { changeChannel } from './ask-store.ts';

/** The link that a row of an import makes; undefined if the row has no product or is no variant. */
function linkOf(
  ctx: Acting,
  { channel_id }: ChannelRow,
  header: readonly string[],
  { row, evidence }: ImportedRow,
): LinkRow | undefined {
  const { patch } = row;
  const facts = keptFacts(header, row.cells?.map((cell) => cell ?? '') ?? []);
  if (facts === undefined || patch === null || evidence.product_id === null) return undefined;
  if (evidence.outcome === 'rejected' || evidence.outcome === 'not_attempted') return undefined;
  const { inventory_item_id, ...ids } = facts;
  const values = Object.values(patch.variation?.values ?? {});
  return {
    ...{ link_id: ctx.ids.next('lnk_'), channel_id, ...ids },
    inventory_item_id: inventory_item_id || null,
    external_sku: patch.seller_sku ?? null,
    title: [patch.title ?? '', ...values].join(' / '),
    ...{ product_id: evidence.product_id, state: 'linked', linked_by: 'import', base: storeTexts(patch) },
    ...{ base_level: null, shortfall: 0n },
    ...firstVersion(ctx.at()),
  };
}

/** Links the variants of rows. A link that a delivery or a member has made meanwhile stays. */
async function linkRows(
  ctx: Acting,
  channel: ChannelRow,
  header: readonly string[],
  rows: readonly ImportedRow[],
): Promise<void> {
  const made = rows.flatMap((row) => linkOf(ctx, channel, header, row) ?? []);
  const known = await linksOfImport(
    ctx,
    channel.channel_id,
    made.map(({ external_variant_id: id }) => id),
    made.flatMap(({ product_id }) => product_id ?? []),
  );
  const byVariant = new Map(known.map((link) => [link.external_variant_id, link]));
  const taken = new Set(known.flatMap(({ product_id }) => product_id ?? []));
  const isFree = ({ product_id }: LinkRow): boolean => product_id !== null && !taken.has(product_id);
  const added = made.filter((link) => !byVariant.has(link.external_variant_id) && isFree(link));
  await links.insertMany(ctx, added);
  const linked: LinkRow[] = [];
  const again = made.flatMap((link) => {
    const before = byVariant.get(link.external_variant_id);
    if (before === undefined) return [];
    const { link_id, version, created_at, base_level, shortfall } = before;
    const own = { link_id, created_at, version: version + 1 };
    if (before.state === 'unlinked' && isFree(link)) {
      linked.push({ ...link, ...own });
      return [{ ...link, ...own }];
    }
    // The same product: what the store says about it was applied.
    const isSame = before.state === 'linked' && before.product_id === link.product_id;
    if (!isSame || before.external_updated_at > link.external_updated_at) return [];
    return [{ ...link, ...own, linked_by: before.linked_by, base_level, shortfall }];
  });
  await links.upsertMany(ctx, again);
  await followLevels(ctx, channel, added, linked);
}

/** Follows the stock of new links. Most of them have no level yet, for which one job asks when the run is followed. */
async function followLevels(
  ctx: Acting,
  channel: ChannelRow,
  added: readonly LinkRow[],
  linkedAgain: readonly LinkRow[],
): Promise<void> {
  const items = added.flatMap(({ inventory_item_id: item }) => item ?? []);
  const known = await levelsOf(ctx, channel.channel_id, items);
  const waiting = new Set<string | null>(known.map(({ inventory_item_id: item }) => item));
  const first = added.filter(({ inventory_item_id: item }) => waiting.has(item));
  if (first.length + linkedAgain.length > 0) await applyWaitingLevels(ctx, channel, ...first, ...linkedAgain);
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

async function followApplied(services: Services, key: ChannelKey, run: ChannelRun, signal: AbortSignal) {
  for await (const { header, rows } of readChannelRows(services, key.seller_id, run)) {
    signal.throwIfAborted();
    await changeChannel(services, key, (ctx, row) => linkRows(ctx, row, header, rows));
  }
  await endWith(services, key, run.run_id, async (ctx, { channel_id }) => {
    await touch(ctx, channel_id, { imported_at: ctx.at() });
    await askForLevels(ctx, channel_id);
  });
}

async function followReverted(services: Services, key: ChannelKey, run: ChannelRun, signal: AbortSignal) {
  for await (const products of revertedProducts(services, key.seller_id, run)) {
    signal.throwIfAborted();
    await changeChannel(services, key, (ctx, { channel_id }) =>
      endLinks(ctx, channel_id, ctx.at(), products),
    );
  }
  await endWith(services, key, run.run_id, (ctx, { channel_id }) =>
    touch(ctx, channel_id, { imported_at: null }),
  );
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
