/** Posts what an order's facts say and the ledger does not yet: in the transaction that changes the order. */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import type { NewJournal } from '../domain/journal.ts';
import { type Booking, bookingsOf } from '../domain/order-book.ts';
import type { OrderMoney, OrderTerms } from '../domain/order-money.ts';
import { insertTerms, readOrderBook, type StandingTerms, setAvailable } from '../store/order-book.ts';
import { type LedgerCtx, type Posted, postJournals } from './post-journals.ts';

export interface BookingCtx extends LedgerCtx {
  /** Days from delivery until money is available, of sellers without a rule of their own. */
  readonly holdDays: number;
}

/** Why the ledger is looked at. */
export interface Because {
  /** When it happened, RFC 3339. */
  readonly occurred_at: string;
  readonly actor: string;
  readonly source_event_id: string | null;
}

/** Keeps the rates of an order from its acceptance on. Those that stand already stay. */
export async function freezeTerms(ctx: LedgerCtx, orderId: string, terms: OrderTerms): Promise<void> {
  await insertTerms(ctx.db, ctx.sellerId, orderId, terms, new Date(ctx.now()).toISOString());
}

interface Postable {
  readonly facts: OrderMoney;
  readonly because: Because;
  readonly holdDays: number;
  readonly notBefore: string | null;
}

function toJournal(
  { held, ...booking }: Booking,
  { facts, because, holdDays, notBefore }: Postable,
): NewJournal {
  return {
    ...booking,
    currency: facts.currency,
    order_id: facts.order_id,
    actor: because.actor,
    source_event_id: because.source_event_id,
    ...(held ? { hold_days: holdDays } : { not_before: notBefore }),
  };
}

async function frozen(
  ctx: LedgerCtx,
  orderId: string,
  standing: StandingTerms | null,
  termsOf: () => Promise<OrderTerms>,
): Promise<StandingTerms> {
  if (standing !== null) return standing;
  const terms = await termsOf();
  await freezeTerms(ctx, orderId, terms);
  return { ...terms, hold_days: null, available_on: null };
}

/** @throws Error when one stood already: the difference that it was to make would be lost without a word */
function requireNew(posted: readonly Posted[]): readonly Posted[] {
  const known = posted.find(({ isNew }) => !isNew);
  if (known !== undefined) throw new Error(`the journal ${known.key} is not the one that stands`);
  return posted;
}

/**
 * Brings the ledger to where the order's facts say it should be. Asks the ledger once; writes nothing when no money
 * moves. The order is held by the caller.
 *
 * @param termsOf the rates, for an order that was delivered without having been accepted here
 */
export async function bookOrder(
  ctx: BookingCtx,
  facts: OrderMoney,
  because: Because,
  termsOf: () => Promise<OrderTerms>,
): Promise<void> {
  if (facts.captured === null) return;
  const { db, sellerId } = ctx;
  const book = await readOrderBook(db, sellerId, facts.order_id);
  const isDue = facts.lines.some(({ delivered }) => delivered > 0);
  const terms = isDue ? await frozen(ctx, facts.order_id, book.terms, termsOf) : book.terms;
  const { first, claims } = bookingsOf(facts, terms, book.posted, because.occurred_at);
  // A changed hold counts for what arrives after the change.
  const holdDays = book.hold_days ?? ctx.holdDays;
  const standing = terms?.available_on ?? null;
  const post = async (bookings: readonly Booking[], notBefore: string | null): Promise<readonly Posted[]> =>
    requireNew(
      await postJournals(
        ctx,
        bookings.map((booking) => toJournal(booking, { facts, because, holdDays, notBefore })),
      ),
    );
  if (!first.some(({ held }) => held)) {
    await post([...first, ...claims], standing);
    return;
  }
  const posted = await post(first, standing);
  const arrived = posted.flatMap(({ posted_on }, at) =>
    first[at]?.held === true && posted_on !== undefined ? [addDays(posted_on, holdDays)] : [],
  );
  const [earliest = null] = [...arrived, ...(standing === null ? [] : [standing])].sort();
  if (earliest !== null && earliest !== standing)
    await setAvailable(db, sellerId, facts.order_id, holdDays, earliest);
  await post(claims, earliest);
}
