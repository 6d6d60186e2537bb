import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import type { Run } from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

interface Template {
  readonly name: string;
  readonly path: string;
  readonly content_type: string;
  readonly content: string;
}

test('every template of the feed contract is accepted as it is served, without a warning', async () => {
  const seller = await app.seller();
  const contract = await seller.call<{ templates: Template[] }>('GET', '/products/feed-contract');
  const runs: unknown[] = [];
  for (const { name, path, content_type, content } of contract.body.templates) {
    const { status, body } = await seller.call<Run>('POST', path.replace('/api/v1', ''), {
      headers: { 'content-type': content_type, 'idempotency-key': `template-${name}` },
      body: content,
    });
    const { created, updated, rejected, warnings } = body.counts;
    runs.push([name, status, body.status, { created, updated, rejected, warnings }]);
  }
  expect(runs).toEqual([
    ['products.csv', 201, 'succeeded', { created: 1, updated: 0, rejected: 0, warnings: 0 }],
    ['inventory.csv', 201, 'succeeded', { created: 0, updated: 1, rejected: 0, warnings: 0 }],
  ]);
});
