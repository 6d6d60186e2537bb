import { bigint, date, instant, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export const enrolments = defineTable('loyalty_enrolment', 'enrolment_id', {
  state: textOf<'requested' | 'active' | 'ending' | 'refused' | 'ended'>(),
  from_on: date,
  /** The first day on which it no longer holds. */
  to_on: nullable(date),
  program_version: text,
  requested_by: nullable(text),
  decided_at: nullable(instant),
  reason: nullable(text),
  known_at: nullable(instant),
  known_version: nullable(bigint),
});
export type EnrolmentRow = RowIn<typeof enrolments>;

/** Locks the enrolment and the points of a seller, so that their changes run one after another. */
export async function lockLoyalty({ db, seller_id }: SellerDb): Promise<void> {
  await lockName(db, `loyalty/${seller_id}`);
}

/** The newest enrolment, which is the present state. */
export const lastEnrolment = (at: SellerDb): Promise<EnrolmentRow | undefined> =>
  enrolments.one(at, part`true order by enrolment_id desc limit 1`);
