/** Posts the difference between an order's facts and its journals, in the transaction that changes the order. */
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import type { Acting } from '../../../kernel/context.ts';
import type { NewJournal } from '../domain/journal.ts';
import { type Booking, bookingsOf } from '../domain/order-book.ts';
import type { OrderMoney, OrderTerms } from '../domain/order-money.ts';
import { ledgerSettings } from '../settings.ts';
import { type FrozenTerms, insertTerms, readOrderBook, setAvailable } from '../store/order-book.ts';
import { type Posted, type PostingCtx, postJournals } from './post-journals.ts';

/** The change that journals record. */
export interface Occurrence {
  /** RFC 3339. */
  readonly occurred_at: string;
  readonly actor: string;
  readonly source_event_id: string | null;
}

/** Freezes the rates of an order at its acceptance. Rates that are already frozen do not change. */
export async function freezeTerms(ctx: PostingCtx, orderId: string, terms: OrderTerms): Promise<void> {
  await insertTerms(ctx, orderId, terms);
}

interface Posting {
  readonly facts: OrderMoney;
  readonly occurrence: Occurrence;
  readonly hold_days: number;
  readonly not_before: string | null;
}

function toJournal(
  { held, ...booking }: Booking,
  { facts, occurrence, hold_days, not_before }: Posting,
): NewJournal {
  return {
    ...booking,
    currency: facts.currency,
    order_id: facts.order_id,
    actor: occurrence.actor,
    source_event_id: occurrence.source_event_id,
    ...(held ? { hold_days } : { not_before }),
  };
}

async function requireFrozen(
  ctx: PostingCtx,
  orderId: string,
  known: FrozenTerms | null,
  termsOf: () => Promise<OrderTerms>,
): Promise<FrozenTerms> {
  if (known !== null) return known;
  const terms = await termsOf();
  await freezeTerms(ctx, orderId, terms);
  return { ...terms, hold_days: null, available_on: null };
}

/** @throws Error if a journal with the key exists, because the difference would not be posted */
function requireNew(posted: readonly Posted[]): readonly Posted[] {
  const known = posted.find(({ isNew }) => !isNew);
  if (known !== undefined) throw new Error(`the journal ${known.key} exists already`);
  return posted;
}

/**
 * Posts what the ledger lacks for the facts of the order. It reads the ledger once, and writes nothing if no money
 * moves. The caller holds the lock of the order.
 *
 * @param termsOf the rates, for an order that was delivered without having been accepted here
 */
export async function bookOrder(
  ctx: PostingCtx & Pick<Acting, 'config'>,
  facts: OrderMoney,
  occurrence: Occurrence,
  termsOf: () => Promise<OrderTerms>,
): Promise<void> {
  if (facts.captured === null) return;
  const { order_id } = facts;
  const book = await readOrderBook(ctx, order_id);
  const isDue = facts.lines.some(({ delivered }) => delivered > 0);
  const terms = isDue ? await requireFrozen(ctx, order_id, book.terms, termsOf) : book.terms;
  const { first, claims } = bookingsOf(facts, terms, book.posted, occurrence.occurred_at);
  // A changed hold applies to deliveries after the change.
  const hold_days = book.hold_days ?? ledgerSettings.of(ctx.config).SETTLEMENT_HOLD_DAYS;
  const known = terms?.available_on ?? null;
  const post = async (bookings: readonly Booking[], not_before: string | null): Promise<readonly Posted[]> =>
    requireNew(
      await postJournals(
        ctx,
        bookings.map((booking) => toJournal(booking, { facts, occurrence, hold_days, not_before })),
      ),
    );
  if (!first.some(({ held }) => held)) {
    await post([...first, ...claims], known);
    return;
  }
  const posted = await post(first, known);
  const arrived = posted.flatMap(({ posted_on }, index) =>
    first[index]?.held === true && posted_on !== undefined ? [addDays(posted_on, hold_days)] : [],
  );
  const [earliest = null] = [...arrived, ...(known === null ? [] : [known])].sort();
  if (earliest !== null && earliest !== known) await setAvailable(ctx, order_id, hold_days, earliest);
  await post(claims, earliest);
}
