/**
 * Applies a product of a store: its variants become rows of the store's export, which the import profile maps; a linked
 * product takes the fields that the merge gives it. Source: docs/design/channels.md#products.
 */
import type { Acting, Standing } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { refuseOverdue } from '../../../kernel/standing.ts';
import {
  type FeedRow,
  findStoreProducts,
  holdProducts,
  readStoreRows,
  type StoreMatch,
  type WrittenStoreRow,
  writeStoreRows,
} from '../../products/index.ts';
import { type Choice, chooseProduct } from '../domain/choose-product.ts';
import { contentDigest } from '../domain/content-digest.ts';
import { exportColumns } from '../domain/export-records.ts';
import { isLeftAlone } from '../domain/link-words.ts';
import { firstBase, type MergedRow, mergeRow } from '../domain/merge-row.ts';
import { shownText } from '../domain/read-values.ts';
import type { StoreProduct, StoreVariant } from '../domain/store-product.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { DecidedVariant, Outcome } from '../store/deliveries.ts';
import {
  type LinkRow,
  linkedToOthers,
  linksWithProducts,
  links as linkTable,
  NO_PRODUCT,
  newLink,
} from '../store/links.ts';
import { applyWaitingLevels } from './apply-levels.ts';
import { loseLinks } from './lose-links.ts';
import { changesOf } from './product-changes.ts';
import { type Fault, reportProduct, type VariantResult } from './report-product.ts';
import { standingOf, takesPrices } from './seller-standing.ts';

interface ApplyInput {
  readonly product: StoreProduct;
  /** Links of the product, locked. */
  readonly links: readonly LinkRow[];
  /** Variants for which a member wants a new product. */
  readonly create: ReadonlySet<string>;
}

/** A variant with its row of the export, and what is known of it here. */
interface Variant {
  readonly variant: StoreVariant;
  readonly row: FeedRow;
  readonly link: LinkRow | undefined;
}

type Plan =
  | Choice
  | { readonly kind: 'skip'; readonly outcome: string }
  | { readonly kind: 'fault'; readonly fault: Fault };

/** The rows of the variants. Prices in another currency are left out. */
function rowsOf(product: StoreProduct, currency: string, priced: boolean): FeedRow[] {
  const { header, recordsOf } = exportColumns(priced);
  return readStoreRows(header, recordsOf(product), currency);
}

const faultOf = ({ messages }: Pick<FeedRow, 'messages'>): Fault | undefined => {
  const error = messages.find(({ severity }) => severity === 'error');
  return error && { code: error.code, detail: error.message };
};

/** Why a product may not be put on sale now; undefined: it may. */
function overdueFault(standing: Standing, now: number): Fault | undefined {
  try {
    refuseOverdue(standing, now);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, detail: error.message };
  }
}

interface Deciding {
  readonly channel: ChannelRow;
  readonly create: ReadonlySet<string>;
  readonly overdue: Fault | undefined;
  readonly matchOf: (row: FeedRow) => StoreMatch;
  /** The link of the channel that has a product. Links of variants that the store no longer has are `gone`. */
  readonly holderOf: (productId: string) => LinkRow | undefined;
}

/** The link that had the product: that of the variant itself, or of one that is gone. */
const endedBy = (
  own: LinkRow | undefined,
  productId: string | null,
  holderOf: Deciding['holderOf'],
): LinkRow | undefined =>
  productId === null ? undefined : own?.product_id === productId ? own : holderOf(productId);

function planOf({ variant, row, link }: Variant, deciding: Deciding): Plan {
  const { external_variant_id } = variant;
  const asNew = deciding.create.has(external_variant_id);
  if (link?.state === 'ignored') return { kind: 'skip', outcome: 'ignored' };
  const fault = faultOf(row);
  if (fault?.code === 'gift_card') return { kind: 'skip', outcome: fault.code };
  if (fault !== undefined) return { kind: 'fault', fault };
  if (link !== undefined && link.product_id !== null && link.state !== 'unlinked')
    return {
      kind: 'product',
      product_id: link.product_id,
      by: link.linked_by ?? 'identity',
      matched_by: 'link',
    };
  if (link !== undefined && isLeftAlone(link) && !asNew) return { kind: 'skip', outcome: 'unlinked' };
  const match = deciding.matchOf(row);
  const holder = match.product_id === null ? undefined : deciding.holderOf(match.product_id);
  const { create_products: creates } = deciding.channel;
  const choice = chooseProduct({ external_variant_id, match, holder, creates, asNew });
  if (choice.kind === 'create' && deciding.overdue !== undefined)
    return { kind: 'fault', fault: deciding.overdue };
  return choice;
}

