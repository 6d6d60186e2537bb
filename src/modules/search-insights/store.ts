import {
  bigint,
  boolean,
  date,
  float,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../platform/db/columns.ts';
import { allOf, command, type Part, part, raw, statement } from '../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../platform/db/table.ts';
import type { ReportState } from './domain/periods.ts';
import type { Counts, SearchRow } from './domain/report.ts';

export const reports = defineTable('search_report', 'period', {
  ends_on: date,
  status: textOf<ReportState>(),
  row_count: integer,
  withheld_rows: integer,
  other: json<Counts>(),
  /** Whether every row has the impressions of the whole market. */
  has_market: boolean,
  told_at: instant,
  told_version: nullable(bigint),
});
export type ReportRow = RowIn<typeof reports>;

const rows = defineTable('search_row', ['period', 'query', 'product_id'], {
  period: text,
  query: text,
  product_id: text,
  impressions: bigint,
  clicks: bigint,
  purchases: bigint,
  market_impressions: nullable(bigint),
});

/** Puts the rows of a report in the place of those of an earlier report of the week. */
export async function replaceRows(at: SellerDb, period: string, observed: readonly SearchRow[]) {
  await at.db.run(command`
    delete from search_row
     where seller_id = ${at.seller_id}
       and period = ${period}`);
  await rows.appendMany(
    at,
    observed.map((row) => ({
      ...{ period, query: row.query, product_id: row.product_id },
      impressions: BigInt(row.impressions),
      clicks: BigInt(row.clicks),
      purchases: BigInt(row.purchases),
      market_impressions: row.market_impressions === null ? null : BigInt(row.market_impressions),
    })),
  );
}

/** SQL condition: the report says something, if only that rows were held back. */
const SAYS_SOMETHING = part`(status = 'available' or withheld_rows > 0
                  or other <> '{"impressions": 0, "clicks": 0, "purchases": 0}'::jsonb)`;

/** The report of a week; without a week the newest that can be shown, else the newest. */
export const reportFor = (at: SellerDb, period: string | undefined) =>
  reports.one(
    at,
    part`${allOf(SAYS_SOMETHING, period !== undefined && part`period = ${period}`)}
           order by status = 'available' desc, period desc limit 1`,
  );

export const reportsBetween = (at: SellerDb, from: string, to: string): Promise<ReportRow[]> =>
  reports.all(at, part`period between ${from} and ${to} and ${SAYS_SOMETHING}`);

/** The products of those that the seller does not have. */
export async function foreignProducts({ db, seller_id }: SellerDb, ids: readonly string[]) {
  const known = await db.all(statement({ product_id: text })`
    select product_id
      from v_products_named
     where seller_id = ${seller_id}
       and product_id = any(${ids})`);
  const own = new Set(known.map(({ product_id }) => product_id));
  return ids.filter((id) => !own.has(id));
}

const figures = {
  query: text,
  product_id: text,
  seller_sku: nullable(text),
  impressions: float,
  clicks: float,
  purchases: float,
  market_impressions: nullable(float),
  before_impressions: nullable(float),
  before_clicks: nullable(float),
};
export type Figures = RowOf<typeof figures>;

export type Order = 'impressions' | 'clicks' | 'purchases';

interface Asked {
  /** What the rows of a week are summed by. A search shows a product in one row, so for searches nothing is summed. */
  readonly by: 'queries' | 'products';
  readonly order: Order;
  readonly product_id?: string | undefined;
  /** In lower case. */
  readonly q?: string | undefined;
}

const FLOATS = raw(`impressions::double precision as impressions, clicks::double precision as clicks,
             purchases::double precision as purchases, market_impressions::double precision as market_impressions`);

const rowsOf = (seller_id: string, period: string, where: Part): Part => part`
        from search_row
       where seller_id = ${seller_id}
         and period = ${period}
         and ${where}`;
/** The rows of a week, as they are or summed by product. An index has the rows of a product with their counts. */
const FOUND: Readonly<Record<Asked['by'], (...of: Parameters<typeof rowsOf>) => Part>> = {
  queries: (...of) => part`select * ${rowsOf(...of)}`,
  products: (...of) => part`
      select ''::text collate "C" as query,
             product_id,
             sum(impressions) as impressions,
             sum(clicks) as clicks,
             sum(purchases) as purchases,
             case when count(*) = count(market_impressions) then sum(market_impressions) end as market_impressions
        ${rowsOf(...of)}
       group by product_id`,
};

/** A page of the searches or products of a week, beside the week before. The page is cut before that is read. */
export function figuresOf(
  { db, seller_id }: SellerDb,
  { period, before }: { readonly period: string; readonly before: string },
  { by, order, product_id, q }: Asked,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<Figures[]> {
  const place = raw(`-${order}`);
  const [largest, query, product] = after ?? [];
  const found = FOUND[by](
    seller_id,
    period,
    allOf(
      product_id !== undefined && part`product_id = ${product_id}`,
      q !== undefined && part`position(${q} in query) > 0`,
    ),
  );
  const same = allOf(part`product_id = f.product_id`, by === 'queries' && part`query = f.query`);
  return db.all(statement(figures)`
    select f.query, f.product_id, p.seller_sku, f.impressions, f.clicks, f.purchases, f.market_impressions,
           b.impressions::double precision as before_impressions,
           b.clicks::double precision as before_clicks
      from (select query, product_id, ${FLOATS}
              from (${found}) s
             where ${allOf(
               after !== undefined &&
                 part`(${place}, query, product_id) > (${largest}::double precision, ${query}, ${product})`,
             )}
             order by ${place}, query, product_id
             limit ${limit}) f
      left join lateral (${FOUND[by](seller_id, before, same)} offset 0) b on true
      left join v_products_named p
        on p.seller_id = ${seller_id}
       and p.product_id = f.product_id
     order by ${raw(`-f.${order}`)}, f.query, f.product_id`);
}

/** The counts of a search in each week that has it. */
export const countsByWeek = ({ db, seller_id }: SellerDb, query: string, from: string, to: string) =>
  db.all(statement({ period: text, impressions: float, clicks: float, purchases: float })`
    select period,
           sum(impressions)::double precision as impressions,
           sum(clicks)::double precision as clicks,
           sum(purchases)::double precision as purchases
      from search_row
     where seller_id = ${seller_id}
       and period between ${from} and ${to}
       and query = ${query}
     group by period`);
