/** Sends feeds and reads their runs, for the tests of feed runs. */
import { randomUUID } from 'node:crypto';
import type { Answer, TestSeller } from './app.ts';

export interface Counts {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deactivated: number;
  readonly merged: number;
  readonly staged: number;
  readonly ignored: number;
  readonly rejected: number;
  readonly not_attempted: number;
  readonly warnings: number;
}

export interface RowResult {
  readonly row_number: number;
  readonly line_start: number;
  readonly line_end: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
  readonly outcome: string;
  readonly identity_resolution: Record<string, unknown> | null;
  readonly changes: { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  readonly messages: {
    readonly code: string;
    readonly severity: string;
    readonly column?: string;
    readonly value_excerpt?: string;
  }[];
}

export interface Run {
  readonly run_id: string;
  readonly kind: string;
  readonly mode: string;
  readonly status: string;
  readonly dry_run: boolean;
  readonly counts: Counts;
  readonly source: Record<string, unknown>;
  readonly error: { readonly code: string } | null;
  readonly detection: Record<string, unknown> | null;
  readonly progress: { readonly rows_done: number; readonly rows_total: number | null };
  readonly links: Record<string, string>;
  readonly commits_run_id: string | null;
  readonly reverts_run_id: string | null;
  readonly idempotency_key: string | null;
  readonly row_results: RowResult[];
}

/** The body of the feed family. */
export interface FeedFailure {
  readonly error: string;
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly limits?: Record<string, number>;
  readonly run?: Run;
  readonly row_results: RowResult[];
}

export interface Sending {
  /** Query, without its question mark. */
  readonly query?: string;
  /** Default: a new key. */
  readonly key?: string;
  /** Default: `text/csv`; `null` leaves it to the body. */
  readonly type?: string | null;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a feed file. */
export function feed<Body = Run>(
  seller: TestSeller,
  body: string | Uint8Array | FormData,
  { query, key = randomUUID(), type = 'text/csv', path = '/products/feed-runs', headers }: Sending = {},
): Promise<Answer<Body>> {
  return seller.call<Body>('POST', query === undefined ? path : `${path}?${query}`, {
    body,
    headers: {
      ...(type === null ? {} : { 'content-type': type }),
      'idempotency-key': key,
      ...headers,
    },
  });
}

/** Sends a feed, expects it to be applied, and returns its run. */
export async function applied(
  seller: TestSeller,
  body: string | Uint8Array | FormData,
  sending: Sending = {},
): Promise<Run> {
  const answer = await feed(seller, body, sending);
  if (answer.status !== 201) throw new Error(`feed: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A CSV text of rows; a column that a row lacks is empty in it. */
export function csv(rows: readonly Readonly<Record<string, string | number>>[], delimiter = ','): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: string | number): string => {
    const text = String(value);
    return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => header.map((name) => cell(row[name] ?? '')).join(delimiter));
  return `${[header.join(delimiter), ...lines].join('\n')}\n`;
}

/** A row that makes an active product. */
export const goods = (
  sku: string,
  more: Readonly<Record<string, string | number>> = {},
): Record<string, string | number> => ({
  seller_sku: sku,
  title: `Goods ${sku}`,
  price: '24.99',
  quantity: 5,
  identity_strategy: 'exempt',
  exempt_reason: 'handmade',
  ...more,
});

/** A file of `count` good rows `prefix-1` …. */
export const goodsFile = (
  count: number,
  prefix: string,
  more: (index: number) => Record<string, string | number> = () => ({}),
): string => csv(Array.from({ length: count }, (_, index) => goods(`${prefix}-${index + 1}`, more(index))));

export async function runOf(seller: TestSeller, runId: string): Promise<Run> {
  const answer = await seller.call<Run>('GET', `/products/feed-runs/${runId}`);
  if (answer.status !== 200) throw new Error(`run: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** All row results of a run, page by page. */
export async function rowsOf(seller: TestSeller, runId: string, query = ''): Promise<RowResult[]> {
  const rows: RowResult[] = [];
  for (let cursor = ''; ; ) {
    const answer = await seller.call<{ data: RowResult[]; page: { next_cursor: string | null } }>(
      'GET',
      `/products/feed-runs/${runId}/row-results?limit=200${query}${cursor}`,
    );
    if (answer.status !== 200) throw new Error(`rows: ${answer.status} ${answer.text}`);
    rows.push(...answer.body.data);
    const next = answer.body.page.next_cursor;
    if (next === null) return rows;
    cursor = `&cursor=${next}`;
  }
}

export interface CatalogueProduct {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly title: string | null;
  readonly price_minor: number | null;
  readonly quantity_on_hand: number | null;
  readonly version: number;
  readonly [key: string]: unknown;
}

/** All products of a seller by SKU. */
export async function catalogueOf(seller: TestSeller): Promise<Map<string, CatalogueProduct>> {
  const products = new Map<string, CatalogueProduct>();
  for (let cursor = ''; ; ) {
    const answer = await seller.call<{ data: CatalogueProduct[]; page: { next_cursor: string | null } }>(
      'GET',
      `/products?limit=200${cursor}`,
    );
    if (answer.status !== 200) throw new Error(`products: ${answer.status} ${answer.text}`);
    for (const product of answer.body.data) products.set(product.seller_sku ?? product.product_id, product);
    const next = answer.body.page.next_cursor;
    if (next === null) return products;
    cursor = `&cursor=${next}`;
  }
}

/** Outcomes in file order. */
export const outcomes = (rows: readonly RowResult[]): string[] => rows.map(({ outcome }) => outcome);

/** Codes of the findings of each row, in file order. */
export const codes = (rows: readonly RowResult[]): string[][] =>
  rows.map(({ messages }) => messages.map(({ code }) => code));

/** SQL for `from`: all written events, numbered or not, bulk events included; without daily checkpoints. */
export const WRITTEN_EVENTS =
  "(select seller_id, type, object_id from outbox where type <> 'audit.checkpoint' union all " +
  'select seller_id, unnest(types), unnest(object_ids) from outbox_bulk) as written';

/** Repeats a query until its answer is the expected one. */
export async function eventually<T>(
  read: () => Promise<T>,
  enough: (value: T) => boolean,
  timeoutMs = 120_000,
): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (enough(value)) return value;
    if (performance.now() > until) throw new Error(`timed out; last value: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const isOver = ({ status }: Run): boolean => !['received', 'validating', 'applying'].includes(status);
