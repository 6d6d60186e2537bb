/**
 * Kinds of columns. A kind has the type in PostgreSQL, further types that a statement may return for it, and the type
 * of a value in the service. Statements declare their rows with kinds, and tables their columns.
 */
import { type Minor, minor } from '../../kernel/money.ts';
import { type ArrayParameter, bigintArray, byteaArray, intArray, textArray } from './arrays.ts';

/** A kind of column with values of type `T`. */
export interface Column<T> {
  /** Type name for casts, for example `timestamptz`. */
  readonly sql: string;
  /** The object ids (`pg_type.oid`) of the types that a statement may return. */
  readonly oids: readonly number[];
  /** Converts a value to a parameter. By default the value itself is the parameter. */
  readonly encode?: (value: T) => unknown;
  /** Converts the values of a bulk write to one array parameter. By default it is an array of texts. */
  readonly array?: (values: readonly T[]) => ArrayParameter;
  /** Element type of that array; default `text`. */
  readonly arraySql?: string;
  /** The expression that converts an element of that array for the table. By default it is a cast to `sql`. */
  readonly fromElement?: (element: string) => string;
  /** Converts a value that `to_json` has made. By default it is not changed. */
  readonly fromJson?: (value: never) => unknown;
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
export const bigint = column<bigint>({
  sql: 'bigint',
  oids: [20],
  array: bigintArray,
  arraySql: 'bigint',
  fromJson: (value: number) => BigInt(value),
});
/** An amount of money in minor units. */
export const money: Column<Minor> = { ...bigint, fromJson: (value: number) => minor(BigInt(value)) };
export const float = column<number>({ sql: 'double precision', oids: [701] });
export const boolean = column<boolean>({ sql: 'boolean', oids: [16] });
/** RFC 3339 in UTC with milliseconds. */
export const instant = column<string>({
  sql: 'timestamptz',
  oids: [1184],
  // Sessions run in UTC, so JSON has `2026-11-23T00:00:00.123456+00:00`.
  fromJson: (value: string) =>
    value.endsWith('+00:00')
      ? `${value.slice(0, 19)}.${value.slice(20, -6).slice(0, 3).padEnd(3, '0')}Z`
      : new Date(value).toISOString(),
});
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

/** The same column, which may be null. */
export const nullable = <T>(of: Column<T>): Column<T | null> =>
  ({ ...of, nullable: true }) as Column<unknown> as Column<T | null>;

/** Parameter of one value. */
export const encodeValue = <T>({ encode }: Column<T>, value: T): unknown => (encode ? encode(value) : value);

/** Parameter of the values of many rows, and how an element of it is written. */
export function encodeArray<T>({ array, encode }: Column<T>, values: readonly T[]): ArrayParameter {
  if (array !== undefined) return array(values);
  return textArray(values.map((value) => asText(encode === undefined ? value : encode(value))));
}
