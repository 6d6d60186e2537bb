/** What a member says about a variant: which product it is, or that nothing is to be applied. */
import type { Acting } from '../../../kernel/context.ts';
import { fail, missing } from '../../../kernel/errors.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { findApplyingRun, productsById } from '../../products/index.ts';
import type { ProductBody } from '../domain/product-body.ts';
import { channelErrors } from '../errors.ts';
import { type ChannelRow, touch } from '../store/channels.ts';
import { type LinkRow, links, linksWithProducts, NO_PRODUCT } from '../store/links.ts';
import { addDeliveries } from '../store/swept-deliveries.ts';
import { applyWaitingLevels } from './apply-levels.ts';
import { resolveIssue } from './issues.ts';
import { variantIssues } from './product-issues.ts';

export const ASK_PRODUCT_JOB = 'channels.ask_product';

/**
 * Lets the worker ask the store for a product and decide about it again. A seller's scope cannot add to the work of the
 * receiver, so a job does.
 */
export const askAgain = (
  ctx: Acting,
  { channel_id }: Pick<ChannelRow, 'channel_id'>,
  external_product_id: string,
  { create = [] }: Pick<ProductBody, 'create'> = {},
): Promise<void> =>
  ctx.jobs.add({
    kind: ASK_PRODUCT_JOB,
    payload: { channel_id, external_product_id, create },
    dueAt: ctx.now(),
  });

/** Adds a delivery without a product: its worker asks the store. */
export function lookAt(
  ctx: Acting,
  channel: ChannelRow,
  externalProductId: string,
  body: ProductBody,
): Promise<void> {
  const object_key = `product:${externalProductId}`;
  return addDeliveries(ctx, channel, [{ topic: 'products/update', object_key, changed_at: null, body }]);
}

async function resolveAll(ctx: Acting, link: LinkRow, resolution: string): Promise<void> {
  for (const key of variantIssues(link)) await resolveIssue(ctx, key, resolution);
}

/**
 * Lets previews of imports be stale. An import that is applied names the products that its variants were, so no link
 * changes meanwhile.
 *
 * @throws ApiError 409 `import_running`
 */
async function noteChange(ctx: Acting, { channel_id }: ChannelRow): Promise<void> {
  const run_id = await findApplyingRun(ctx, channel_id);
  if (run_id !== undefined) throw fail(channelErrors.import_running, { facts: { run_id } });
  await touch(ctx, channel_id, { links_changed_at: ctx.at() });
}

/**
 * Links a variant to a product. Its content is merged by the worker, with an unknown base.
 *
 * @param channel its row is locked
 * @throws ApiError 404 for an unknown product, 409 `product_already_linked`, `link_gone`, `import_running`
 */
export async function linkTo(
  ctx: Acting,
  channel: ChannelRow,
  before: LinkRow,
  product_id: string,
): Promise<LinkRow> {
  if (before.state === 'gone') throw fail(channelErrors.link_gone);
  if (before.state === 'linked' && before.product_id === product_id) return before;
  await noteChange(ctx, channel);
  const [product] = await productsById(ctx, [product_id]);
  if (product === undefined) throw missing(`product ${product_id}`);
  const others = (await linksWithProducts(ctx, channel.channel_id, [product_id])).filter(
    ({ link_id }) => link_id !== before.link_id,
  );
  const holder = others.find(({ state }) => state !== 'gone');
  if (holder !== undefined)
    throw fail(channelErrors.product_already_linked, { facts: { link_id: holder.link_id } });
  for (const other of others) await writeVersion(links, ctx, other, { product_id: null });
  const after = await writeVersion(links, ctx, before, {
    ...{ product_id, state: 'linked', linked_by: 'member', base: {}, content_sha256: '' },
  });
  await resolveAll(ctx, after, 'linked');
  await applyWaitingLevels(ctx, channel, [after]);
  await askAgain(ctx, channel, before.external_product_id);
  return after;
}

/**
 * A variant that a member has unlinked waits for a member; one that was ignored is found by the rules again.
 *
 * @throws ApiError 409 `link_gone`, `import_running`
 */
export async function setLinkState(
  ctx: Acting,
  channel: ChannelRow,
  before: LinkRow,
  state: 'ignored' | 'unlinked',
): Promise<LinkRow> {
  if (before.state === 'gone') throw fail(channelErrors.link_gone);
  if (before.state === state) return before;
  await noteChange(ctx, channel);
  const byRules = before.state === 'ignored';
  const after = await writeVersion(links, ctx, before, {
    ...{ ...NO_PRODUCT, state, content_sha256: '', linked_by: byRules ? null : 'member' },
  });
  await resolveAll(ctx, after, state);
  if (byRules) await askAgain(ctx, channel, before.external_product_id);
  return after;
}
