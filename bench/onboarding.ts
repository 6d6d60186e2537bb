/**
 * The onboarding of sellers with 500,000 products; the limit is that of sellers with 1,000. The facts about products are
 * those that take a search: none is active, or none of the active ones is visible.
 */
import pg from 'pg';
import { measureFlat } from './lab/flat.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading } from './lab/statistics.ts';

/** Like a person who follows the steps, so that the times are those of the read. */
const CONNECTIONS = 2;
const FILL = `
  insert into product (seller_id, product_id, seller_sku, title, brand, currency, status, price_minor, identity_strategy,
    curation_state, source_origin, search_text, version, created_at, updated_at)
  select $1, 'prd_' || lpad(n::text, 26, '0'), 'SKU-' || n, 'Stoneware mug number ' || n, 'Harbour Clay', 'AUD', $3, 2499,
         'exempt', 'pending', 'api', 'mug', 1, now(), now()
    from generate_series(1, $2::int) n`;

const KINDS = [
  { name: 'no product is active', status: 'inactive' },
  { name: 'no active product is visible', status: 'active' },
];

export async function benchOnboarding(
  service: Service,
  { quick }: { readonly quick: boolean },
): Promise<void> {
  heading('Onboarding (limit: the same of 1,000 products; aim of a read: 12 ms)');
  const sizes = [1_000, quick ? 100_000 : 500_000] as const;
  const kinds: { readonly name: string; readonly sellers: readonly Seller[] }[] = [];
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    for (const { name, status } of KINDS) {
      const sellers = await makeSellers(service, sizes.length);
      for (const [index, size] of sizes.entries())
        await client.query(FILL, [sellers[index]?.seller_id, size, status]);
      kinds.push({ name, sellers });
    }
  } finally {
    await client.end();
  }
  await settle(service);
  for (const { name, sellers } of kinds) {
    await signIn(service, sellers);
    const reads = [{ name, path: () => '/onboarding' }];
    await measureFlat(service, reads, { sellers, sizes, connections: CONNECTIONS, rounds: quick ? 3 : 7 });
  }
}
