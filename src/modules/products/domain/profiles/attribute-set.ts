/** Collects the attributes of a row. Empty values are left out. Values that are too long are left out and reported. */
import { ATTRIBUTE_NAME_MAX, ATTRIBUTE_VALUE_MAX, ATTRIBUTES_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { cleanCell, isBlank } from './cell.ts';

interface AttributeSet {
  /** Trims a value and adds it. A second value with the same name is ignored. */
  add(name: string, value: string | null | undefined): void;
  /** Adds a value as `add` does, but does not trim it. */
  addUntrimmed(name: string, value: string | null | undefined): void;
  values(): Readonly<Record<string, string>>;
}

/** @param messages gets a warning for each value that is too long; the product itself is accepted */
export function createAttributeSet(messages: RowMessage[]): AttributeSet {
  const entries = new Map<string, string>();
  const addUntrimmed = (name: string, value: string | null | undefined): void => {
    const text = value ?? '';
    if (isBlank(text) || entries.has(name)) return;
    const fits = name.length <= ATTRIBUTE_NAME_MAX && text.length <= ATTRIBUTE_VALUE_MAX;
    if (fits && entries.size < ATTRIBUTES_MAX) entries.set(name, text);
    else messages.push(rowMessage('attribute_not_taken', { column: name.slice(0, 80), value: text }));
  };
  return {
    addUntrimmed,
    add: (name, value) => addUntrimmed(name, cleanCell(value ?? undefined)),
    values: () => Object.fromEntries(entries),
  };
}
