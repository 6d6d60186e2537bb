/** Statements of jobs over all links of a store, of which there may be a million. */
import { expect, test } from 'vitest';
import { startStores } from '../../../../test/support/store-platform.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Statement } from '../../../kernel/context.ts';
import { levelsOf } from '../store/levels.ts';
import { linksBehind, lockLinksOf, unaskedLinks } from '../store/link-stock.ts';

const stores = await startStores();
const LINKS = 20_000;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

test('each batch of a job reads its rows by an index, also when most links are done', {
  timeout: 900_000,
}, async () => {
  const { seller, channel_id } = await storeWith(stores);
  const { seller_id } = seller;
  const asked: Statement<unknown>[] = [];
  const at = {
    seller_id,
    db: {
      all: async <Row>(statement: Statement<Row>) => {
        asked.push(statement);
        return [];
      },
      one: () => Promise.reject(new Error('not asked')),
      run: () => Promise.reject(new Error('not asked')),
      later: () => expect.fail('not asked'),
    },
  };
  const half = String(LINKS / 2).padStart(8, '0');
  await linksBehind(at, channel_id, 2, { no: 1, link_id: `lnk_${half}` }, 50);
  await unaskedLinks(at, channel_id, 3, { no: 2, link_id: `lnk_${half}` }, 50);
  const items = Array.from({ length: 50 }, (_, index) => `item-${index}`);
  await lockLinksOf(at, channel_id, items);
  await levelsOf(at, channel_id, items);
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query(
      `insert into channel_link (seller_id, channel_id, link_id, external_product_id, external_variant_id,
              inventory_item_id, title, product_id, state, linked_by, base, base_level, shortfall, counted,
              counted_by, asked_in, external_updated_at, content_sha256, version, created_at, updated_at)
       select $1, $2, 'lnk_' || lpad(n::text, 8, '0'), 'p' || n, 'v' || n, 'item-' || n, 'Mug', 'prd_' || n, 'linked',
              'import', '{}', 1, 0, true, 1, 2, now(), '', 1, now(), now()
         from generate_series(1, $3::int) n`,
      [seller_id, channel_id, LINKS],
    );
    await client.query(
      `insert into channel_level (seller_id, channel_id, inventory_item_id, location_id, available, updated_at, active)
       select $1, $2, 'item-' || n, '1', 1, now(), true
         from generate_series(1, $3::int) n`,
      [seller_id, channel_id, LINKS],
    );
    // The first half is done, and its old entries are not cleaned up yet.
    await client.query(
      'update channel_link set counted_by = 2, asked_in = 3 where channel_id = $1 and link_id <= $2',
      [channel_id, `lnk_${half}`],
    );
    await client.query('analyze channel_link, channel_level');
    const seen: string[] = [];
    for (const { text, values } of asked) {
      const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        [...values],
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      const nodes = (one: Plan | undefined): Plan[] =>
        one === undefined ? [] : [one, ...(one.Plans ?? []).flatMap(nodes)];
      const blocks = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
      seen.push(
        nodes(plan)
          .flatMap((one) => one['Index Name'] ?? [])
          .join(),
      );
      expect(nodes(plan).map((one) => one['Node Type'])).not.toContain('Seq Scan');
      expect(blocks).toBeLessThan(500);
    }
    expect(seen).toEqual([
      'channel_link_behind',
      'channel_link_unasked',
      'channel_link_seller_id_channel_id_inventory_item_id_key',
      'channel_level_pkey',
    ]);
  });
});
