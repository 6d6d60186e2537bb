/** Categories, periods and values of market cells. Source: docs/design/marketplace-intel.md. */
import { sundayOf, weekOf } from '../../../kernel/australia/iso-week.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { publishedIndex, publishedPrice } from '../../../kernel/disclosure.ts';

export const MEASURES = ['price_band', 'demand_index', 'search_index'] as const;
export type Measure = (typeof MEASURES)[number];
const INDEXES = ['demand_index', 'search_index'] as const;

export const CELL_STATUSES = ['complete', 'below_threshold', 'no_usable_report'] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

export interface PriceBand {
  readonly p25_minor: number;
  readonly p50_minor: number;
  readonly p75_minor: number;
}
/** A band for `price_band`, points for an index. */
export type CellValue = PriceBand | number;

/** Rounds a value as it is stored. */
export const publishedValue = (value: CellValue): CellValue =>
  typeof value === 'number'
    ? publishedIndex(value)
    : {
        p25_minor: publishedPrice(value.p25_minor),
        p50_minor: publishedPrice(value.p50_minor),
        p75_minor: publishedPrice(value.p75_minor),
      };

const LEVELS_MAX = 5;
const SEPARATOR = ' > ';

/** The levels of a category path, in small letters and with single blanks. */
const levelsOf = (path: string): string[] =>
  path
    .normalize('NFC')
    .toLowerCase()
    .split('>')
    .map((level) => level.replaceAll(/\s+/g, ' ').trim());

/** A category as it is stored and compared; undefined if a level is empty, or if there are too many. */
export function categoryOf(path: string): string | undefined {
  const levels = levelsOf(path);
  return levels.length > LEVELS_MAX || levels.includes('') ? undefined : levels.join(SEPARATOR);
}

/** The category of a product, and those above it. */
export const prefixesOf = (path: string): string[] => {
  const levels = levelsOf(path).filter((level) => level !== '');
  return levels.slice(0, LEVELS_MAX).map((_, index) => levels.slice(0, index + 1).join(SEPARATOR));
};

export const isMonth = (period: string): boolean => !period.includes('W');
/** The measures of a period: prices for a month, indexes for a week. */
export const measuresOf = (period: string): readonly Measure[] =>
  isMonth(period) ? ['price_band'] : INDEXES;

const MONTH_CHARS = 'YYYY-MM'.length;
/** @throws RangeError if the year has no such week */
export const lastDayOf = (period: string): string =>
  isMonth(period) ? addDays(`${addDays(`${period}-28`, 4).slice(0, MONTH_CHARS)}-01`, -1) : sundayOf(period);

/** The last period that has ended, of the length that the measure has. */
export const lastPeriod = (measure: Measure, today: string): string =>
  measure === 'price_band'
    ? addDays(`${today.slice(0, MONTH_CHARS)}-01`, -1).slice(0, MONTH_CHARS)
    : weekOf(addDays(today, -7));

type Quarter = 'below_p25' | 'p25_p50' | 'p50_p75' | 'above_p75';
export function quarterOf(price: number, { p25_minor, p50_minor, p75_minor }: PriceBand): Quarter {
  if (price < p25_minor) return 'below_p25';
  if (price < p50_minor) return 'p25_p50';
  return price <= p75_minor ? 'p50_p75' : 'above_p75';
}

/** With fewer own units no price is shown. */
const OWN_UNITS_MIN = 5;

/** The lowest price at or below which half of the units were sold; null for too few units. */
export function medianOf(
  sold: readonly { readonly price_minor: number; readonly units: number }[],
): number | null {
  const all = sold.reduce((sum, { units }) => sum + units, 0);
  if (all < OWN_UNITS_MIN) return null;
  let passed = 0;
  for (const { price_minor, units } of sold.toSorted((a, b) => a.price_minor - b.price_minor)) {
    passed += units;
    if (2 * passed >= all) return price_minor;
  }
  return null;
}
