/** Collects the attributes of a row: empty values are left out, values that are too long are reported and left out. */
import { ATTRIBUTE_NAME_MAX, ATTRIBUTE_VALUE_MAX, ATTRIBUTES_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { cleanCell, isBlank } from './cell.ts';

export interface AttributeSet {
  /** Adds a trimmed value; the first value of a name stays. */
  add(name: string, value: string | null | undefined): void;
  /** As `add`, with the blanks at the ends of the value. */
  addWritten(name: string, value: string | null | undefined): void;
  values(): Readonly<Record<string, string>>;
}

/** @param messages gets warnings only: a value that is too long is no reason to refuse the product */
export function createAttributeSet(messages: RowMessage[]): AttributeSet {
  const entries = new Map<string, string>();
  const addWritten = (name: string, value: string | null | undefined): void => {
    const text = value ?? '';
    if (isBlank(text) || entries.has(name)) return;
    const fits = name.length <= ATTRIBUTE_NAME_MAX && text.length <= ATTRIBUTE_VALUE_MAX;
    if (fits && entries.size < ATTRIBUTES_MAX) entries.set(name, text);
    else messages.push(rowMessage('attribute_not_taken', { column: name.slice(0, 80), value: text }));
  };
  return {
    addWritten,
    add: (name, value) => addWritten(name, cleanCell(value ?? undefined)),
    values: () => Object.fromEntries(entries),
  };
}