/** Two variants cannot be one product: the one that has the link keeps it, otherwise the first gets it. */
function plansOf(variants: readonly Variant[], deciding: Deciding): Planned[] {
  const planned = variants.map((one): Planned => ({ ...one, plan: planOf(one, deciding) }));
  const taken = new Set<string>();
  const isLink = ({ plan }: Planned): boolean => plan.kind === 'product' && plan.matched_by === 'link';
  for (const one of [...planned.filter(isLink), ...planned.filter((other) => !isLink(other))]) {
    const { plan } = one;
    if (plan.kind !== 'product') continue;
    const { product_id } = plan;
    if (taken.has(product_id))
      one.plan = { kind: 'conflict', candidates: [{ product_id, seller_sku: null, reason: 'product_id' }] };
    taken.add(product_id);
  }
  return planned;
}

interface Planned extends Variant {
  plan: Plan;
  /** The row of an existing product, once it was merged. */
  merged?: MergedRow;
}

/** Merges and writes the products of the plans. @returns one result for each plan that has a product or makes one */
async function write(
  ctx: Acting,
  planned: readonly Planned[],
  { channel, overdue, matchOf, holderOf }: Deciding,
  standing: Standing,
): Promise<Map<Planned, WrittenStoreRow>> {
  const writing = planned.filter(({ plan: { kind } }) => kind === 'product' || kind === 'create');
  const written = await writeStoreRows(
    ctx,
    writing.map((one) => {
      const product_id = one.plan.kind === 'product' ? one.plan.product_id : null;
      const { key_holder } = matchOf(one.row);
      const keyTaken = key_holder !== null && key_holder !== product_id;
      return {
        product_id,
        rowFor: (product) => {
          const { external_key: _, ...keyless } = one.row.patch ?? {};
          if (product === null) return keyTaken ? { ...one.row, patch: keyless } : one.row;
          // A variant that was made again in the store goes on where the one that is gone ended.
          const base = endedBy(one.link, product.product_id, holderOf)?.base ?? {};
          const how = { base, rules: channel.rules, keyTaken, overdue: overdue !== undefined };
          one.merged = mergeRow(product, one.row, how);
          return one.merged.row;
        },
      };
    }),
    standing,
  );
  return new Map(writing.map((one, index) => [one, written[index] as WrittenStoreRow]));
}

/** The link of a variant after it was applied. */
function linkAfter(
  ctx: Acting,
  { channel_id }: ChannelRow,
  product: StoreProduct,
  { variant, link, plan, merged, row }: Planned,
  written: WrittenStoreRow | undefined,
  content_sha256: string,
): LinkRow {
  const { external_product_id, updated_at: external_updated_at } = product;
  const { external_variant_id } = variant;
  const before =
    link ?? newLink(ctx, channel_id, { external_product_id, external_variant_id, external_updated_at });
  const after = written?.after ?? null;
  const isLinked = after !== null && (plan.kind === 'product' || plan.kind === 'create');
  const isApplied = written === undefined || written.plan.outcome !== 'rejected';
  const byPlan = plan.kind === 'product' ? plan.by : 'identity';
  const base = !isApplied
    ? before.base
    : merged !== undefined
      ? merged.base
      : after !== null
        ? firstBase(row, after)
        : before.base;
  return {
    ...before,
    inventory_item_id: variant.inventory_item_id ?? before.inventory_item_id,
    external_sku: variant.sku && shownText(variant.sku),
    title: shownText(titleOf(product, variant)),
    external_updated_at,
    content_sha256,
    ...(isLinked && { product_id: after.product_id, state: 'linked', linked_by: byPlan, base }),
    // Found again in the store, but without a product.
    ...(!isLinked &&
      before.state === 'gone' &&
      plan.kind !== 'fault' && { state: 'unlinked', product_id: null, linked_by: null }),
  };
}

