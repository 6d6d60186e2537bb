/** Readiness and performance, for tests. */
import type { TestApp, TestSeller } from './app.ts';
import { apply, orderEvent } from './orders.ts';
import { create } from './products.ts';

/** The product of the golden figures (docs/design/quality.md). */
export const GOLDEN = {
  title: 'Blue stoneware mug, 350 ml',
  description: 'A mug that is thrown by hand, glazed in blue and fired twice, for tea, coffee and soup, ok!',
  category: 'Home > Kitchen > Mugs',
  identity: { strategy: 'exempt', reason: 'handmade' },
  images: [{ url: 'https://shop.example/mug.jpg' }],
  attributes: { colour: 'blue' },
};

/** The marketplace decides about the present version of a product. */
export const curate = (app: TestApp, seller: TestSeller, product_id: string, data: object) =>
  apply(app, orderEvent(app, seller, 'product.curation_decided', product_id, data));

/** An approved product of the golden figures. */
export async function listed(app: TestApp, seller: TestSeller, more: Record<string, unknown> = {}) {
  const { product_id } = await create(seller, { ...GOLDEN, ...more });
  await curate(app, seller, product_id, { decision: 'approved', reviewed_version: 1 });
  return product_id;
}
