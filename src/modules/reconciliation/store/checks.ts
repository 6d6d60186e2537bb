/** The last comparison with the provider, of an account or of a payout. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { instant, integer, money, text, textsOf } from '../../../platform/db/columns.ts';
import { isoInstant } from '../../../platform/db/instant.ts';
import { part, raw, statement } from '../../../platform/db/statement.ts';
import type { Check, ReasonCode } from '../domain/reconciliation.ts';

/** If there are several providers, one that disagrees comes first. */
const LATEST = raw(`order by (r.reason_codes <> '{}') desc, r.data_through desc limit 1`);
/** A provider may have reported only about other sellers since. Its list is then complete until that later report. */
const THROUGH = part`
  (select greatest(r.data_through, max(g.data_through))
     from provider_progress g
    where g.provider = r.provider)`;

export interface CheckRow {
  readonly provider: string;
  /** A number inside JSON. */
  readonly expected_minor: bigint | number;
  readonly reported_minor: bigint | number;
  readonly in_flight_minor: bigint | number;
  readonly unmatched_count: number;
  readonly reason_codes: readonly ReasonCode[];
  readonly awaited_codes: readonly ReasonCode[];
  readonly data_through: string;
  readonly checked_at: string;
}

/** Undefined if it was never compared. */
export function checkOf(row: CheckRow | null | undefined): Check | undefined {
  if (row == null) return undefined;
  const { expected_minor, reported_minor, in_flight_minor, ...check } = row;
  const amounts = { expected: minor(expected_minor), reported: minor(reported_minor) };
  return { ...check, ...amounts, in_flight: minor(in_flight_minor) };
}

/** The comparison of the seller's whole account in one currency. */
export async function accountCheck(db: Db, sellerId: string, currency: string): Promise<Check | undefined> {
  const row = await db.one(statement({
    provider: text,
    expected_minor: money,
    reported_minor: money,
    in_flight_minor: money,
    unmatched_count: integer,
    reason_codes: textsOf<ReasonCode>(),
    awaited_codes: textsOf<ReasonCode>(),
    data_through: instant,
    checked_at: instant,
  })`
    select r.provider, r.expected_minor, r.reported_minor, r.in_flight_minor, r.unmatched_count, r.reason_codes, r.awaited_codes,
           ${THROUGH} as data_through, r.checked_at
      from reconciliation r
     where r.seller_id = ${sellerId}
       and r.scope = 'account'
       and r.subject_id = ''
       and r.currency = ${currency}
     ${LATEST}`);
  return checkOf(row);
}

/** The comparison of a payout `p`, as JSON. */
export const PAYOUT_CHECK = part`
  (select json_build_object(
            'provider', r.provider, 'expected_minor', r.expected_minor, 'reported_minor', r.reported_minor,
            'in_flight_minor', r.in_flight_minor, 'unmatched_count', r.unmatched_count, 'reason_codes', r.reason_codes,
            'awaited_codes', r.awaited_codes, 'data_through', ${isoInstant(THROUGH)},
            'checked_at', ${isoInstant('r.checked_at')})
     from reconciliation r
    where r.seller_id = p.seller_id and r.scope = 'payout' and r.subject_id = p.payout_id
    ${LATEST})`;
