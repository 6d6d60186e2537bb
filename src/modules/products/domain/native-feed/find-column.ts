import { checkAttributeName } from '../fields/check-attributes.ts';
import { trimLine } from '../fields/clean-text.ts';
import type { RowMessage } from '../row.ts';
import { type FindingDetail, rowMessage } from '../row-codes.ts';
import { COLUMN_SUGGESTIONS, NATIVE_COLUMNS, type NativeColumn } from './native-columns.ts';

/** A native column as one file names it. */
export interface FoundColumn {
  readonly column: NativeColumn;
  /** Canonical name: two headers with the same one are duplicates. */
  readonly name: string;
  /** The text that replaces `*`; empty for a column without one. */
  readonly suffix: string;
}

const BY_NAME = new Map(NATIVE_COLUMNS.map((column) => [column.name, column]));
const FAMILIES = /^(attributes|variation)\.(.*)$/is;

/** Columns with this prefix carry notes and are ignored without a warning. */
const NOTE = '_';

/**
 * Finds the column that a header names: in any case, with blanks or hyphens for `_`; attribute and option
 * names keep their own spelling.
 *
 * @returns the column; `null` for a note; `undefined` after a finding
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
  const suggestion = COLUMN_SUGGESTIONS.get(name);
  return {
    column: text,
    value: text,
    ...(text === '' ? { message: 'A column has no name and was not read.' } : {}),
    ...(suggestion === undefined ? {} : { expected: suggestion, hint: `Did you mean ${suggestion}?` }),
  };
}
