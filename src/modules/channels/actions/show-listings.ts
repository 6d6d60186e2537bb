import type { Acting } from '../../../kernel/context.ts';
import { productsById } from '../../products/index.ts';
import { marketplaceState, storeListing } from '../domain/listing-state.ts';
import { waitingTexts } from '../schemas/link.ts';
import { MARKETPLACE_ID } from '../schemas/listed-channel.ts';
import type { WireListings } from '../schemas/listing.ts';
import { listingWaiting } from '../schemas/listing-waiting.ts';
import { allChannels } from '../store/channels.ts';
import { openConflicts } from '../store/issues.ts';
import { linksOfListed } from '../store/listings.ts';

/** Products with their listings, with a fixed number of queries. @param only the listings of this channel */
export async function showListings(
  ctx: Acting,
  ids: readonly string[],
  only: string | undefined,
): Promise<WireListings[]> {
  const products = new Map((await productsById(ctx, ids)).map((product) => [product.product_id, product]));
  const channels = (await allChannels(ctx)).filter(({ channel_id: id }) => only === undefined || id === only);
  const links = Map.groupBy(await linksOfListed(ctx, ids), ({ product_id }) => product_id ?? '');
  const keys = [...links.values()].flat().map(({ external_variant_id: id }) => `variant:${id}`);
  const conflicts = await openConflicts(ctx, undefined, keys);
  return ids.flatMap((product_id): WireListings[] => {
    const product = products.get(product_id);
    if (product === undefined) return [];
    const own = links.get(product_id) ?? [];
    const stores = channels.flatMap(({ channel_id, status, inbound }) => {
      const link = own.find((one) => one.channel_id === channel_id);
      if (status === 'ended' && link === undefined) return [];
      const issue = conflicts.find(
        (one) => one.channel_id === channel_id && one.external_key === `variant:${link?.external_variant_id}`,
      );
      const waiting = issue && waitingTexts(issue);
      const of = { ended: status === 'ended', paused: inbound === 'paused', link, waiting };
      const { state, fields } = storeListing(product, of);
      const place = { ...product, issue_id: issue?.issue_id };
      return [{ channel_id, state, fields: [...fields], ...listingWaiting(state, place) }];
    });
    const { seller_sku, title } = product;
    const state = marketplaceState(product);
    const waits = listingWaiting(state, { ...product, issue_id: undefined });
    const here = { channel_id: MARKETPLACE_ID, state, fields: [], ...waits };
    const marketplace = only === undefined || only === MARKETPLACE_ID ? [here] : [];
    return [{ product_id, seller_sku, title, listings: [...marketplace, ...stores] }];
  });
}
