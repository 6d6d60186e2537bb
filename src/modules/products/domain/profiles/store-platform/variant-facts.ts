/**
 * Facts about a variant that the columns of the store platform cannot state:
 * - its key, if it differs from the handle and the options;
 * - its pictures, if they are not those of its product;
 * - its empty fields, if the first record of the product has a value there. An empty cell means "as above";
 * - its marks of status and stock, if the columns would give it others.
 *
 * Exports of this service and its files of rejected rows write the facts into a metafield. The platform ignores it, and
 * an import reads it first.
 */
import type { ImageClaim } from '../../row.ts';
import { normaliseHeader } from '../cell.ts';
import { STORE_COLUMNS } from './columns.ts';

/** The name of the metafield. An export leaves out a custom attribute with this name. */
export const FACTS_METAFIELD = 'seller_partner.variant';
export const FACTS_COLUMN = `Variant facts (variant.metafields.${FACTS_METAFIELD})`;

export interface VariantFacts {
  /** The key of the product, or its id in the form of a key; absent if it follows from the handle and the options. */
  readonly key?: string;
  /** All pictures in their order; absent if the other columns state them. */
  readonly pictures?: readonly ImageClaim[];
  /** The names of the columns that have no value for this variant. */
  readonly none?: readonly string[];
  /** Marks that the product has in place of those that the columns give it; absent ones follow from the columns. */
  readonly marks?: StoreMarks;
}

/** What the columns said at the export, and what the product has; `null` for no mark. Edited columns count. */
type StoreMark = readonly [said: string | null, has: string | null];
export type StoreMarks = Readonly<Partial<Record<'store_status' | 'stock_tracking', StoreMark>>>;

/** The marks of a row whose columns give it some. */
export function marksOver(
  marks: StoreMarks = {},
  given: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string | null>> {
  const kept = Object.entries(marks).filter(([name, [said]]) => given[name] === said);
  return { ...given, ...Object.fromEntries(kept.map(([name, [, has]]) => [name, has])) };
}

export function writeFacts(facts: VariantFacts): string {
  return Object.values(facts).every((fact) => fact === undefined) ? '' : JSON.stringify(facts);
}

/** The same in at most so many bytes: pictures that do not fit are left out. */
export function factsWithin(cellMax: number, facts: VariantFacts): string {
  const { pictures = [], ...others } = facts;
  const least = pictures.reduce((sum, { url }) => sum + url.length, 0);
  const whole = least > cellMax ? '' : writeFacts(facts);
  return whole === '' || Buffer.byteLength(whole) > cellMax ? writeFacts(others) : whole;
}

/** Whether a cell was written with the pictures of a variant. */
export const statesPictures = (cell: string): boolean => readFacts(cell).pictures !== undefined;

const PICTURE_COLUMNS: ReadonlySet<string> = new Set([
  ...STORE_COLUMNS.image,
  ...STORE_COLUMNS.variant_image,
]);

/** The column that rejected rows need behind those of their file, because a row alone does not have all pictures. */
export function columnOfFacts(header: readonly string[]): readonly string[] {
  const has = header.some((cell) => cell.includes(`.metafields.${FACTS_METAFIELD})`));
  return !has && header.some((cell) => PICTURE_COLUMNS.has(normaliseHeader(cell))) ? [FACTS_COLUMN] : [];
}

/** Reads what {@link writeFacts} has written. Another text states no facts. */
export function readFacts(cell: string): VariantFacts {
  if (cell === '') return {};
  const value = parsed(cell);
  if (typeof value !== 'object' || value === null) return {};
  const { key, pictures, none, marks }: Partial<Record<keyof VariantFacts, unknown>> = value;
  return {
    ...(typeof key === 'string' && key !== '' ? { key } : {}),
    ...(Array.isArray(pictures) && pictures.every(isPicture) ? { pictures } : {}),
    ...(Array.isArray(none) && none.every((name) => typeof name === 'string') ? { none } : {}),
    ...(isMarks(marks) ? { marks } : {}),
  };
}

function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return null;
  }
}

function isMarks(value: unknown): value is StoreMarks {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(
    ([name, mark]) =>
      (name === 'store_status' || name === 'stock_tracking') &&
      Array.isArray(mark) &&
      mark.length === 2 &&
      mark.every((word) => word === null || typeof word === 'string'),
  );
}

function isPicture(value: unknown): value is ImageClaim {
  if (typeof value !== 'object' || value === null) return false;
  const { url, alt }: { url?: unknown; alt?: unknown } = value;
  return typeof url === 'string' && (alt == null || typeof alt === 'string');
}
