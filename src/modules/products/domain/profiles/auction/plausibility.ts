/**
 * Checks a whole auction-site file before any of it is applied: a file whose data are shifted by one column maps
 * without an error and would ruin a catalogue. Source: docs/design/feeds-and-imports.md#auction-files.
 */

import type { RecordFormat, TextRecord } from '../../../../../kernel/readers/records.ts';
import { isBlankRecord, isInfoLine } from '../cell.ts';
import type { SecondHeaderChoice } from '../profile.ts';
import { readPrice } from '../read-number.ts';
import { isAuctionHeaderRow, readAuctionHeader } from './columns.ts';
import { CONDITION_CODES } from './values.ts';

export type ImplausibleCode =
  | 'second_header'
  | 'sku_repeated_everywhere'
  | 'category_is_condition'
  | 'prices_unreadable'
  | 'rows_mostly_blank';

export interface ImplausibleFinding {
  readonly code: ImplausibleCode;
  readonly message: string;
  readonly rows: number;
  /** Counted from 1 after the header. */
  readonly first_row: number;
  readonly first_line: number;
}

/** Gets every record after the header. */
export interface Plausibility {
  push(record: TextRecord): void;
  /** Reasons to apply nothing of the file; empty for a plausible one. */
  verdict(): readonly ImplausibleFinding[];
}

/** With fewer rows a share proves nothing: two rows with one SKU are a mistake of one row. */
const FEWEST_ROWS = 3;

interface Tally {
  rows: number;
  first_row: number;
  first_line: number;
}

const NO_ROWS: Tally = { rows: 0, first_row: 0, first_line: 0 };

export interface PlausibilityOptions {
  readonly delimiter?: RecordFormat['delimiter'];
  /** `keep` and `remap` allow a second header. */
  readonly on_second_header?: SecondHeaderChoice;
}

export function createPlausibility(
  header: readonly string[],
  options: PlausibilityOptions = {},
): Plausibility {
  const delimiter = options.delimiter ?? ',';
  const choice = options.on_second_header ?? 'stop';
  let current = readAuctionHeader(header, delimiter);
  let row = 0;
  let records = 0;
  let products = 0;
  const tallies: Record<ImplausibleCode, Tally> = {
    second_header: { ...NO_ROWS },
    sku_repeated_everywhere: { ...NO_ROWS },
    category_is_condition: { ...NO_ROWS },
    prices_unreadable: { ...NO_ROWS },
    rows_mostly_blank: { ...NO_ROWS },
  };
  const skus = new Map<string, Tally & { title: string; differs: boolean }>();

  const count = (code: ImplausibleCode, record: TextRecord): void => add(tallies[code], row, record);

  const countSku = (sku: string, title: string, record: TextRecord): void => {
    const known = skus.get(sku);
    if (known === undefined) skus.set(sku, { ...startTally(row, record), title, differs: false });
    else {
      add(known, row, record);
      known.differs ||= known.title !== title;
    }
  };

  return {
    push(record) {
      row += 1;
      const { cells } = record;
      if (isInfoLine(cells)) return;
      records += 1;
      if (isBlankRecord(cells)) return count('rows_mostly_blank', record);
      if (isAuctionHeaderRow(cells)) {
        if (choice === 'remap') current = readAuctionHeader(cells, delimiter);
        if (choice === 'stop') count('second_header', record);
        return;
      }
      products += 1;
      const { columns, decimalMark } = current;
      if (CONDITION_CODES.has(columns.text(cells, 'category'))) count('category_is_condition', record);
      const price = columns.text(cells, 'price') || columns.text(cells, 'buy_it_now');
      // Only the form matters; the row itself is checked against its currency.
      if (price !== '' && readPrice(price, 'AUD', decimalMark) === 'price_invalid') {
        count('prices_unreadable', record);
      }
      const sku = columns.text(cells, 'sku');
      const title = columns.text(cells, 'title');
      if (sku !== '' && title !== '') countSku(sku, title, record);
    },
    verdict: () => {
      for (const tally of skus.values()) {
        const worst = tallies.sku_repeated_everywhere;
        if (tally.differs && tally.rows > worst.rows) tallies.sku_repeated_everywhere = tally;
      }
      return findings(tallies, records, products);
    },
  };
}

const LIMITS: readonly {
  readonly code: ImplausibleCode;
  /** More than this share of rows or products is implausible. */
  readonly share: number;
  readonly fewest: number;
  readonly of: 'rows' | 'products';
  /** Exactly this share is implausible too. */
  readonly inclusive?: true;
  readonly message: string;
}[] = [
  {
    code: 'second_header',
    share: 0,
    fewest: 1,
    of: 'rows',
    message: 'The file has a second header row, so the meaning of the rows after it is uncertain.',
  },
  {
    code: 'sku_repeated_everywhere',
    share: 0.05,
    fewest: FEWEST_ROWS,
    of: 'products',
    message: 'Many rows with different titles have the same SKU; the columns are probably shifted.',
  },
  {
    code: 'category_is_condition',
    share: 0.05,
    fewest: 1,
    of: 'products',
    message: 'The category column holds condition ids; the columns are probably shifted.',
  },
  {
    code: 'prices_unreadable',
    share: 0.2,
    fewest: FEWEST_ROWS,
    of: 'products',
    message: 'Many price cells hold no price; the columns are probably shifted.',
  },
  {
    code: 'rows_mostly_blank',
    share: 0.3,
    fewest: FEWEST_ROWS,
    of: 'rows',
    inclusive: true,
    message: 'Many rows are blank; the file is probably damaged.',
  },
];

function findings(
  tallies: Readonly<Record<ImplausibleCode, Tally>>,
  rows: number,
  products: number,
): readonly ImplausibleFinding[] {
  return LIMITS.flatMap(({ code, share, fewest, of, inclusive, message }) => {
    const { rows: found, first_row, first_line } = tallies[code];
    const total = of === 'rows' ? rows : products;
    if (found < fewest || (inclusive ? found < total * share : found <= total * share)) return [];
    return [{ code, message, rows: found, first_row, first_line }];
  });
}

function startTally(row: number, record: TextRecord): Tally {
  return { rows: 1, first_row: row, first_line: record.line_start };
}

function add(tally: Tally, row: number, record: TextRecord): void {
  if (tally.rows === 0) Object.assign(tally, startTally(row, record));
  else tally.rows += 1;
}
