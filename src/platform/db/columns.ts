/**
 * Kinds of columns: how PostgreSQL names the type, which types a row may show for it, and what a value is in
 * the service. Statements declare the shape of their rows with them, tables their columns.
 */
import type { Minor } from '../../kernel/money.ts';
import { type ArrayParameter, bigintArray, byteaArray, intArray, textArray } from './arrays.ts';

/** A kind of column with values of type `T`. */
export interface Column<T> {
  /** Type name for casts, for example `timestamptz`. */
  readonly sql: string;
  /** Object ids of the types that a row may show. Source: `pg_type`. */
  readonly oids: readonly number[];
  /** A value as a parameter, where it does not travel as it is. */
  readonly encode?: (value: T) => unknown;
  /** Values of a bulk write as one array parameter; default: their texts. */
  readonly array?: (values: readonly T[]) => ArrayParameter;
  /** Element type of that array; default `text`. */
  readonly arraySql?: string;
  /** The column of `u`, as an element of that array is written into a table; default: cast to `sql`. */
  readonly fromElement?: (element: string) => string;
  readonly nullable?: true;
}

/** The values of columns by name. */
export type RowOf<C> = { readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never };
export type Columns = Readonly<Record<string, Column<never>>>;

const column = <T>(definition: Column<T>): Column<T> => definition;
const asText = (value: unknown): string | null => (value === null ? null : String(value));

/** A text that is one of some words, for example `textOf<Status>()`. */
export const textOf = <T extends string>(): Column<T> => column({ sql: 'text', oids: [25, 1043, 1042, 19] });
export const text = textOf<string>();
export const integer = column<number>({
  sql: 'integer',
  oids: [23, 21],
  array: intArray,
  arraySql: 'int',
});
/** A whole number beyond 2^53. */
export const bigint = column<bigint>({ sql: 'bigint', oids: [20], array: bigintArray, arraySql: 'bigint' });
/** An amount of money in minor units. */
export const money = bigint as Column<bigint> as Column<Minor>;
export const float = column<number>({ sql: 'double precision', oids: [701] });
export const boolean = column<boolean>({ sql: 'boolean', oids: [16] });
/** RFC 3339 in UTC with milliseconds. */
export const instant = column<string>({ sql: 'timestamptz', oids: [1184] });
/** `YYYY-MM-DD`. */
export const date = column<string>({ sql: 'date', oids: [1082] });
export const bytes = column<Buffer>({
  sql: 'bytea',
  oids: [17],
  array: byteaArray,
  arraySql: 'bytea',
});
const listOf = <T extends string>(): Column<readonly T[]> =>
  column({
    sql: 'text[]',
    oids: [1009, 1015],
    array: (values) => textArray(values.map((value) => (value === null ? null : JSON.stringify(value)))),
    fromElement: (element) =>
      `case when ${element} is not null then array(select json_array_elements_text(${element}::json)) end`,
  });
/** A list of texts. */
export const texts = listOf<string>();
/** A list of words, for example `textsOf<Role>()`. */
export const textsOf = listOf;
/** A JSON document; `jsonb` unless the type is named. */
export const json = <T>(sql: 'json' | 'jsonb' = 'jsonb'): Column<T> =>
  column({
    sql,
    oids: [114, 3802],
    encode: (value) => (value === null ? null : JSON.stringify(value)),
  });

/** The same column where it may be empty. */
export const nullable = <T>(of: Column<T>): Column<T | null> =>
  ({ ...of, nullable: true }) as Column<unknown> as Column<T | null>;

/** Parameter of one value. */
export const encodeValue = <T>({ encode }: Column<T>, value: T): unknown => (encode ? encode(value) : value);

/** Parameter of the values of many rows, and how an element of it is written. */
export function encodeArray<T>({ array, encode }: Column<T>, values: readonly T[]): ArrayParameter {
  if (array !== undefined) return array(values);
  return textArray(values.map((value) => asText(encode === undefined ? value : encode(value))));
}
