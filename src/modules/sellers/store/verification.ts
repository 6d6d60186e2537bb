/** What the business register has said about the number and the name of a seller. */
import type { Db } from '../../../kernel/context.ts';
import { date, instant, json, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import type { Verdict } from '../domain/business-numbers.ts';
import type { NameMatch } from '../domain/name-match.ts';
import type { RegisterView } from '../schemas/register.ts';

const columns = {
  abn: text,
  name: text,
  register: json<RegisterView>(),
  name_match: nullable(json<NameMatch>()),
  verdict: textOf<Verdict>(),
  verified_at: nullable(instant),
  next_check_on: date,
};
const verification = defineTable('seller_verification', [], columns);
export type VerificationRow = RowOf<typeof columns>;

/** It is about the number and the name that the row states; the seller may have changed them since. */
export const findVerification = (at: SellerDb): Promise<VerificationRow | undefined> =>
  verification.one(at, raw('true'));

export const writeVerification = (at: SellerDb, row: VerificationRow): Promise<number> =>
  verification.upsertMany(at, [row]);

export const deleteVerification = (at: SellerDb): Promise<number> =>
  verification.deleteWhere(at, raw('true'));

/** Takes the turn of a seller to ask the register. @returns false if its last turn was less than `pauseMs` ago */
export async function takeTurn({ db, seller_id }: SellerDb, now: number, pauseMs: number): Promise<boolean> {
  const [at, before] = [new Date(now).toISOString(), new Date(now - pauseMs).toISOString()];
  const taken = await db.run(command`
    update seller
       set register_asked_at = ${at}
     where seller_id = ${seller_id}
       and coalesce(register_asked_at <= ${before}::timestamptz, true)`);
  return taken === 1;
}

/** The next sellers whose number is checked again, in the system's scope. */
export async function sellersToRecheck(db: Db, today: string, limit: number): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select seller_id
      from seller_verification
     where next_check_on <= ${today}::date
     order by next_check_on, seller_id
     limit ${limit}`);
  return rows.map(({ seller_id }) => seller_id);
}
