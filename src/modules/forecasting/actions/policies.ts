import type { Acting } from '../../../kernel/context.ts';
import { readTrading } from '../../sellers/index.ts';
import { type PolicyValues, resolvePolicy } from '../domain/policy.ts';
import { ALL_PRODUCTS, type PolicyRow, policies, type Sellable } from '../store.ts';

type At = Pick<Acting, 'db' | 'seller_id'>;

/** The policy of a product, or without one that of all products, with the source of each value. */
export async function readPolicy(ctx: At, product: Sellable | undefined) {
  const [ofAll, ofProduct, { default_lead_time_days }] = await Promise.all([
    policies.find(ctx, { product_id: ALL_PRODUCTS }),
    product && policies.find(ctx, product),
    readTrading(ctx),
  ]);
  const resolved = resolvePolicy({
    ...{ ofAll, ofProduct, settings: default_lead_time_days },
    product: product?.lead_time_days,
  });
  const version = (product === undefined ? ofAll : ofProduct)?.version ?? 0;
  return { product_id: product?.product_id ?? null, ...resolved.values, source: resolved.source, version };
}

const NOT_SET: Omit<PolicyRow, 'product_id'> = {
  ...{ lead_time_days: null, review_days: null, service_level_bps: null, pack_size: null },
  ...{ incoming_units: null, version: 0 },
};

/** Sets the named fields. @param check refuses a version */
export async function setPolicy(
  ctx: At,
  product_id: string,
  change: Partial<PolicyValues>,
  check: (version: number) => void,
): Promise<void> {
  // The first write has a row to lock, too: another one waits for it here.
  await policies.insert(ctx, { product_id, ...NOT_SET });
  const before = (await policies.find(ctx, { product_id }, 'for update')) ?? { product_id, ...NOT_SET };
  check(before.version);
  await policies.upsertMany(ctx, [{ ...before, ...change, version: before.version + 1 }]);
}
