import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { RateRequest } from '../domain/rate-table.ts';

/** An option as stored and shown. */
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

/** A quote as stored; instants are RFC 3339. */
export interface QuoteRow {
  readonly quote_id: string;
  readonly request: RateRequest;
  readonly options: readonly QuoteOption[];
  readonly refused: readonly QuoteRefusal[];
  readonly currency: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly used_at: string | null;
  readonly used_option_id: string | null;
}

const COLUMNS =
  'quote_id, request, options, refused, currency, created_at, expires_at, used_at, used_option_id';

export async function insertQuote(db: Db, sellerId: string, row: QuoteRow): Promise<void> {
  await db.run(
    sql(
      'insert into shipping_quote (seller_id, quote_id, request, options, refused, currency, created_at, expires_at) ' +
        'values ($1, $2, $3::jsonb, $4::jsonb, $5::jsonb, $6, $7, $8)',
      [
        sellerId,
        row.quote_id,
        JSON.stringify(row.request),
        JSON.stringify(row.options),
        JSON.stringify(row.refused),
        row.currency,
        row.created_at,
        row.expires_at,
      ],
    ),
  );
}

/** @param hold until the end of the transaction, so that a quote is used once */
export function findQuote(
  db: Db,
  sellerId: string,
  quoteId: string,
  hold = false,
): Promise<QuoteRow | undefined> {
  const lock = hold ? ' for update' : '';
  return db.one<QuoteRow>(
    sql(`select ${COLUMNS} from shipping_quote where seller_id = $1 and quote_id = $2${lock}`, [
      sellerId,
      quoteId,
    ]),
  );
}

export async function markUsed(
  db: Db,
  sellerId: string,
  { quoteId, optionId, at }: { readonly quoteId: string; readonly optionId: string; readonly at: string },
): Promise<void> {
  await db.run(
    sql(
      'update shipping_quote set used_at = $3, used_option_id = $4 where seller_id = $1 and quote_id = $2',
      [sellerId, quoteId, at, optionId],
    ),
  );
}

const GIVE_BACK =
  'update shipping_quote set used_at = null, used_option_id = null where seller_id = $1 and quote_id = $2';

/** Undoes the use of a quote: nothing came of it. */
export async function giveBackQuote(db: Db, sellerId: string, quoteId: string): Promise<void> {
  await db.run(sql(GIVE_BACK, [sellerId, quoteId]));
}
