import { currencyExponent } from '../../../../kernel/money.ts';
import type { JsonRow } from '../../../../kernel/readers/json-row.ts';
import { FEED_COLUMNS } from '../fields/field-columns.ts';
import { validatePatch } from '../fields/validate-patch.ts';
import type { FeedRow, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { type FoundColumn, findColumn } from './find-column.ts';
import type { NativeFeedOptions } from './map-native-header.ts';
import { nativeRow, patchOf } from './native-row.ts';

interface NativeObjectMapper {
  mapNativeObject(row: JsonRow): FeedRow;
  /** The keys of all rows, in the order of their first appearance. They are the header of the file of rejected rows. */
  readonly columns: readonly string[];
}

/**
 * Maps the rows of a JSON feed. Their keys are the columns of the native file. A value is a text, a number, or `null`
 * for an empty cell; `image_urls` may be a list of texts. An unknown key gets a warning in the first row that has it.
 */
export function nativeObjectMapper(options: NativeFeedOptions): NativeObjectMapper {
  const exponent = currencyExponent(options.currency);
  const known = new Map<string, FoundColumn | null>();
  const columns: string[] = [];

  const lookUp = (key: string, messages: RowMessage[]): FoundColumn | null => {
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const found = readableColumn(key, options, messages);
    if (known.size < MAX_KNOWN_KEYS) {
      known.set(key, found);
      columns.push(key);
    }
    return found;
  };

  const mapNativeObject = (source: JsonRow): FeedRow => {
    const { value, problem, text: unread, row_number, line_start, line_end, raw_sha256 } = source;
    const place = { row_number, line_start, line_end, raw_sha256 };
    if (problem !== undefined || typeof value !== 'object' || value === null || Array.isArray(value)) {
      const code = problem?.code ?? 'row_not_object';
      const message = rowMessage(code, { message: problem?.message, value: unread });
      // The file of rejected rows shows the whole text in one cell.
      return {
        ...place,
        patch: null,
        messages: [message],
        ...(unread === undefined ? {} : { cells: [unread] }),
      };
    }
    const row = nativeRow(exponent);
    const names = new Set<string>();
    for (const [key, given] of Object.entries(value)) {
      const found = lookUp(key, row.messages);
      if (found === null) continue;
      if (names.has(found.name)) row.messages.push(rowMessage('duplicate_header', { column: found.name }));
      names.add(found.name);
      const text = cellText(given, found, row.messages);
      if (text !== undefined) found.column.apply(text, row, found.suffix);
    }
    const { patch, messages } = validatePatch(patchOf(row), FEED_COLUMNS, exponent);
    for (const message of row.messages) messages.push(message);
    return {
      ...place,
      patch,
      messages,
      // A getter, because only rejected rows need the cells.
      get cells() {
        return withoutAbsentEnd(columns.map((key) => plainText(value, key)));
      },
    };
  };

  return { mapNativeObject, columns };
}

/** Limits the memory for a feed in which each row has new keys. No real feed has so many columns. */
const MAX_KNOWN_KEYS = 2_000;

function readableColumn(
  key: string,
  { mode }: NativeFeedOptions,
  messages: RowMessage[],
): FoundColumn | null {
  const found = findColumn(key, messages) ?? null;
  if (found === null || mode !== 'inventory' || found.column.inventory) return found;
  messages.push(rowMessage('column_ignored_in_mode', { column: found.name, value: found.name }));
  return null;
}

/** @returns the value as a cell; `undefined` when it has reported that the type is wrong */
function cellText(given: unknown, found: FoundColumn, messages: RowMessage[]): string | undefined {
  if (typeof given === 'string') return given;
  if (given === null) return '';
  if (typeof given === 'number' && Number.isFinite(given)) return String(given);
  if (typeof given === 'boolean' && found.column.name === 'attributes.*') return String(given);
  if (found.column.type === 'list of addresses' && isTextList(given)) {
    return given.map((url) => url.replaceAll('|', '%7C')).join('\n');
  }
  messages.push(rowMessage('type_invalid', { column: found.name, expected: found.column.type }));
  return undefined;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Drops the absent cells at the end of a row, so that the evidence of a row with few keys is small. */
function withoutAbsentEnd(cells: readonly (string | null)[]): readonly (string | null)[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== null) + 1);
}

/** @returns a value as a cell of the file of rejected rows; `null` when the row does not have the key */
function plainText(row: object, key: string): string | null {
  if (!Object.hasOwn(row, key)) return null;
  const value = (row as Record<string, unknown>)[key];
  if (value === undefined || value === null) return '';
  if (isTextList(value)) return value.map((text) => text.replaceAll('|', '%7C')).join(' | ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
