import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import { type FeedFailure, feed, goodsFile, type Run } from '../../../../../test/support/feeds.ts';

const ROOM_BYTES = 200_000;
const app = await startTestApp({ MAX_SPOOL_BYTES: String(ROOM_BYTES), LOG_LEVEL: 'silent' });

test('503 for an upload without disk space; its key is free and its space is released', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const key = crypto.randomUUID();
  for (let tried = 0; tried < 3; tried += 1) {
    const refused = await feed<FeedFailure>(seller, 'x'.repeat(ROOM_BYTES + 1), { key });
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { error: 'feed_no_room', retryable: true, row_results: [] },
    ]);
    expect(refused.headers.get('retry-after')).toBe('5');
  }
  const file = goodsFile(1_500, 'S');
  expect(file.length).toBeGreaterThan(ROOM_BYTES / 4);
  const again = await feed<Run>(seller, file, { key });
  expect(again.status).toBe(201);
  // Together they need more space than there is, so each must release its space.
  for (let fed = 0; fed < 5; fed += 1) expect((await feed<Run>(seller, file)).status).toBe(201);
});
