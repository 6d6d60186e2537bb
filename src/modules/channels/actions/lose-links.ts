/** The store no longer has variants: their products are taken off sale, unless another store feeds them. */
import type { Acting } from '../../../kernel/context.ts';
import { type FeedRow, holdProducts, writeStoreRows } from '../../products/index.ts';
import type { FieldTexts } from '../domain/link-words.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { Change } from '../store/deliveries.ts';
import { fedElsewhere, type LinkRow, links } from '../store/links.ts';
import { resolveOpen } from './issues.ts';
import { changesOf, rowOf } from './product-changes.ts';
import { variantIssues } from './product-issues.ts';
import { standingOf } from './seller-standing.ts';

/** A row that takes its product off sale. */
const DEACTIVATE: FeedRow = { ...rowOf({}), role: 'deactivate' };

/**
 * Takes the products of links off sale.
 *
 * @returns what changed, and the products that were taken off sale
 */
export async function deactivateProducts(
  ctx: Acting,
  channel: ChannelRow,
  rows: readonly LinkRow[],
): Promise<{ readonly changes: Change[]; readonly deactivated: ReadonlySet<string> }> {
  const ids = rows.flatMap(({ state, product_id }) => (state === 'linked' ? (product_id ?? []) : []));
  const standing = await standingOf(ctx);
  if (standing === undefined || ids.length === 0) return { changes: [], deactivated: new Set() };
  // Two stores may lose a product at once: the second one sees what the first did.
  await holdProducts(ctx, { ids, skus: [] });
  const fed = await fedElsewhere(ctx, channel.channel_id, ids);
  const written = await writeStoreRows(
    ctx,
    ids.filter((id) => !fed.has(id)).map((product_id) => ({ product_id, rowFor: () => DEACTIVATE })),
    standing,
  );
  const deactivated = written.flatMap(({ plan, after }) =>
    plan.outcome === 'deactivated' && after !== null ? [after.product_id] : [],
  );
  return { changes: written.flatMap(changesOf), deactivated: new Set(deactivated) };
}

/** The base of a product that the service took off sale: the store’s own status wakes it again. */
export const offSale = ({ base, product_id }: LinkRow, deactivated: ReadonlySet<string>): FieldTexts =>
  product_id !== null && deactivated.has(product_id) ? { ...base, status: 'inactive' } : base;

/** @returns what changed here */
export async function loseLinks(
  ctx: Acting,
  channel: ChannelRow,
  lost: readonly LinkRow[],
): Promise<Change[]> {
  const { changes, deactivated } = await deactivateProducts(ctx, channel, lost);
  const updated_at = ctx.at();
  await links.upsertMany(
    ctx,
    lost.map((row) => ({
      ...row,
      base: offSale(row, deactivated),
      state: 'gone' as const,
      version: row.version + 1,
      updated_at,
    })),
  );
  await resolveOpen(ctx, channel.channel_id, lost.flatMap(variantIssues), 'gone_in_store');
  return changes;
}
