/** What a version of the terms asks of a seller, and by when. Source: docs/design/standing.md#due-date. */
import { dayOf } from '../../../kernel/australia/sydney.ts';

const DAY_MS = 86_400_000;
/** The least time for a first acceptance. A due date within this time is `due_soon`. */
const GRACE_MS = 14 * DAY_MS;
/** A seller is reminded this many days before the due date. */
const NOTICE_DAYS = [14, 1, 0] as const;

export const AGREEMENT_STATUSES = ['none_published', 'current', 'pending', 'due_soon', 'overdue'] as const;
export type AgreementStatus = (typeof AGREEMENT_STATUSES)[number];

/** The newest version. */
interface Terms {
  readonly reacceptance_by: string | null;
  readonly received_at: string;
}

/** Which versions a seller has accepted. */
interface Accepted {
  readonly newest: boolean;
  /** Whether it has accepted a version at all. */
  readonly ever: boolean;
}

/**
 * By when a seller must accept the newest version, in milliseconds; null if it need not.
 *
 * @param registeredAt when the seller was registered, RFC 3339
 */
export function dueAt(
  { reacceptance_by, received_at }: Terms,
  { newest, ever }: Accepted,
  registeredAt: string,
): number | null {
  if (newest || (ever && reacceptance_by === null)) return null;
  const [received, registered] = [Date.parse(received_at), Date.parse(registeredAt)];
  const due = reacceptance_by === null ? received + GRACE_MS : dayOf(reacceptance_by).next;
  return registered > received ? Math.max(due, registered + GRACE_MS) : due;
}

/** @param due null if nothing is due */
export function statusOf(due: number | null, now: number): AgreementStatus {
  if (due === null) return 'current';
  if (now >= due) return 'overdue';
  return due - now > GRACE_MS ? 'pending' : 'due_soon';
}

/** When a seller that is asked now is reminded first: at once within the time of the first reminder. */
export const firstNotice = (due: number, now: number): number => Math.max(now, due - GRACE_MS);

/** When a seller is reminded next; null after the last time. */
export const nextNotice = (due: number, now: number): number | null =>
  NOTICE_DAYS.map((days) => due - days * DAY_MS).find((at) => at > now) ?? null;

/** The days of the reminder that is due: 14, 1, or 0 from the due date on. */
export const daysLeft = (due: number, now: number): number =>
  NOTICE_DAYS.findLast((days) => now >= due - days * DAY_MS) ?? NOTICE_DAYS[0];
