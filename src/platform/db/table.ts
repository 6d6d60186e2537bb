/**
 * A seller's table, described once: the row type, and the statements that every table needs. A column stands in
 * one place. SQL over more than one table is text in a module's store; there are no relations here.
 * Source: docs/adr/0020-table-and-resource-kit.md.
 */
import type { Db, Statement } from '../../kernel/context.ts';
import { coreErrors, fail } from '../../kernel/errors.ts';
import {
  type Column,
  type Columns,
  encodeArray,
  encodeValue,
  instant,
  integer,
  type RowOf,
  text,
} from './columns.ts';
import { allOf, command, join, type Part, part, raw, statement } from './statement.ts';

/** Whose rows, and the transaction: every statement names the seller, beside row-level security. */
export interface SellerDb {
  readonly db: Db;
  readonly seller_id: string;
}

/** Columns that every table of a resource has. */
const TRACKED = { version: integer, created_at: instant, updated_at: instant };
type Tracked = typeof TRACKED;

export type RowLock = 'for update' | 'for no key update' | 'for share';

/** Where a page begins and how it runs. */
export interface PageOf<Name extends string> {
  /** Conditions beside the seller's. */
  readonly where?: Part | undefined;
  /** Columns that order the rows, the key last so that no two rows are equal. */
  readonly order: readonly Name[];
  readonly descending?: boolean;
  /** Values of the order columns of the last row before the page. */
  readonly after?: readonly (string | number)[] | undefined;
  /** One row more is read, to see whether there is a next page. */
  readonly limit: number;
}

type KeyOf<C, K extends keyof C> = { readonly [N in K]: C[N] extends Column<infer T> ? T : never };
type Loose = Readonly<Record<string, unknown>>;

/** Rows as a relation `unnest(…)` of one array for each column, and the columns of its alias `u` in their types. */
export function asRelation<C extends Columns>(
  columns: C,
  rows: readonly RowOf<C>[],
): { readonly from: Part; readonly element: (name: string) => string } {
  const arrays = Object.entries(columns).map(([name, column]) => {
    const values = rows.map((row) => (row as Loose)[name]);
    return part`${encodeArray(column as Column<unknown>, values)}::${raw(column.arraySql ?? 'text')}[]`;
  });
  const element = (name: string): string => {
    const { fromElement, sql, arraySql = 'text' } = columns[name] ?? text;
    if (fromElement !== undefined) return fromElement(`u.${name}`);
    return arraySql === sql ? `u.${name}` : `u.${name}::${sql}`;
  };
  return { from: part`unnest(${join(arrays, ', ')})`, element };
}

/** @see defineTable */
export class Table<C extends Columns, K extends keyof C & string> {
  readonly name: string;
  readonly key: readonly K[];
  readonly columns: C;
  /** All columns, for a select list. */
  readonly list: Part;
  private readonly names: readonly (keyof C & string)[];

  constructor(name: string, key: readonly K[], columns: C) {
    this.name = name;
    this.key = key;
    this.columns = columns;
    this.names = Object.keys(columns);
    this.list = raw(this.names.join(', '));
  }

  /** All columns of an alias, for a select list over several tables. */
  listOf(alias: string): Part {
    return raw(this.names.map((name) => `${alias}.${name}`).join(', '));
  }

  /** Rows of the seller: `select … from … where seller_id = … and <tail>`. */
  select(sellerId: string, tail: Part): Statement<RowOf<C>> {
    return statement(this.columns)`
      select ${this.list}
        from ${raw(this.name)}
       where seller_id = ${sellerId}
         and ${tail}`;
  }

  /** The row of a key; undefined when the seller has none. */
  find({ db, seller_id }: SellerDb, key: KeyOf<C, K>, lock?: RowLock): Promise<RowOf<C> | undefined> {
    return db.one(this.select(seller_id, part`${this.hasKey(key)} ${raw(lock ?? '')}`));
  }

  /** One row more than the limit, by keyset. */
  page(
    { db, seller_id }: SellerDb,
    { where, order, descending = false, after, limit }: PageOf<keyof C & string>,
  ): Promise<RowOf<C>[]> {
    const columns = raw(order.join(', '));
    const from =
      after &&
      part`(${columns}) ${raw(descending ? '<' : '>')} (${join(
        order.map((name, index) => part`${after[index]}::${raw(this.column(name).sql)}`),
        ', ',
      )})`;
    const sorted = raw(order.map((name) => `${name}${descending ? ' desc' : ''}`).join(', '));
    return db.all(this.select(seller_id, part`${allOf(where, from)} order by ${sorted} limit ${limit + 1}`));
  }

  /** @returns false when a row with this key, or another unique value of it, exists */
  async insert({ db, seller_id }: SellerDb, row: RowOf<C>): Promise<boolean> {
    const values = this.names.map((name) => part`${this.encoded(row, name)}`);
    const added = await db.run(command`
      insert into ${raw(this.name)} (seller_id, ${this.list})
      values (${seller_id}, ${join(values, ', ')})
          on conflict do nothing`);
    return added === 1;
  }

