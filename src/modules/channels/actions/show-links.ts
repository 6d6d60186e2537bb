import type { Acting } from '../../../kernel/context.ts';
import { productsById } from '../../products/index.ts';
import { linkView, type WireLink } from '../schemas/link.ts';
import type { ChannelRow } from '../store/channels.ts';
import { openConflicts } from '../store/issues.ts';
import type { LinkRow } from '../store/links.ts';
import { showLinkStock } from './show-link-stock.ts';

/** Links of one channel as the API shows them, with a fixed number of queries. */
export async function showLinks(
  ctx: Acting,
  channel: ChannelRow,
  rows: readonly LinkRow[],
): Promise<WireLink[]> {
  const ids = rows.flatMap(({ product_id }) => product_id ?? []);
  const products = new Map((await productsById(ctx, ids)).map((product) => [product.product_id, product]));
  const issues = new Map(
    (
      await openConflicts(
        ctx,
        channel.channel_id,
        rows.map(({ external_variant_id: id }) => `variant:${id}`),
      )
    ).map((issue) => [issue.external_key, issue]),
  );
  const stock = await showLinkStock(ctx, channel, rows);
  return rows.flatMap((row) => {
    const counted = stock.get(row.link_id);
    const product = row.product_id === null ? undefined : products.get(row.product_id);
    const issue = issues.get(`variant:${row.external_variant_id}`);
    return counted === undefined ? [] : [linkView(row, channel.rules, product, issue, counted)];
  });
}
