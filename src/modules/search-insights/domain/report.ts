/** What is stored of the marketplace's rows. Source: docs/design/search-insights.md#what-is-stored. */
import { namesSomebody, SEARCHERS_MIN } from '../../../kernel/disclosure.ts';
import { rateBps } from '../../../kernel/frame.ts';

export interface Counts {
  readonly impressions: number;
  readonly clicks: number;
  readonly purchases: number;
}

/** A row as the marketplace sends it. */
export interface ObservedRow extends Counts {
  readonly query: string;
  readonly product_id: string;
  /** Absent: the marketplace has applied a threshold of its own. */
  readonly searchers?: number | null | undefined;
  readonly market_impressions?: number | null | undefined;
}

export interface SearchRow extends Counts {
  readonly query: string;
  readonly product_id: string;
  /** Impressions of the products of all sellers; null: not known. */
  readonly market_impressions: number | null;
}

const NONE: Counts = { impressions: 0, clicks: 0, purchases: 0 };

const sum = (a: Counts, b: Counts): Counts => ({
  impressions: a.impressions + b.impressions,
  clicks: a.clicks + b.clicks,
  purchases: a.purchases + b.purchases,
});

/** A search as it is stored and looked for. */
export const queryOf = (text: string): string =>
  text.toLowerCase().normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** Rows whose searches differ in case and blanks only are one row. */
function merged(rows: readonly SearchRow[]): SearchRow[] {
  const found = new Map<string, SearchRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.query, row.product_id]);
    const known = found.get(key);
    const market =
      known === undefined || known.market_impressions === null || row.market_impressions === null
        ? null
        : known.market_impressions + row.market_impressions;
    found.set(key, known === undefined ? row : { ...row, ...sum(known, row), market_impressions: market });
  }
  return [...found.values()];
}

/**
 * Holds back rows of few searchers, whose counts are shown together, and searches that may say who searched. A row is
 * held back before it is merged: what others have searched for like it does not show it.
 */
export function reportOf(observed: readonly ObservedRow[]) {
  const rows: SearchRow[] = [];
  let other = NONE;
  let withheld_rows = 0;
  for (const { query: text, searchers, market_impressions = null, ...row } of observed) {
    const query = queryOf(text);
    if (namesSomebody(query)) withheld_rows += 1;
    else if (searchers != null && searchers < SEARCHERS_MIN) other = sum(other, row);
    else rows.push({ ...row, query, market_impressions });
  }
  return { rows: merged(rows), other, withheld_rows };
}

/** Rates of fewer are chance. */
const IMPRESSIONS_MIN = 50;
const CLICKS_MIN = 20;

export const ctrBps = ({ clicks, impressions }: Omit<Counts, 'purchases'>): number | null =>
  rateBps(clicks, impressions, IMPRESSIONS_MIN);

/** @param before the same search or product in the week before, if its report has it */
export function ratesOf(
  row: Counts & Pick<SearchRow, 'market_impressions'>,
  before: Omit<Counts, 'purchases'> | undefined,
) {
  const ctr_bps = ctrBps(row);
  const earlier = before === undefined ? null : ctrBps(before);
  return {
    ctr_bps,
    conversion_bps: rateBps(row.purchases, row.clicks, CLICKS_MIN),
    impression_share_bps:
      row.market_impressions === null ? null : rateBps(row.impressions, row.market_impressions),
    ctr_change_bps: ctr_bps === null || earlier === null ? null : ctr_bps - earlier,
  };
}
