/** What the tests of the catalogue share. */
import type { TestSeller } from './app.ts';

export interface Body {
  readonly product_id: string;
  readonly [key: string]: unknown;
}

let serial = 0;

/** A body that creates an active product with an identity of its own. */
export function mug(more: Record<string, unknown> = {}): Record<string, unknown> {
  serial += 1;
  return {
    seller_sku: `MUG-${serial}`,
    title: `Mug number ${serial}`,
    identity: { strategy: 'exempt', reason: 'handmade' },
    price_minor: 2499,
    ...more,
  };
}

/** Creates a product and returns it; throws with the answer when that fails. */
export async function create(
  seller: Pick<TestSeller, 'call'>,
  more: Record<string, unknown> = {},
): Promise<Body> {
  const answer = await seller.call<Body>('POST', '/products', { json: mug(more) });
  if (answer.status !== 201) throw new Error(`create: ${answer.status} ${answer.text}`);
  return answer.body;
}
