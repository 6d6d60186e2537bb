import { instant, json, nullable, text } from '../../../platform/db/columns.ts';
import { part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { RateRequest } from '../domain/rate-table.ts';

/** An option of a quote. */
export interface QuoteOption {
  readonly option_id: string;
  readonly carrier: string;
  readonly service: string;
  readonly name: string;
  readonly price_minor: number;
  readonly eta_days_min: number;
  readonly eta_days_max: number;
  readonly label_formats: readonly string[];
}

export interface QuoteRefusal {
  readonly carrier: string;
  readonly service: string | null;
  readonly reason: string;
}

export const quotes = defineTable('shipping_quote', ['quote_id'], {
  quote_id: text,
  request: json<RateRequest>(),
  options: json<readonly QuoteOption[]>(),
  refused: json<readonly QuoteRefusal[]>(),
  currency: text,
  created_at: instant,
  expires_at: instant,
  used_at: nullable(instant),
  used_option_id: nullable(text),
});
export type QuoteRow = RowIn<typeof quotes>;

/** Stores which option of a quote was used; nulls mean that none was. */
export const markUse = (
  at: SellerDb,
  quoteId: string,
  { used_at, used_option_id }: Pick<QuoteRow, 'used_at' | 'used_option_id'>,
): Promise<number> =>
  quotes.change(
    at,
    part`used_at = ${used_at}, used_option_id = ${used_option_id}`,
    part`quote_id = ${quoteId}`,
  );

/** Makes a quote usable again, if no label was made with it. */
export const giveBackQuote = (at: SellerDb, quoteId: string): Promise<number> =>
  markUse(at, quoteId, { used_at: null, used_option_id: null });