  /** Writes the columns of a row that is there. */
  async replace({ db, seller_id }: SellerDb, row: RowOf<C>, and?: Part): Promise<boolean> {
    const set = this.names
      .filter((name) => !this.isKey(name))
      .map((name) => part`${raw(name)} = ${this.encoded(row, name)}`);
    const written = await db.run(command`
      update ${raw(this.name)}
         set ${join(set, ', ')}
       where seller_id = ${seller_id}
         and ${allOf(this.hasKey(row as KeyOf<C, K>), and)}`);
    return written === 1;
  }

  /** @returns false when there was no such row */
  async delete({ db, seller_id }: SellerDb, key: KeyOf<C, K>): Promise<boolean> {
    const deleted = await db.run(command`
      delete from ${raw(this.name)}
       where seller_id = ${seller_id}
         and ${this.hasKey(key)}`);
    return deleted === 1;
  }

  /** Adds many rows in one statement; rows whose key exists are left as they are. */
  insertMany(at: SellerDb, rows: readonly RowOf<C>[]): Promise<number> {
    return this.writeMany(at, rows, raw('on conflict do nothing'));
  }

  /** Adds many new rows in one statement, without a look at the index before each of them. */
  appendMany(at: SellerDb, rows: readonly RowOf<C>[]): Promise<number> {
    return this.writeMany(at, rows, raw(''));
  }

  /** Adds many rows in one statement, or brings those that exist to what they are now. */
  upsertMany(at: SellerDb, rows: readonly RowOf<C>[]): Promise<number> {
    const set = this.names
      .filter((name) => !this.isKey(name))
      .map((name) => `${name} = excluded.${name}`)
      .join(', ');
    const key = ['seller_id', ...this.key].join(', ');
    return this.writeMany(at, rows, raw(`on conflict (${key}) do update set ${set}`));
  }

  private async writeMany({ db, seller_id }: SellerDb, rows: readonly RowOf<C>[], conflict: Part) {
    if (rows.length === 0) return 0;
    const { from, element } = asRelation(this.columns, rows);
    return db.run(command`
      insert into ${raw(this.name)} (seller_id, ${this.list})
      select ${seller_id}, ${raw(this.names.map(element).join(', '))}
        from ${from} as u (${this.list})
             ${conflict}`);
  }

  private hasKey(key: KeyOf<C, K>): Part {
    return join(
      this.key.map((name) => part`${raw(name)} = ${key[name]}`),
      ' and ',
    );
  }

  private isKey(name: string): boolean {
    return (this.key as readonly string[]).includes(name);
  }

  private column(name: keyof C & string): Column<never> {
    const found = this.columns[name];
    if (found === undefined) throw new Error(`${this.name} has no column ${name}`);
    return found;
  }

  private encoded(row: RowOf<C>, name: keyof C & string): unknown {
    return encodeValue(this.column(name) as Column<unknown>, (row as Loose)[name]);
  }
}

/** A table of a resource: things with an id of their own and a version. */
export type ResourceTable<Id extends string, C extends Columns> = Table<
  C & Tracked & { readonly [N in Id]: Column<string> },
  Id
>;

/**
 * Describes a table of sellers; `seller_id` comes first in its key and is never listed. With the name of one key,
 * the table is that of a resource: the id is a text, and `version`, `created_at` and `updated_at` are added. With
 * a list of keys, the columns are those that are given.
 */
export function defineTable<const Id extends string, const C extends Columns>(
  name: string,
  key: Id,
  columns: C,
): ResourceTable<Id, C>;
export function defineTable<const C extends Columns, const K extends keyof C & string>(
  name: string,
  key: readonly K[],
  columns: C,
): Table<C, K>;
export function defineTable(name: string, key: string | readonly string[], columns: Columns): unknown {
  if (typeof key !== 'string') return new Table(name, key, columns);
  const all: Columns = { [key]: text, ...columns, ...TRACKED };
  return new Table(name, [key], all);
}

/** A row of a table. */
export type RowIn<T> = T extends Table<infer C, infer _K> ? RowOf<C> : never;

/** What a new row of a resource begins with. */
export const firstVersion = (at: string) => ({ version: 1, created_at: at, updated_at: at });

/**
 * Writes the next version of a row that was read before.
 *
 * @throws ApiError 409 `conflict` when another request was first
 */
export async function writeVersion<const Id extends string, C extends Columns>(
  table: ResourceTable<Id, C>,
  at: SellerDb & { at(): string },
  before: RowIn<ResourceTable<Id, C>>,
  change: Partial<RowOf<C>>,
): Promise<RowIn<ResourceTable<Id, C>>> {
  const { version } = before as { readonly version: number };
  const after = { ...before, ...change, version: version + 1, updated_at: at.at() };
  if (!(await table.replace(at, after, part`version = ${version}`))) throw fail(coreErrors.conflict);
  return after;
}
