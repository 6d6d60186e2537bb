/**
 * Rows as JSON: so one statement can read many tables, and a few wide rows can be written as one parameter.
 */
import type { Columns, RowOf } from './columns.ts';
import { type Part, part, raw } from './statement.ts';

const bigintAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** Makes rows a relation `u` of one JSON parameter; `values` are its columns. */
export function jsonRelation(columns: Columns): (rows: readonly object[]) => { values: Part; from: Part } {
  const names = Object.keys(columns);
  const values = raw(names.map((name) => `u.${name}`).join(', '));
  const alias = raw(`u (${names.map((name) => `${name} ${columns[name]?.sql}`).join(', ')})`);
  return (rows) => ({
    values,
    from: part`json_to_recordset(${JSON.stringify(rows, bigintAsText)}::json) as ${alias}`,
  });
}

type Parsers = Readonly<Record<string, ((value: never) => unknown) | undefined>>;

/**
 * Compiles a reader of rows that are JSON arrays of these columns, in this order. It is compiled, because a page of
 * orders has ten thousand values. Rows with names would be twice as long, and take half as long again to read.
 */
export function jsonReader<C extends Columns>(columns: C): (json: readonly unknown[]) => RowOf<C> {
  const parsers = Object.fromEntries(Object.entries(columns).map(([name, { fromJson }]) => [name, fromJson]));
  const members = Object.keys(columns).map((name, index) => {
    const value = `json[${index}]`;
    return `${name}: ${value} == null ? null : ${parsers[name] ? `parsers.${name}(${value})` : value}`;
  });
  const read = new Function('json', 'parsers', `return { ${members.join(', ')} };`) as (
    json: readonly unknown[],
    parsers: Parsers,
  ) => RowOf<C>;
  return (json) => read(json, parsers);
}
