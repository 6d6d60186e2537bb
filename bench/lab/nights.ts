/** Nights of sellers in the worker of the service, and the same work bare. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { firstInstant, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { median, pairedRatio, report, whole } from './statistics.ts';

const POLL_MS = 20;

const BARE_DELETE = 'delete from fact_sku_day where seller_id = $1 and day = any($2::date[])';
const BARE_INSERT = `
  insert into fact_sku_day (seller_id, day, product_id, demand_units, ordered_units, ordered_minor, other_units)
  select o.seller_id, d.day, o.product_id, sum(o.wanted), sum(o.ordered) filter (where o.currency = 'AUD'),
         sum(o.net_minor) filter (where o.currency = 'AUD'),
         coalesce(sum(o.ordered) filter (where o.currency <> 'AUD'), 0)
    from unnest($2::date[], $3::timestamptz[], $4::timestamptz[]) d (day, start_at, next_at)
    join v_orders_ordered o on o.seller_id = $1 and o.placed_at >= d.start_at and o.placed_at < d.next_at
   group by 1, 2, 3`;

/** The facts of the last days. @returns how many there are */
export async function bareFacts(client: pg.Client, sellerId: string, count: number): Promise<number> {
  const today = sydneyDate(Date.now());
  const days = Array.from({ length: count }, (_, ago) => addDays(today, -1 - ago));
  const starts = days.map((day) => new Date(firstInstant(day)));
  const nexts = days.map((day) => new Date(firstInstant(addDays(day, 1))));
  await client.query('begin');
  await client.query(BARE_DELETE, [sellerId, days]);
  const { rowCount } = await client.query(BARE_INSERT, [sellerId, days, starts, nexts]);
  await client.query('commit');
  return rowCount ?? 0;
}

/** Reads the days of all products, and parses them to arrays. */
export async function bareSeries(client: pg.Client, sellerId: string): Promise<number> {
  const { rows } = await client.query<{ product_id: string; days: string }>(
    `select product_id, json_agg(json_build_array(day, demand_units))::text as days
       from fact_sku_day where seller_id = $1 group by product_id`,
    [sellerId],
  );
  return rows.map(({ days }) => JSON.parse(days) as unknown[]).length;
}

/** Makes the nights of sellers due, and waits until the worker of the service has done them. */
export async function rollAll(client: pg.Client, sellerIds: readonly string[]): Promise<void> {
  await client.query(
    `insert into job (job_id, kind, seller_id, unique_key, due_at, created_at)
     select 'job_' || s, 'facts.roll', s, s, now(), now() from unnest($1::text[]) s`,
    [sellerIds],
  );
  for (;;) {
    const { rows } = await client.query<{ last_error: string | null }>(
      "select last_error from job where kind = 'facts.roll' order by last_error nulls last limit 1",
    );
    const [left] = rows;
    if (left === undefined) return;
    if (left.last_error !== null) throw new Error(`a night has failed: ${left.last_error}`);
    await sleep(POLL_MS);
  }
}

/** Times of the same work by the service and bare, in alternation. */
interface Pair {
  readonly ours: number[];
  readonly limits: number[];
}
export const pair = (): Pair => ({ ours: [], limits: [] });

/** @param things how many of what a time is for */
export function reportTimes(
  name: string,
  { ours, limits }: Pair,
  aim: string,
  things?: readonly [number, string],
) {
  const text = (list: readonly number[]): string => {
    const ms = median(list);
    const [count, what] = things ?? [0, ''];
    return `${whole(ms)} ms${count > 0 ? `, ${whole((1_000 * count) / ms)} ${what}/s` : ''}`;
  };
  const ratio = limits.length === 0 ? '' : `${pairedRatio(ours, limits).toFixed(2)}x`;
  report({ name, figure: text(ours), limit: limits.length === 0 ? '' : text(limits), ratio, aim });
}
