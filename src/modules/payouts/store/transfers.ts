/** The one transfer of a settlement to the seller's account, and what a person must look at. */
import type { Db } from '../../../kernel/context.ts';
import { instant, money, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

const transfers = defineTable('settlement_transfer', ['settlement_id'], {
  settlement_id: text,
  provider: text,
  provider_transfer_id: nullable(text),
  amount_minor: money,
  currency: text,
  state: textOf<'asked' | 'made' | 'reversed'>(),
  first_asked_at: instant,
  made_at: nullable(instant),
});
export type TransferRow = RowIn<typeof transfers>;

export const findTransfer = (at: SellerDb, settlement_id: string) => transfers.find(at, { settlement_id });
/** @returns false if the provider was asked before */
export const insertTransfer = (at: SellerDb, row: TransferRow): Promise<boolean> => transfers.insert(at, row);

/** Notes that the provider has made the transfer. */
export const transferMade = ({ db, seller_id }: SellerDb, settlementId: string, id: string, at: string) =>
  db.run(command`
    update settlement_transfer
       set state = 'made', provider_transfer_id = ${id}, made_at = ${at}::timestamptz
     where seller_id = ${seller_id}
       and settlement_id = ${settlementId}
       and state = 'asked'`);

/** @returns the number of transfers that were not reversed before */
export const transferReversed = ({ db, seller_id }: SellerDb, settlementId: string): Promise<number> =>
  db.run(command`
    update settlement_transfer
       set state = 'reversed'
     where seller_id = ${seller_id}
       and settlement_id = ${settlementId}
       and state <> 'reversed'`);

/** The settlement of a transfer, in the system's scope. */
export const settlementOf = (db: Db, provider: string, transferId: string) =>
  db.one(statement({ seller_id: text, settlement_id: text })`
    select seller_id, settlement_id
      from settlement_transfer
     where provider = ${provider}
       and provider_transfer_id = ${transferId}`);

const exceptions = defineTable('payout_exception', ['kind', 'provider_object_id'], {
  provider: text,
  kind: textOf<'unknown_payout' | 'transfer_reversed'>(),
  provider_object_id: text,
  settlement_id: nullable(text),
  noted_at: instant,
});
/** @returns false if it is known */
export const noteException = (at: SellerDb, row: RowIn<typeof exceptions>): Promise<boolean> =>
  exceptions.insert(at, row);
