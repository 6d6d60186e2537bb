/**
 * Describes a seller's table once: the row type, and the statements that every table needs. A column is named in one
 * place. SQL over several tables is in the stores of modules; there are no relations here.
 * Source: docs/adr/0020-table-and-resource-kit.md.
 */
import type { CursorDb, Db, Statement } from '../../kernel/context.ts';
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
import { jsonReader, jsonRelation } from './json-rows.ts';
import { allOf, command, join, type Part, part, raw, statement } from './statement.ts';

/** The seller and the transaction. Every statement names the seller, in addition to row-level security. */
export interface SellerDb {
  readonly db: Db;
  readonly seller_id: string;
}

/** The same with cursors. */
export interface SellerCursor extends SellerDb {
  readonly db: CursorDb;
}

/** Columns that every table of a resource has. */
const TRACKED = { version: integer, created_at: instant, updated_at: instant };
type Tracked = typeof TRACKED;

export type RowLock = 'for update' | 'for no key update' | 'for share';

/** The beginning, the order and the conditions of a page. */
interface PageOf<Name extends string> {
  /** Conditions in addition to that of the seller. */
  readonly where?: Part | undefined;
  /** Columns that order the rows, the key last so that no two rows are equal. */
  readonly order: readonly Name[];
  readonly descending?: boolean;
  /** Values of the order columns of the last row before the page. */
  readonly after?: readonly (string | number)[] | undefined;
  /** The size of the page. One more row is read, to see whether there is a next page. */
  readonly limit: number;
}

export type KeyOf<C, K extends keyof C> = { readonly [N in K]: C[N] extends Column<infer T> ? T : never };
type Loose = Readonly<Record<string, unknown>>;

/** Whether a bulk write skips a row whose key exists, or fails. */
const SKIP = raw('on conflict do nothing');
const REFUSE = raw('');

/** One array parameter for each column. */
const arraysOf = <C extends Columns>(columns: C, rows: readonly RowOf<C>[]) =>
  Object.entries(columns).map(([name, column]) =>
    encodeArray(
      column as Column<unknown>,
      rows.map((row) => (row as Loose)[name]),
    ),
  );

/** Rows as a relation `unnest(…)` of one array for each column, and the columns of its alias `u` in their types. */
export function asRelation<C extends Columns>(
  columns: C,
  rows: readonly RowOf<C>[],
): { readonly from: Part; readonly element: (name: string) => string } {
  const values = arraysOf(columns, rows);
  const arrays = Object.values(columns).map(
    ({ arraySql = 'text' }, index) => part`${values[index]}::${raw(arraySql)}[]`,
  );
  const element = (name: string): string => {
    const { fromElement, sql, arraySql = 'text' } = columns[name] ?? text;
    if (fromElement !== undefined) return fromElement(`u.${name}`);
    return arraySql === sql ? `u.${name}` : `u.${name}::${sql}`;
  };
  return { from: part`unnest(${join(arrays, ', ')})`, element };
}

/** How the rows of a table are sent. */
interface TableOptions {
  /** `arrays` (the default) writes one array for each column, for many rows. `json` costs less for a few wide rows. */
  readonly many?: 'arrays' | 'json';
}

/** @see defineTable */
export class Table<C extends Columns, K extends keyof C & string> {
  readonly name: string;
  readonly key: readonly K[];
  readonly columns: C;
  /** All columns, for a select list. */
  readonly list: Part;
  private readonly names: readonly (keyof C & string)[];
  private readonly jsonRelation: ReturnType<typeof jsonRelation> | undefined;
  private overwrite: Part | undefined;
  /** The statements of bulk writes with arrays. Their texts do not depend on the number of rows. */
  private readonly bulkWrites = new Map<Part, Statement<never>>();
  private reader: ((json: readonly unknown[]) => RowOf<C>) | undefined;

