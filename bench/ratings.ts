/**
 * The summary of ratings and the wallet of points of a seller with 1,000 and one with 1,000,000 of each, over the same
 * three years. The limit is the read of the few. Set statements write the rows with their sums by day, as the triggers
 * would; `src/modules/reviews/test/day-sums.db.test.ts` and the tests of loyalty prove these.
 */
import pg from 'pg';
import { measureFlat } from './lab/flat.ts';
import type { BenchOptions } from './lab/options.ts';
import { makeSellers, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading } from './lab/statistics.ts';

const CONNECTIONS = 16;
const DAYS = 1_095;
const PRODUCTS = 500;
/** Each member has earned ten times. */
const JOURNALS_EACH = 10;
const FIRST_DAY = '2023-01-01';

/** $1 is the seller, $2 the number of ratings and of journals. */
const FILL = [
  `insert into rating (seller_id, rating_id, external_review_id, scope, product_id, order_id, stars, posted_stars,
     posted_at, posted_on, status, revisions, revision, digest, version, created_at, updated_at)
   select $1, 'rev_' || lpad(n::text, 26, '0'), 'r' || n, case when n % 2 = 0 then 'product' else 'seller' end,
          case when n % 2 = 0 then 'prd_' || lpad((n % ${PRODUCTS})::text, 26, '0') end,
          case when n % 2 = 1 then 'ord_' || n end, 1 + n % 5, 1 + n % 5,
          d.day, d.day, 'counted', '[]', 0, '', 1, d.day, d.day
     from generate_series(1, $2::int) n
    cross join lateral (select '${FIRST_DAY}'::date + n % ${DAYS} as day) d`,
  `insert into rating_day
   select seller_id, p.scope, p.product_id, posted_on, count(*) filter (where stars = 1),
          count(*) filter (where stars = 2), count(*) filter (where stars = 3), count(*) filter (where stars = 4),
          count(*) filter (where stars = 5), 0, 0
     from rating r
    cross join lateral (values (r.scope, coalesce(r.product_id, '')), ('products', '')) as p (scope, product_id)
    where seller_id = $1 and (p.scope = r.scope or r.scope = 'product') and $2::int > 0
    group by 1, 2, 3, 4`,
  `insert into loyalty_member (seller_id, member_id, member_ref, balance)
   select $1, 'lmb_' || lpad(n::text, 26, '0'), 'm' || n, 10 * ${JOURNALS_EACH}
     from generate_series(0, $2::int / ${JOURNALS_EACH}) n`,
  `insert into points_journal (seller_id, journal_id, transaction_id, kind, member_id, points, funded_minor, currency,
     occurred_at, posted_on, recorded_at, digest)
   select $1, 'ptx_' || lpad(n::text, 26, '0'), 't' || n, 'earned',
          'lmb_' || lpad((n / ${JOURNALS_EACH})::text, 26, '0'), 10, 5, 'AUD', d.day, d.day, d.day, ''
     from generate_series(1, $2::int) n
    cross join lateral (select '${FIRST_DAY}'::date + n % ${DAYS} as day) d`,
  `insert into points_day
   select seller_id, posted_on, k.kind, sum(points)
     from points_journal, (values ('earned'), ('outstanding')) as k (kind)
    where seller_id = $1 and $2::int > 0
    group by 1, 2, 3`,
];

const READS = [
  { name: 'ratings of all time', path: () => '/reviews/summary?window=all' },
  { name: 'ratings of 30 days', path: () => '/reviews/summary' },
  { name: 'wallet', path: () => '/loyalty/wallet' },
];

export async function benchRatings(service: Service, { quick }: BenchOptions): Promise<void> {
  heading('Ratings and points (limit: the same of 1,000)');
  const sizes = [1_000, quick ? 100_000 : 1_000_000] as const;
  const sellers = await makeSellers(service, sizes.length);
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    // The triggers would add a million rows one by one.
    await client.query('set session_replication_role = replica');
    for (const [index, { seller_id }] of sellers.entries())
      for (const text of FILL) await client.query(text, [seller_id, sizes[index]]);
  } finally {
    await client.end();
  }
  await settle(service);
  await signIn(service, sellers);
  await measureFlat(service, READS, { sellers, sizes, connections: CONNECTIONS, rounds: quick ? 2 : 4 });
}
