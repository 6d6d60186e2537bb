/** The one transfer of a settlement to the seller's account, and what a person must look at. */
import { instant, integer, money, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export const transfers = defineTable('settlement_transfer', ['settlement_id'], {
  settlement_id: text,
  provider: text,
  provider_transfer_id: nullable(text),
  amount_minor: money,
  currency: text,
  state: textOf<'asked' | 'refused' | 'made' | 'reversed'>(),
  /** The attempt whose key the provider was last asked with. */
  asked_attempt: integer,
  first_asked_at: instant,
  made_at: nullable(instant),
});

/** Lets an attempt that began after a refusal ask with a key of its own. */
export const askAgain = (own: SellerDb, settlementId: string, attempt: number) =>
  transfers.change(
    own,
    part`state = 'asked', asked_attempt = ${attempt}::int`,
    part`settlement_id = ${settlementId} and state = 'refused' and asked_attempt < ${attempt}::int`,
  );

/** Notes that the provider has refused what an attempt asked for. */
export const transferRefused = (own: SellerDb, settlementId: string, attempt: number) =>
  transfers.change(
    own,
    part`state = 'refused'`,
    part`settlement_id = ${settlementId} and state = 'asked' and asked_attempt = ${attempt}::int`,
  );

/** Notes that the provider has made the transfer. */
export const transferMade = (own: SellerDb, settlementId: string, id: string, at: string) =>
  transfers.change(
    own,
    part`state = 'made', provider_transfer_id = ${id}, made_at = ${at}::timestamptz`,
    part`settlement_id = ${settlementId} and state in ('asked', 'refused')`,
  );

/**
 * Notes that a transfer was taken back, also before the answer that it was made.
 *
 * @returns 0 if that is known, or if it is not the settlement's transfer
 */
export const transferReversed = (own: SellerDb, settlementId: string, id: string, at: string) =>
  transfers.change(
    own,
    part`state = 'reversed', provider_transfer_id = ${id}, made_at = coalesce(made_at, ${at}::timestamptz)`,
    part`settlement_id = ${settlementId} and state <> 'reversed' and coalesce(provider_transfer_id, ${id}) = ${id}`,
  );

export const exceptions = defineTable('payout_exception', ['kind', 'provider_object_id'], {
  provider: text,
  kind: textOf<'unknown_payout' | 'transfer_reversed'>(),
  provider_object_id: text,
  settlement_id: nullable(text),
  noted_at: instant,
});
export type PayoutException = RowIn<typeof exceptions>;