  constructor(name: string, key: readonly K[], columns: C, { many = 'arrays' }: TableOptions = {}) {
    this.name = name;
    this.key = key;
    this.columns = columns;
    this.names = Object.keys(columns);
    this.list = raw(this.names.join(', '));
    this.jsonRelation = many === 'json' ? jsonRelation(columns) : undefined;
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

  /** The rows of {@link select}. */
  all({ db, seller_id }: SellerDb, tail: Part): Promise<RowOf<C>[]> {
    return db.all(this.select(seller_id, tail));
  }

  /** The only row of {@link select}. */
  one({ db, seller_id }: SellerDb, tail: Part): Promise<RowOf<C> | undefined> {
    return db.one(this.select(seller_id, tail));
  }

  /** The number of rows of the seller that a condition holds for. */
  async count({ db, seller_id }: SellerDb, where: Part): Promise<number> {
    const row = await db.one(statement({ count: integer })`
      select count(*)::int as count
        from ${raw(this.name)}
       where seller_id = ${seller_id}
         and ${where}`);
    return row?.count ?? 0;
  }

  /** Deletes rows. @returns their number */
  deleteWhere({ db, seller_id }: SellerDb, where: Part): Promise<number> {
    return db.run(command`
      delete from ${raw(this.name)}
       where seller_id = ${seller_id}
         and ${where}`);
  }

  /** Writes columns of rows, also those that are not described. @returns the number of rows */
  change({ db, seller_id }: SellerDb, set: Part, where: Part): Promise<number> {
    return db.run(command`
      update ${raw(this.name)}
         set ${set}
       where seller_id = ${seller_id}
         and ${where}`);
  }

  /**
   * A row of an alias inside another statement, as JSON that {@link fromJson} reads.
   *
   * @param more further values, after those of the columns
   */
  jsonOf(alias: string, ...more: readonly Part[]): Part {
    return part`json_build_array(${join([this.listOf(alias), ...more], ', ')})`;
  }

  /** Reads a row that {@link jsonOf} has made. */
  fromJson(json: readonly unknown[]): RowOf<C> {
    this.reader ??= jsonReader(this.columns);
    return this.reader(json);
  }

  /** The row of a key; undefined when the seller has none. */
  find(at: SellerDb, key: KeyOf<C, K>, lock?: RowLock): Promise<RowOf<C> | undefined> {
    return this.one(at, part`${this.hasKey(key)} ${raw(lock ?? '')}`);
  }

  /** Reads a page by keyset, with one row more than the limit. */
  page(
    at: SellerDb,
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
    return this.all(at, part`${allOf(where, from)} order by ${sorted} limit ${limit + 1}`);
  }

  /** Inserts a row. @returns false if a row with this key, or with another unique value, exists */
  async insert({ db, seller_id }: SellerDb, row: RowOf<C>): Promise<boolean> {
    const values = this.names.map((name) => part`${this.encoded(row, name)}`);
    const added = await db.run(command`
      insert into ${raw(this.name)} (seller_id, ${this.list})
      values (${seller_id}, ${join(values, ', ')})
          on conflict do nothing`);
    return added === 1;
  }

  /** Writes columns of an existing row. */
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

  /** Deletes a row. @returns false if there was no such row */
  async delete(at: SellerDb, key: KeyOf<C, K>): Promise<boolean> {
    return (await this.deleteWhere(at, this.hasKey(key))) === 1;
  }

  /** Inserts many rows in one statement. Existing rows are not changed. */
  insertMany(at: SellerDb, rows: readonly RowOf<C>[]): Promise<number> {
    return this.writeMany(at, rows, SKIP);
  }

  /** Inserts many new rows in one statement, without checking whether they exist. */
  appendMany(at: SellerDb, rows: readonly RowOf<C>[]): Promise<number> {
    return this.writeMany(at, rows, REFUSE);
  }

  /** Inserts them together with the next statement of the transaction. */
  appendLater({ db, seller_id }: SellerDb, rows: readonly RowOf<C>[]): void {
    if (rows.length > 0) db.later(this.bulkWrite(seller_id, rows, REFUSE));
  }

  /** Inserts many rows in one statement, and updates existing ones. */
  upsertMany(at: SellerDb, rows: readonly RowOf<C>[]): Promise<number> {
    this.overwrite ??= raw(this.overwriteText());
    return this.writeMany(at, rows, this.overwrite);
  }

  /** Does the same together with the next statement of the transaction. */
  upsertLater({ db, seller_id }: SellerDb, rows: readonly RowOf<C>[]): void {
    this.overwrite ??= raw(this.overwriteText());
    if (rows.length > 0) db.later(this.bulkWrite(seller_id, rows, this.overwrite));
  }

  private overwriteText(): string {
    const set = this.names
      .filter((name) => !this.isKey(name))
      .map((name) => `${name} = excluded.${name}`)
      .join(', ');
    return `on conflict (${['seller_id', ...this.key].join(', ')}) do update set ${set}`;
  }

  private async writeMany({ db, seller_id }: SellerDb, rows: readonly RowOf<C>[], conflict: Part) {
    return rows.length === 0 ? 0 : db.run(this.bulkWrite(seller_id, rows, conflict));
  }

  private bulkWrite(seller_id: string, rows: readonly RowOf<C>[], conflict: Part): Statement<never> {
    const known = this.bulkWrites.get(conflict);
    if (known !== undefined) return { ...known, values: [seller_id, ...arraysOf(this.columns, rows)] };
    const { values, from } = this.relation(rows);
    const statement = command`
      insert into ${raw(this.name)} (seller_id, ${this.list})
      select ${seller_id}, ${values}
        from ${from}
             ${conflict}`;
    if (this.jsonRelation === undefined) this.bulkWrites.set(conflict, { ...statement, values: [] });
    return statement;
  }

  private relation(rows: readonly RowOf<C>[]): { readonly values: Part; readonly from: Part } {
    if (this.jsonRelation !== undefined) return this.jsonRelation(rows);
    const { from, element } = asRelation(this.columns, rows);
    const values = raw(this.names.map(element).join(', '));
    return { values, from: part`${from} as u (${this.list})` };
  }

  private hasKey(key: KeyOf<C, K>): Part {
    return allOf(...this.key.map((name) => part`${raw(name)} = ${key[name]}`));
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

/** The table of a resource, whose rows have an id and a version. */
export type ResourceTable<Id extends string, C extends Columns> = Table<
  C & Tracked & { readonly [N in Id]: Column<string> },
  Id
>;

/**
 * Describes a table of sellers. `seller_id` is always the first column of the key and is not listed. If the key is one
 * name, it is the table of a resource: the id is a text, and `version`, `created_at` and `updated_at` are added. If the
 * key is a list, the table has only the given columns.
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
  options?: TableOptions,
): Table<C, K>;
export function defineTable(
  name: string,
  key: string | readonly string[],
  columns: Columns,
  options?: TableOptions,
): unknown {
  if (typeof key !== 'string') return new Table(name, key, columns, options);
  const all: Columns = { [key]: text, ...columns, ...TRACKED };
  return new Table(name, [key], all);
}

/** A row of a table. */
export type RowIn<T> = T extends Table<infer C, infer _K> ? RowOf<C> : never;

/** The id, version and instants of a new row of a resource. */
export const firstVersion = (at: string) => ({ version: 1, created_at: at, updated_at: at });

/**
 * Writes the next version of a row that was read before.
 *
 * @throws ApiError 409 `conflict` if another request has changed the row
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
