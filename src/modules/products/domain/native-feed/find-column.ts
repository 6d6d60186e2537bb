import { misspelt } from '../../../../kernel/near-miss.ts';
import { checkAttributeName } from '../fields/check-attributes.ts';
import { trimLine } from '../fields/clean-text.ts';
import type { RowMessage } from '../row.ts';
import { type FindingDetail, rowMessage } from '../row-codes.ts';
import { COLUMN_SUGGESTIONS, NATIVE_COLUMNS, type NativeColumn } from './native-columns.ts';

/** The native column of a header cell. */
export interface FoundColumn {
  readonly column: NativeColumn;
  /** Canonical name: two header cells with the same canonical name are duplicates. */
  readonly name: string;
  /** The text in the place of `*`; empty for a column without `*`. */
  readonly suffix: string;
}

const BY_NAME = new Map(NATIVE_COLUMNS.map((column) => [column.name, column]));
const COLUMN_NAMES = [...BY_NAME.keys()].filter((name) => !name.includes('*'));
const FAMILIES = /^(attributes|variation)\.(.*)$/is;

/** A column with this prefix is a note of the seller. It is ignored without a warning. */
const NOTE = '_';

/**
 * Finds the column of a header cell. The case does not matter, and blanks and hyphens are read as `_`. Names of
 * attributes and options keep their spelling.
 *
 * @returns the column; `null` for a note; `undefined` when it has reported a finding
 */
export function findColumn(header: string, messages: RowMessage[]): FoundColumn | null | undefined {
  const text = trimLine(header);
  if (text.startsWith(NOTE)) return null;
  const family = FAMILIES.exec(text);
  if (family !== null) return findInFamily(family[1] ?? '', family[2] ?? '', text, messages);
  const name = text.toLowerCase().replace(/[\s-]+/g, '_');
  const column = name.includes('*') ? undefined : BY_NAME.get(name);
  if (column !== undefined) return { column, name, suffix: '' };
  messages.push(rowMessage('unknown_column', unknownColumn(text, name)));
  return undefined;
}

function findInFamily(
  family: string,
  rest: string,
  text: string,
  messages: RowMessage[],
): FoundColumn | undefined {
  const prefix = family.toLowerCase();
  const column = BY_NAME.get(`${prefix}.*`);
  const suffix = checkAttributeName(rest, { column: text, messages });
  if (column === undefined || suffix === undefined) return undefined;
  return { column, name: `${prefix}.${suffix}`, suffix };
}

function unknownColumn(text: string, name: string): FindingDetail {
  const suggestion = COLUMN_SUGGESTIONS.get(name) ?? misspelt(name, COLUMN_NAMES);
  return {
    column: text,
    value: text,
    ...(text === '' ? { message: 'A column has no name; it was ignored.' } : {}),
    ...(suggestion === undefined ? {} : { expected: suggestion, hint: `Did you mean ${suggestion}?` }),
  };
}
