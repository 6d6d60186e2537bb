/** Finds the columns of a header by name. A table lists the names of each field in all generations of the header. */
import { unguardCell } from '../../../../kernel/formula-guard.ts';
import { cleanCell, normaliseHeader } from './cell.ts';

/**
 * Field → its normalised names, best first. A header can have several of these names, or one name twice. In each row
 * the first of these cells that is not empty counts.
 */
export type ColumnTable<Field extends string> = Readonly<Record<Field, readonly string[]>>;

export interface Columns<Field extends string> {
  has(field: Field): boolean;
  /** The trimmed cell; empty when the column is absent. */
  text(cells: readonly string[], field: Field): string;
  /** The cell without trimming; empty when it has only blanks. */
  raw(cells: readonly string[], field: Field): string;
  /** The name of the column in the file, for messages. */
  label(field: Field): string;
  /** The position of the first column of the field, or -1. */
  index(field: Field): number;
  /** The positions of the columns that belong to no field. */
  readonly others: readonly number[];
}

/** Normalised header cell → its positions. */
export function headerPositions(header: readonly string[]): Map<string, number[]> {
  const positions = Map.groupBy(header.keys(), (index) => normaliseHeader(header[index] ?? ''));
  positions.delete('');
  return positions;
}

export function columnsAt<Field extends string>(
  header: readonly string[],
  at: ReadonlyMap<Field, readonly number[]>,
): Columns<Field> {
  const taken = new Set([...at.values()].flat());
  const filledCell = (cells: readonly string[], field: Field): string => {
    for (const index of at.get(field) ?? []) if (cleanCell(cells[index]) !== '') return cells[index] ?? '';
    return '';
  };
  return {
    has: (field) => at.has(field),
    text: (cells, field) => cleanCell(filledCell(cells, field)),
    raw: filledCell,
    label: (field) => cleanCell(header[at.get(field)?.[0] ?? -1]) || field,
    index: (field) => at.get(field)?.[0] ?? -1,
    others: header.map((_, index) => index).filter((index) => !taken.has(index)),
  };
}

export function resolveColumns<Field extends string>(
  header: readonly string[],
  table: ColumnTable<Field>,
): Columns<Field> {
  return columnsAt(header, fieldPositions(header, table));
}

/**
 * Reads a file whose writer guards formulas with an apostrophe, and removes the guards.
 *
 * @param kept fields whose cells are read with their apostrophe
 */
export function unguardedColumns<Field extends string>(
  columns: Columns<Field>,
  kept: ReadonlySet<Field>,
): Columns<Field> {
  const unguarded = (field: Field, text: string): string => (kept.has(field) ? text : unguardCell(text));
  return {
    ...columns,
    text: (cells, field) => unguarded(field, columns.text(cells, field)),
    raw: (cells, field) => unguarded(field, columns.raw(cells, field)),
  };
}

/** Field → the positions of its columns, in the order of its names. */
export function fieldPositions<Field extends string>(
  header: readonly string[],
  table: ColumnTable<Field>,
): Map<Field, number[]> {
  const positions = headerPositions(header);
  const at = new Map<Field, number[]>();
  for (const field of Object.keys(table) as Field[]) {
    const found = table[field].flatMap((name) => positions.get(name) ?? []);
    if (found.length > 0) at.set(field, found);
  }
  return at;
}
