/** Checks the number and the name of a seller with the business register. Source: docs/design/standing.md#business-number. */
import { checkAbn } from '../../../kernel/australia/abn.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting, Logger } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { businessNumbers, type Verdict, verdictOf } from '../domain/business-numbers.ts';
import { bestNameMatch, type NameMatch } from '../domain/name-match.ts';
import { businessNumberChanged } from '../events.ts';
import type { RegisterView } from '../schemas/register.ts';
import { findSeller, type SellerRow } from '../store/seller-row.ts';
import {
  deleteVerification,
  findVerification,
  type VerificationRow,
  writeVerification,
} from '../store/verification.ts';
import { askAbout, NOTHING_KNOWN, namesIn } from './validate-abn.ts';

const DAY_MS = 86_400_000;
const RECHECK_AFTER_MS = 30 * DAY_MS;
const RETRY_AFTER_MS = DAY_MS;

interface Verification {
  readonly format_valid: boolean;
  readonly checksum_valid: boolean;
  readonly register: RegisterView;
  readonly name_match: NameMatch | null;
  readonly verdict: Verdict;
  readonly verified_at: string | null;
  readonly next_check_on: string | null;
}

/** The check of the present number and name. A check of an earlier number or name does not count. */
export function verificationOf(seller: SellerRow, row: VerificationRow | undefined): Verification {
  const { abn, name } = businessNumbers(seller);
  const { format_valid, checksum_valid } = checkAbn(abn ?? '');
  const about = { format_valid, checksum_valid };
  if (row === undefined || row.abn !== abn || row.name !== name) {
    const register = { ...NOTHING_KNOWN, status: 'not_checked' } as const;
    const nothing = { name_match: null, verdict: 'unknown', verified_at: null, next_check_on: null } as const;
    return { ...about, register, ...nothing };
  }
  const { register, name_match, verdict, verified_at, next_check_on } = row;
  return { ...about, register, name_match, verdict, verified_at, next_check_on };
}

/** The content of the event; a change of it sends the event. */
const eventContent = ({ verdict, register }: Pick<Verification, 'verdict' | 'register'>) => ({
  verdict,
  abn_status: register.abn_status,
  entity_name: register.entity_name,
  gst_registered: register.gst_registered,
});

/** The row after an answer. Without an answer only the day of the next check changes. */
function rowAfter(
  { abn, name, acn }: { readonly abn: string; readonly name: string; readonly acn: string | null },
  before: Verification,
  register: RegisterView,
  now: number,
): VerificationRow {
  const answered = register.status === 'found' || register.status === 'not_found';
  const next_check_on = sydneyDate(now + (answered ? RECHECK_AFTER_MS : RETRY_AFTER_MS));
  if (!answered && before.verified_at !== null) {
    const { register: kept, name_match, verdict, verified_at } = before;
    return { abn, name, register: kept, name_match, verdict, verified_at, next_check_on };
  }
  const name_match = bestNameMatch(name, namesIn(register)) ?? null;
  const verdict = verdictOf(register, name_match, acn);
  const verified_at = answered ? new Date(now).toISOString() : null;
  return { abn, name, register, name_match, verdict, verified_at, next_check_on };
}

/** The transaction in which the answer of the register is stored. */
type Transaction = <T>(fn: (ctx: Acting) => Promise<T>) => Promise<T>;

/** Stores the answer about a number, unless the seller has another number or name by now. */
async function storeAnswer(
  ctx: Acting,
  abn: string,
  name: string,
  register: RegisterView,
): Promise<Verification> {
  // The lock serialises checks, and a check with a change of the seller.
  const seller = (await findSeller(ctx, true)) as SellerRow;
  const before = verificationOf(seller, await findVerification(ctx));
  const numbers = businessNumbers(seller);
  if (numbers.abn !== abn || numbers.name !== name) return before;
  const row = rowAfter({ ...numbers, abn }, before, register, ctx.now());
  await writeVerification(ctx, row);
  const [old, told] = [eventContent(before), eventContent(row)];
  const changed = Object.entries(old).filter(([field, value]) => told[field as keyof typeof told] !== value);
  if (changed.length > 0) {
    const { seller_id } = ctx;
    const object = { seller_id, abn, ...told, verified_at: row.verified_at };
    const previous = Object.fromEntries(changed);
    await ctx.emit(businessNumberChanged.of(object, { version: seller.version, previous }));
  }
  return verificationOf(seller, row);
}

/** Asks the register now. No transaction is held meanwhile. */
export async function verifyBusinessNumber(
  { services, log }: { readonly services: Services; readonly log: Logger },
  seller: SellerRow,
  transaction: Transaction,
): Promise<Verification> {
  const { abn, name } = businessNumbers(seller);
  if (abn === null) {
    await transaction(deleteVerification);
    return verificationOf(seller, undefined);
  }
  const { checksum_valid } = checkAbn(abn);
  const register = await askAbout({ services, log, now: services.now }, abn, checksum_valid, true);
  return transaction((ctx) => storeAnswer(ctx, abn, name, register));
}
