import type { Acting } from '../../../kernel/context.ts';
import { productsById } from '../../products/index.ts';
import type { LinkRow } from '../store/links.ts';

/** A revert deletes products before a job ends their links. Until then such a link has no product, and makes none again. */
export async function withoutDeleted(ctx: Acting, links: readonly LinkRow[]): Promise<readonly LinkRow[]> {
  const ids = links.flatMap(({ product_id }) => product_id ?? []);
  if (ids.length === 0) return links;
  const found = new Set((await productsById(ctx, ids)).map(({ product_id }) => product_id));
  return links.map((link) =>
    link.product_id === null || found.has(link.product_id)
      ? link
      : {
          ...link,
          ...{ product_id: null, linked_by: null, base: {}, base_level: null, shortfall: 0n },
          state: link.state === 'linked' ? 'unlinked' : link.state,
          ...{ version: link.version + 1, updated_at: ctx.at() },
        },
  );
}
