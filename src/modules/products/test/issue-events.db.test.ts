/** `product.issue_raised` and `product.issue_resolved` of drafts. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp();

test('a draft that loses its title raises an issue; the title resolves it', async () => {
  const seller = await app.seller();
  const { product_id: id } = await create(seller, { status: 'draft' });
  const patch = async (json: object) => {
    const answer = await seller.call<{ issues: object[] }>('PATCH', `/products/${id}`, { json });
    expect(answer.status).toBe(200);
    return answer.body.issues;
  };
  expect(await patch({ title: null })).toMatchObject([{ code: 'required_missing', attribute: 'title' }]);
  expect(await patch({ title: null, description: 'The same issue again' })).toHaveLength(1);
  expect(await patch({ title: 'Mug' })).toEqual([]);
  expect(await eventTypesOf(app, seller, id)).toEqual([
    'product.created',
    'product.updated',
    'product.issue_raised',
    'product.updated',
    'product.updated',
    'product.issue_resolved',
  ]);
});
