import type { Db } from '../../kernel/context.ts';
import type { ContributorsBand } from '../../kernel/disclosure.ts';
import { float, json, nullable, type RowOf, text, textOf } from '../../platform/db/columns.ts';
import { distinctValues } from '../../platform/db/distinct-values.ts';
import { command, statement } from '../../platform/db/statement.ts';
import type { SellerDb } from '../../platform/db/table.ts';
import type { CellValue, Measure } from './domain/cells.ts';

const columns = {
  category: text,
  period: text,
  measure: textOf<Measure>(),
  /** Null: the cell is held back. */
  value: nullable(json<CellValue>()),
  contributors_band: nullable(textOf<ContributorsBand>()),
};
/** A cell as it was published, or held back. */
export type Cell = RowOf<typeof columns>;

/** Stores a cell once, in the system's scope. @returns false if the cell is there */
export async function insertCell(db: Db, cell: Cell & { readonly currency: string }, at: string) {
  const added = await db.run(command`
    insert into intel_cell (category, period, measure, currency, status, value, contributors_band, published_at)
    values (${cell.category}, ${cell.period}, ${cell.measure}, ${cell.currency},
            ${cell.value === null ? 'held_back' : 'published'},
            ${cell.value === null ? null : JSON.stringify(cell.value)}::jsonb, ${cell.contributors_band}, ${at})
        on conflict (category, period, measure, currency) do nothing`);
  return added === 1;
}

interface Asked {
  readonly currency: string;
  readonly category: string;
  readonly measures: readonly Measure[];
  readonly from: string;
  readonly to: string;
}
export const cellsOf = (db: Db, { currency, category, measures, from, to }: Asked): Promise<Cell[]> =>
  db.all(statement(columns)`
    select category, period, measure, value, contributors_band
      from intel_cell
     where currency = ${currency}
       and category = ${category}
       and measure = any(${measures})
       and period between ${from} and ${to}`);

/** The newest cells of each measure of some categories, up to the last period of the measure. */
export const newestCells = (
  db: Db,
  currency: string,
  categories: readonly string[],
  last: readonly (readonly [Measure, string])[],
): Promise<Cell[]> =>
  db.all(statement(columns)`
    select distinct on (c.category, c.measure) c.category, c.period, c.measure, c.value, c.contributors_band
      from unnest(${last.map(([measure]) => measure)}::text[], ${last.map(([, period]) => period)}::text[])
           as l (measure, period)
      join intel_cell c
        on c.measure = l.measure
       and c.period <= l.period
     where c.currency = ${currency}
       and c.category = any(${categories})
     order by c.category, c.measure, c.period desc`);

/**
 * Catalogue paths of active products, and of those that were sold from a day on. An index finds each path of products
 * with a price, so the read does not grow with the catalogue.
 */
export async function ownPaths({ db, seller_id }: SellerDb, soldSince: string): Promise<string[]> {
  const rows = await db.all(statement({ category: text })`
    select value as category
      from ${distinctValues(seller_id, 'v_products_on_sale', 'category_or_none')} d
     where value <> ''
     union
    select category
      from v_products_unpriced
     where seller_id = ${seller_id}
       and category is not null
     union
    select p.category
      from v_products_named p
     where p.seller_id = ${seller_id}
       and p.status <> 'active'
       and p.category is not null
       and p.product_id in (
             select product_id
               from v_facts_sold
              where seller_id = ${seller_id}
                and day >= ${soldSince}::date)`);
  return rows.map(({ category }) => category);
}

/** Catalogue paths of products that were sold in another currency in a range of days. */
export async function pathsInOtherCurrencies(
  { db, seller_id }: SellerDb,
  from: string,
  to: string,
): Promise<string[]> {
  const rows = await db.all(statement({ category: text })`
    select distinct p.category
      from v_facts_other_currency f
      join v_products_named p
        on p.seller_id = ${seller_id}
       and p.product_id = f.product_id
     where f.seller_id = ${seller_id}
       and f.day between ${from}::date and ${to}::date
       and p.category is not null`);
  return rows.map(({ category }) => category);
}

/** Units that were sold in a range of days, by catalogue path and price. */
export const soldByPrice = ({ db, seller_id }: SellerDb, from: string, to: string) =>
  db.all(statement({ category: text, price_minor: float, units: float })`
    select p.category,
           f.price_minor::double precision as price_minor,
           sum(f.units)::double precision as units
      from v_facts_sold f
      join v_products_named p
        on p.seller_id = ${seller_id}
       and p.product_id = f.product_id
     where f.seller_id = ${seller_id}
       and f.day between ${from}::date and ${to}::date
       and p.category is not null
     group by p.category, f.price_minor`);
