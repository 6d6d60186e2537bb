/**
 * Statements as templates, with values in their places and the shape of the rows beside the text.
 *
 * ```ts
 * statement({ to_accept: integer })`
 *   select to_accept
 *     from v_orders_waiting
 *    where seller_id = ${sellerId}`
 * ```
 *
 * A value in a hole becomes a numbered parameter. A {@link part} in a hole becomes text of the statement.
 * Outside production the driver compares PostgreSQL's description of the rows with the shape.
 * Source: docs/adr/0019-statements-as-templates.md.
 */
import type { Statement } from '../../kernel/context.ts';
import { textArray } from './arrays.ts';
import type { Columns, RowOf } from './columns.ts';

/** A piece of SQL with its values, for the hole of a statement or of another part. */
export class Part {
  readonly texts: readonly string[];
  readonly holes: readonly unknown[];

  constructor(texts: readonly string[], holes: readonly unknown[]) {
    this.texts = texts;
    this.holes = holes;
  }
}

/** A value that is used in several places of a statement, but sent once. */
export class Param {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
export const param = (value: unknown): Param => new Param(value);

const isValue = (hole: unknown): boolean => !(hole instanceof Part || hole instanceof Param);

/** Whether a hole has text that is always the same. */
const isConstant = (hole: unknown): boolean => hole instanceof Part && hole.holes.length === 0;

/** A piece of SQL: `` part`status = ${status}` ``. Without values it is one text from the beginning. */
export function part(texts: TemplateStringsArray, ...holes: readonly unknown[]): Part {
  return holes.every(isConstant) ? raw(write(texts, holes, [])) : new Part(texts, holes);
}

/** SQL text of this repository, for example a list of columns. It must never be text of a request. */
export const raw = (text: string): Part => new Part([text], []);

/** Parts with a separator between them. */
export function join(parts: readonly Part[], separator: string): Part {
  const between = Array<string>(Math.max(0, parts.length - 1)).fill(separator);
  return parts.length === 0 ? raw('') : new Part(['', ...between, ''], parts);
}

/** Conditions that take 1, 2, 4 or 8 values, with the first text left out. */
const FEW = [1, 2, 4, 8].map((count) => ['', ' in (', ...Array<string>(count - 1).fill(', '), ')']);

/**
 * Whether a column of texts has one of the values. A few values are sent one by one, the last one repeated. Of an array
 * PostgreSQL expects ten values, so a plan for any array looks dearer than one for these, and each statement is planned.
 */
export function oneOf(column: Part, values: readonly string[]): Part {
  if (values.length === 0) return raw('false');
  const texts = FEW.find(({ length }) => length - 2 >= values.length);
  if (texts === undefined) return part`${column} = any(${values}::text[])`;
  const repeated = Array<unknown>(texts.length - 2 - values.length).fill(values.at(-1));
  return new Part(texts, [column, ...values, ...repeated]);
}

/**
 * A query of one text column, a row for each value. A single value is sent by itself: of an array PostgreSQL expects ten
 * values, so a plan for any array looks dearer than one for a single row, and each read of one object is planned, which
 * may take longer than the read.
 *
 * @param name of the column
 */
export function rowsOf(values: readonly string[], name: string): Part {
  const [value, ...others] = values;
  return value !== undefined && others.length === 0
    ? part`select ${value}::text as ${raw(name)}`
    : part`select unnest(${textArray(values)}::text[]) as ${raw(name)}`;
}

/** Joins conditions with `and`; `true` without conditions. The condition of an unused filter is left out. */
export function allOf(...conditions: readonly (Part | false | undefined)[]): Part {
  const given = conditions.filter((condition) => condition instanceof Part);
  // Each condition is in parentheses, so that an `or` inside it does not affect the others.
  return given.length === 0 ? raw('true') : part`(${join(given, ') and (')})`;
}

/** Called with the template of each statement that is made. A test uses it to list statements that no test makes. */
let onMade: ((texts: readonly string[]) => void) | undefined;
export function observeStatements(observer: typeof onMade): void {
  onMade = observer;
}

/** @param values the values so far. They contain each {@link Param} itself until the statement is complete. */
function write(texts: readonly string[], holes: readonly unknown[], values: unknown[]): string {
  let text = texts[0] ?? '';
  for (const [index, hole] of holes.entries()) {
    const known = hole instanceof Param ? values.indexOf(hole) + 1 : 0;
    if (hole instanceof Part) text += write(hole.texts, hole.holes, values);
    else text += `$${known > 0 ? known : values.push(hole)}`;
    text += texts[index + 1] ?? '';
  }
  return text;
}

/** A hole as a text was made with it: undefined for a value, the text of a part without values, or another part. */
type KnownHole = undefined | string | KnownPart;
interface KnownPart {
  readonly texts: readonly string[];
  readonly holes: readonly KnownHole[];
}

/**
 * The text of each template, made anew when it is used with other parts. The driver knows a prepared statement by its
 * text, and finds the same string faster than an equal one.
 */
const knownTexts = new WeakMap<
  readonly string[],
  { readonly text: string; readonly holes: KnownPart['holes'] }
>();

const knownHole = (hole: unknown): KnownHole => {
  if (!(hole instanceof Part)) return undefined;
  return isConstant(hole) ? hole.texts[0] : { texts: hole.texts, holes: hole.holes.map(knownHole) };
};

/** Whether a hole gives the same text as the known one. Adds its values. */
function fits(known: KnownHole, hole: unknown, values: unknown[]): boolean {
  if (known === undefined) return isValue(hole) && values.push(hole) > 0;
  if (!(hole instanceof Part)) return false;
  if (typeof known === 'string') return isConstant(hole) && hole.texts[0] === known;
  return (
    hole.texts === known.texts && known.holes.every((inner, index) => fits(inner, hole.holes[index], values))
  );
}

const hasParam = (hole: unknown): boolean =>
  hole instanceof Param || (hole instanceof Part && hole.holes.some(hasParam));

function make<Row>(
  texts: readonly string[],
  holes: readonly unknown[],
  shape: Columns | undefined,
): Statement<Row> {
  onMade?.(texts);
  const known = knownTexts.get(texts);
  const fitting: unknown[] = [];
  if (known?.holes.every((hole, index) => fits(hole, holes[index], fitting)))
    return { text: known.text, values: fitting, ...(shape && { shape }) };
  const values: unknown[] = [];
  const text = write(texts, holes, values);
  // The number of a shared parameter depends on the values before it.
  if (!holes.some(hasParam)) knownTexts.set(texts, { text, holes: holes.map(knownHole) });
  const sent = values.map((value) => (value instanceof Param ? value.value : value));
  return { text, values: sent, ...(shape && { shape }) };
}

/** A statement whose rows have this shape. */
export const statement =
  <const C extends Columns>(shape: C) =>
  (texts: TemplateStringsArray, ...holes: readonly unknown[]): Statement<RowOf<C>> =>
    make(texts, holes, shape);

/** A statement without rows. */
export const command = (texts: TemplateStringsArray, ...holes: readonly unknown[]): Statement<never> =>
  make(texts, holes, undefined);

/** A column as the server describes it. */
interface Described {
  readonly name: string;
  readonly dataTypeID: number;
}

/**
 * The difference of the rows of a statement from the declared shape; undefined if there is none, or no shape is
 * declared.
 *
 * @param fields PostgreSQL's own description of the row
 */
export function shapeProblem(
  { shape, text }: Statement<unknown>,
  fields: readonly Described[],
): string | undefined {
  if (shape === undefined) return undefined;
  const described = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const missing = Object.keys(shape).filter((name) => !described.has(name));
  const unknown = [...described.keys()].filter((name) => shape[name] === undefined);
  const wrong = Object.entries(shape).flatMap(([name, { sql, oids }]) => {
    const oid = described.get(name);
    return oid === undefined || oids.includes(oid) ? [] : [`${name} is of type ${oid}, not ${sql}`];
  });
  const problems = [
    ...missing.map((name) => `${name} is missing`),
    ...unknown.map((name) => `${name} is not declared`),
    ...wrong,
  ];
  return problems.length === 0
    ? undefined
    : `the rows are not as declared: ${problems.join('; ')} in: ${text.trim()}`;
}
