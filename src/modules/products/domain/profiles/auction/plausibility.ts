/**
 * Checks a whole auction-site file before it is applied. The rows of a file whose data are shifted by one column may
 * have no errors, but would ruin the catalogue. Source: docs/design/feeds-and-imports.md#auction-files.
 */
import type { RecordFormat, TextRecord } from '../../../../../kernel/readers/records.ts';
import { isBlankRecord, isInfoLine } from '../cell.ts';
import type { SecondHeaderChoice } from '../profile.ts';
import { readPrice } from '../read-number.ts';
import { isAuctionHeaderRow, readAuctionHeader } from './columns.ts';
import { CONDITION_CODES } from './values.ts';

type ImplausibleCode =
  | 'second_header'
  | 'sku_repeated_everywhere'
  | 'category_is_condition'
  | 'prices_unreadable'
  | 'rows_mostly_blank';

export interface ImplausibleFinding {
  readonly code: ImplausibleCode;
  readonly message: string;
  readonly rows: number;
  /** The number of the first such row; rows are counted from 1 after the header. */
  readonly first_row: number;
  readonly first_line: number;
}

interface PlausibilityCheck {
  /** Must be called with every record after the header. */
  push(record: TextRecord): void;
  /** The reasons for refusing the file; empty for a plausible file. */
  verdict(): readonly ImplausibleFinding[];
}

/** In a short file a share proves nothing: if two rows have the same SKU, only one row may be wrong. */
const FEWEST_ROWS = 3;

interface Tally {
  rows: number;
  first_row: number;
  first_line: number;
}

const NO_ROWS: Tally = { rows: 0, first_row: 0, first_line: 0 };

interface PlausibilityOptions {
  readonly delimiter?: RecordFormat['delimiter'];
  /** `stop` makes a second header a reason for refusing the file. */
  readonly on_second_header?: SecondHeaderChoice;
}

export function createPlausibilityCheck(
  header: readonly string[],
  options: PlausibilityOptions = {},
): PlausibilityCheck {
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
      // Only the form of the price matters here, so any currency will do. The mapper checks the currency.
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
  /** The file is refused if more than this share of its rows or products has the problem. */
  readonly share: number;
  /** The file is not refused if fewer rows have the problem. */
  readonly fewest: number;
  readonly of: 'rows' | 'products';
  /** The file is refused at exactly this share too. */
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
    message: 'The category column has condition ids; the columns are probably shifted.',
  },
  {
    code: 'prices_unreadable',
    share: 0.2,
    fewest: FEWEST_ROWS,
    of: 'products',
    message: 'Many cells of the price column are not prices; the columns are probably shifted.',
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
