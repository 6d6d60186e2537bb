/** Sums of ratings by day equal a recount, whatever happened and in whatever sequence. Source: docs/design/reviews.md. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import { contest, decide, ratingsOf, review } from '../../../../test/support/reviews.ts';

const RUNS = Number(process.env['DAY_SUM_RUNS'] ?? 5);
const REVIEWS = 8;
const HOUR_MS = 3_600_000;
const app = await startTestApp();
/** A noon of Sydney some days ago. */
const began =
  Math.floor(app.app.services.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 60 * 24 * HOUR_MS + 2 * HOUR_MS;
const at = (hours: number): string => new Date(began + hours * HOUR_MS).toISOString();

const stars = fc.integer({ min: 1, max: 5 });
const of = fc.nat(REVIEWS - 1);
/** What happens to reviews: the days of their posting, revisions, removals, decisions about contests, erasures. */
const history = fc.record({
  posted: fc.array(fc.record({ stars, day: fc.nat(3), subject: fc.nat(4) }), {
    ...{ minLength: REVIEWS, maxLength: REVIEWS },
  }),
  revised: fc.uniqueArray(fc.record({ of, stars, hour: fc.integer({ min: 100, max: 400 }) }), {
    ...{ maxLength: 10, selector: ({ hour }) => hour },
  }),
  removed: fc.uniqueArray(of, { maxLength: 3 }),
  decided: fc.uniqueArray(fc.record({ of, upheld: fc.boolean(), again: fc.boolean() }), {
    ...{ maxLength: 4, selector: (one) => one.of },
  }),
  revisedLast: fc.uniqueArray(fc.record({ of, stars }), { maxLength: 3, selector: (one) => one.of }),
  erased: fc.uniqueArray(fc.nat(1), { maxLength: 2 }),
  chance: fc.infiniteStream(fc.nat(1_000)),
});

interface Row {
  readonly key: string;
  readonly counts: string;
}
/** The sums of a seller as they are kept, and as they are counted from its ratings. */
async function sumsOf({ seller_id }: TestSeller): Promise<readonly [kept: Row[], counted: Row[]]> {
  const each = [1, 2, 3, 4, 5].map((n) => `count(*) filter (where status = 'counted' and stars = ${n})`);
  const counted = `
    select concat_ws(' ', scope, product_id, posted_on) as key,
           concat_ws(' ', ${each.join(', ')}, count(*) filter (where status = 'excluded'),
                     count(*) filter (where status = 'removed')) as counts
      from (select scope, coalesce(product_id, '') as product_id, posted_on, status, stars
              from rating where seller_id = $1
            union all
            select 'products', '', posted_on, status, stars
              from rating where seller_id = $1 and scope = 'product') r
     group by scope, product_id, posted_on order by 1`;
  const kept = `
    select concat_ws(' ', scope, coalesce(product_id, ''), day) as key,
           concat_ws(' ', n1, n2, n3, n4, n5, excluded_count, removed_count) as counts
      from rating_day
     where seller_id = $1 and n1 + n2 + n3 + n4 + n5 + excluded_count + removed_count > 0 order by 1`;
  return [await asOwner<Row>(app, kept, [seller_id]), await asOwner<Row>(app, counted, [seller_id])];
}

/** Sends events in a sequence, and those that were rejected again until all are taken. */
async function deliver(events: readonly Record<string, unknown>[]): Promise<void> {
  for (let left = [...events]; left.length > 0; ) {
    const results = await app.events(...left);
    const again = left.filter((_, index) => results[index]?.status === 'rejected');
    if (again.length === left.length) throw new Error(JSON.stringify(results));
    left = again;
  }
}

test('after any history of reviews the sums of each day equal a recount and what was told', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (given) => {
      const seller = await app.seller();
      const chance = given.chance[Symbol.iterator]();
      const refs = [randomUUID(), randomUUID()];
      const orders = await Promise.all(
        refs.map((customer_ref) => placeOrder(app, seller, [{ title: 'Mug' }], { buyer: { customer_ref } })),
      );
      const products = [await stocked(seller, 1), await stocked(seller, 1), await stocked(seller, 1)];
      const subjects = [...orders, ...products.map(({ product_id }) => product_id)];
      const id = (index: number): string => `rv-${index}`;
      const subjectOf = (index: number): string => subjects[given.posted[index]?.subject ?? 0] ?? '';
      const about = (type: string, index: number, data: object, hour: number) =>
        orderEvent(
          app,
          seller,
          `review.${type}`,
          subjectOf(index),
          { review_id: id(index), ...data },
          { time: at(hour) },
        );
      const events = [
        ...given.posted.map(({ stars: rating, day }, index) =>
          review(app, seller, subjectOf(index), { review_id: id(index), rating, posted_at: at(24 * day) }),
        ),
        ...given.revised.map(({ of: index, stars: rating, hour }) =>
          about('revised', index, { rating, revised_at: at(hour) }, hour),
        ),
        ...given.removed.map((index) => about('removed', index, { reason: 'fake' }, 500)),
      ];
      // Some are told twice, and all in any sequence.
      const repeated = events.filter(() => (chance.next().value ?? 0) % 4 === 0);
      const told = [...events, ...repeated.map((event) => ({ ...event, id: randomUUID() }))]
        .map((event) => ({ event, place: chance.next().value ?? 0 }))
        .sort((one, other) => one.place - other.place);
      await deliver(told.map(({ event }) => event));

      const expected = given.posted.map(({ stars: first, day, subject }, index) => {
        const revisions = given.revised.filter((one) => one.of === index).sort((a, b) => a.hour - b.hour);
        const status = given.removed.includes(index) ? 'removed' : 'counted';
        return { index, day, subject, status, stars: revisions.at(-1)?.stars ?? first };
      });
      const agree = async (): Promise<void> => {
        const [kept, counted] = await sumsOf(seller);
        expect(kept).toEqual(counted);
        for (const [scope, subject] of [
          ['seller', [0, 1]],
          ['product', [2, 3, 4]],
          ...[2, 3, 4].map((one) => ['product', [one]] as const),
        ] as const) {
          const [one = 0] = subject;
          const query = scope === 'product' && subject.length === 1 ? `&product_id=${subjects[one]}` : '';
          const range = `from=${at(0).slice(0, 10)}&to=${at(24 * 5).slice(0, 10)}`;
          const { body } = await seller.call<{ data: Record<string, number>[] }>(
            'GET',
            `/reviews/series?scope=${scope}&granularity=day&${range}${query}`,
          );
          const shown = [1, 2, 3, 4, 5].map((n) =>
            body.data.reduce((sum, day) => sum + (day[`n${n}`] ?? 0), 0),
          );
          const wanted = [1, 2, 3, 4, 5].map(
            (n) =>
              expected.filter(
                (row) =>
                  row.status === 'counted' && row.stars === n && subject.includes(row.subject as never),
              ).length,
          );
          expect([scope, shown]).toEqual([scope, wanted]);
        }
      };
      await agree();

      const ratings = await ratingsOf(seller, '?limit=100');
      const ratingOf = async (index: number) => {
        const [row] = await asOwner<{ rating_id: string }>(
          app,
          'select rating_id from rating where seller_id = $1 and external_review_id = $2',
          [seller.seller_id, id(index)],
        );
        return row?.rating_id ?? '';
      };
      expect(ratings).toHaveLength(REVIEWS);
      for (const { of: index, upheld, again } of given.decided) {
        const row = expected[index];
        if (row?.status !== 'counted') continue;
        const { status, body } = await contest(seller, `ratings/${await ratingOf(index)}`);
        expect(status).toBe(201);
        const verdict = (isUpheld: boolean) =>
          decide(
            app,
            seller,
            body,
            isUpheld ? { status: 'upheld' } : { status: 'declined', reason_code: 'no' },
          );
        expect(await verdict(upheld)).toBe('applied');
        if (again) expect(await verdict(!upheld)).toBe('applied');
        row.status = upheld !== again ? 'excluded' : 'counted';
      }
      await agree();

      for (const index of given.erased) {
        const request = { request_id: randomUUID(), customer_ref: refs[index] };
        await apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
      }
      await agree();
      for (const { of: index, stars: rating } of given.revisedLast) {
        await deliver([about('revised', index, { rating, revised_at: at(600) }, 600)]);
        const row = expected[index];
        if (row !== undefined && row.status !== 'removed')
          Object.assign(row, { status: 'counted', stars: rating });
      }
      await agree();
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