const titleOf = ({ title }: StoreProduct, { title: variant }: StoreVariant): string =>
  /^default title$/i.test(variant) || variant === '' ? title : `${title} / ${variant}`;

const VISIBLE = ['product_id', 'state', 'linked_by', 'external_sku', 'title', 'inventory_item_id'] as const;

/** The next version of a link, if a reader sees a difference. */
function versioned(ctx: Acting, before: LinkRow | undefined, after: LinkRow): LinkRow {
  if (before === undefined) return after;
  const same =
    VISIBLE.every((name) => before[name] === after[name]) &&
    JSON.stringify(before.base) === JSON.stringify(after.base);
  return same ? after : { ...after, version: before.version + 1, updated_at: ctx.at() };
}

/** Writes the links. A link that is gone gives its product to the variant that has it now. */
export async function saveLinks(
  ctx: Acting,
  rows: readonly LinkRow[],
  holders: readonly LinkRow[],
): Promise<void> {
  const owner = new Map(
    rows.flatMap((row) => (row.product_id === null ? [] : [[row.product_id, row.link_id]])),
  );
  const released = holders.filter(
    ({ product_id, link_id, state }) =>
      product_id !== null && state === 'gone' && owner.has(product_id) && owner.get(product_id) !== link_id,
  );
  const updated_at = ctx.at();
  await linkTable.upsertMany(
    ctx,
    released.map((row) => ({ ...row, product_id: null, version: row.version + 1, updated_at })),
  );
  await linkTable.upsertMany(ctx, rows);
}

/** Whether a link was linked to its product and its item before. */
const isSameLink = (before: LinkRow | undefined, after: LinkRow): boolean =>
  before?.state === 'linked' &&
  before.product_id === after.product_id &&
  before.inventory_item_id === after.inventory_item_id;

/** Begins to follow the stock of the variants that were linked now. */
async function followStock(
  ctx: Acting,
  channel: ChannelRow,
  results: readonly VariantResult[],
  holderOf: Deciding['holderOf'],
): Promise<void> {
  const linked = results.filter(
    ({ before, after }) => after.state === 'linked' && !isSameLink(before, after),
  );
  const ended = linked.flatMap(({ before, after }) => {
    const one = endedBy(before, after.product_id, holderOf);
    return one === undefined ? [] : [[after.link_id, one] as const];
  });
  const links = linked.map(({ after }) => after);
  if (links.length > 0) await applyWaitingLevels(ctx, channel, links, new Map(ended));
}

/**
 * Locks all products that a delivery may change at once, in the order in which every writer locks them.
 *
 * @returns the links; one whose product was deleted, by the revert of an import, has none
 */
async function holdLinked(
  ctx: Acting,
  links: readonly LinkRow[],
  matched: readonly string[],
): Promise<readonly LinkRow[]> {
  const ids = [...links.flatMap(({ product_id }) => product_id ?? []), ...matched];
  const held = new Set(await holdProducts(ctx, { ids: [...new Set(ids)], skus: [] }));
  if (matched.some((id) => !held.has(id)))
    throw new Error('a product was deleted while the delivery was decided');
  return links.map((link) =>
    link.product_id === null || held.has(link.product_id)
      ? link
      : {
          ...{ ...link, ...NO_PRODUCT, state: link.state === 'linked' ? 'unlinked' : link.state },
          ...{ version: link.version + 1, updated_at: ctx.at() },
        },
  );
}

/** Applies a product, all variants of which are known or stay as they are. */
export async function applyProduct(
  ctx: Acting,
  channel: ChannelRow,
  { product, links: stored, create }: ApplyInput,
): Promise<Outcome> {
  const standing = await standingOf(ctx);
  if (standing === undefined) throw new Error('the seller of a channel does not exist');
  const priced = await takesPrices(ctx, channel);
  const rows = rowsOf(product, standing.currency, priced);
  const matchOf = await findStoreProducts(ctx, rows, (ids) =>
    linkedToOthers(ctx, channel.channel_id, product.external_product_id, ids),
  );
  const matched = [...new Set(rows.flatMap((row) => matchOf(row).product_id ?? []))];
  const known = await linksWithProducts(ctx, channel.channel_id, matched);
  const links = await holdLinked(ctx, stored, matched);
  const byVariant = new Map(links.map((link) => [link.external_variant_id, link]));
  const variants = product.variants.flatMap((variant, index): Variant[] => {
    const row = rows[index];
    return row === undefined ? [] : [{ variant, row, link: byVariant.get(variant.external_variant_id) }];
  });
  const stated = new Set(product.variants.map(({ external_variant_id: id }) => id));
  const lost = links.filter(({ state, external_variant_id: id }) => state !== 'gone' && !stated.has(id));
  const isLost = ({ link_id }: LinkRow): boolean => lost.some((link) => link.link_id === link_id);
  const holders = known.map((holder): LinkRow => (isLost(holder) ? { ...holder, state: 'gone' } : holder));
  const overdue = overdueFault(standing, ctx.now());
  const holderOf = (id: string) => holders.find(({ product_id }) => product_id === id);
  const deciding: Deciding = { channel, create, overdue, matchOf, holderOf };
  const planned = plansOf(variants, deciding);
  const written = await write(ctx, planned, deciding, standing);
  const digest = contentDigest(product, priced);
  const results = planned.map((one): VariantResult => {
    const result = written.get(one);
    const rejected = result?.plan.outcome === 'rejected' ? faultOf(result.plan) : undefined;
    const heldBack = one.merged?.heldBack === true ? overdue : undefined;
    const fault = one.plan.kind === 'fault' ? one.plan.fault : (rejected ?? heldBack);
    const complete = fault === undefined && one.plan.kind !== 'conflict';
    // What could not be applied differs again in the nightly sweep.
    const after = linkAfter(ctx, channel, product, one, result, complete ? digest : '');
    return { ...one, result, fault, before: one.link, after: versioned(ctx, one.link, after) };
  });
  const kept = results.filter(({ plan, before }) => before !== undefined || plan.kind !== 'skip');
  const after = kept.map((one) => one.after);
  const taken = new Set(after.flatMap(({ product_id }) => product_id ?? []));
  const lostChanges = await loseLinks(
    ctx,
    channel,
    lost.map((link) => (taken.has(link.product_id ?? '') ? { ...link, product_id: null } : link)),
  );
  await saveLinks(
    ctx,
    after,
    holders.filter((holder) => !isLost(holder)),
  );
  await followStock(ctx, channel, kept, holderOf);
  const report = await reportProduct(ctx, channel, product, { results, priced });
  const changes = [...[...written.values()].flatMap(changesOf), ...lostChanges];
  return outcomeOf({ ...report, changes }, results);
}

const VARIANTS_SHOWN = 100;

function decidedVariant({ variant, plan, result, after }: VariantResult): DecidedVariant {
  return {
    external_variant_id: variant.external_variant_id,
    product_id: after.product_id,
    outcome: plan.kind === 'skip' ? plan.outcome : (result?.plan.outcome ?? plan.kind),
    matched_by: plan.kind === 'product' ? plan.matched_by : null,
  };
}

function outcomeOf(
  { changes, messages, issue_id }: Required<Pick<Outcome, 'changes' | 'messages' | 'issue_id'>>,
  results: readonly VariantResult[],
): Outcome {
  const decision = { variants: results.slice(0, VARIANTS_SHOWN).map(decidedVariant) };
  const linked = results.some(
    ({ before, after }) => before?.product_id !== after.product_id && after.product_id,
  );
  const status = issue_id !== null ? 'needs_action' : changes.length > 0 || linked ? 'applied' : 'no_effect';
  const skipped = results.every(({ plan }) => plan.kind === 'skip' || plan.kind === 'leave');
  return {
    ...{ status, decision, changes, messages, issue_id },
    ...(status === 'no_effect' && skipped && { reason: 'variants_unlinked' }),
  };
}
