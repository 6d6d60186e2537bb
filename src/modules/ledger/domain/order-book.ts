/**
 * Computes the journals that an order still needs. The journals of an order form sheets (the capture, one refund, …).
 * The next journal of a sheet is its target less its posted journals, so facts may arrive in any order and
 * repeatedly.
 */
import { type Minor, negated } from '../../../kernel/money.ts';
import { addGain, addToAccount, type Balances, legsBetween, noBalances } from './balances.ts';
import type { Account, EntryType } from './entry-types.ts';
import { type JournalKind, keyOf, type Leg } from './journal.ts';
import type { OrderMoney, OrderTerms } from './order-money.ts';
import { latest, type Sheet, sheetsOf } from './order-sheets.ts';
import { type SlotFacts, slotOf } from './order-slots.ts';

/** A posted leg. */
export interface PostedLeg {
  readonly journal_id: string;
  readonly kind: JournalKind;
  readonly occurred_at: string;
  readonly refund_id: string | null;
  readonly dispute_id: string | null;
  readonly reverses_journal_id: string | null;
  readonly account: Account;
  readonly amount_minor: Minor;
  readonly type: EntryType | null;
  readonly order_line_id: string | null;
  readonly quantity: number | null;
}

/** A journal to post; posting adds the day from which its lines are available. */
export interface Booking {
  readonly kind: JournalKind;
  readonly key: string;
  readonly occurred_at: string;
  readonly legs: readonly Leg[];
  readonly refund_id: string | null;
  readonly dispute_id: string | null;
  readonly reverses_journal_id: string | null;
  /** The lines of a delivery are held for some days. The lines of other journals are available when the order is. */
  readonly held: boolean;
}

interface Bookings {
  /**
   * The sheets of captures, releases and deliveries. Lines of other sheets are not available before the first
   * delivery.
   */
  readonly first: readonly Booking[];
  readonly claims: readonly Booking[];
}

function balancesOf(posted: readonly PostedLeg[]): Balances {
  const balances = noBalances();
  for (const { account, amount_minor, type, order_line_id, quantity } of posted) {
    if (type === null) addToAccount(balances, account, amount_minor);
    else addGain(balances, { slot: slotOf(type), order_line_id, amount: negated(amount_minor), quantity });
  }
  return balances;
}

/** The only posted journal that is not reversed; null if there are several. */
function onlyUnreversed(posted: readonly PostedLeg[]): string | null {
  const reversed = new Set(posted.map(({ reverses_journal_id }) => reverses_journal_id));
  const current = new Set(
    posted
      .filter((leg) => leg.reverses_journal_id === null && !reversed.has(leg.journal_id))
      .map(({ journal_id }) => journal_id),
  );
  return current.size === 1 ? ([...current][0] ?? null) : null;
}

/** Whether the legs are those of a delivery: sales as gains and fees as charges, without reversals. */
const hasArrived = (legs: readonly Leg[]): boolean =>
  legs.every(({ line, amount }) => line === undefined || (line.type === 'sale') === amount < 0n);

/** The journals that turn the posted state of a sheet into its target. */
function bookSheet(
  orderId: string,
  { name, kinds, refund_id, dispute_id, steps, undone }: Sheet,
  all: readonly PostedLeg[],
  { about, changedAt }: { readonly about: SlotFacts; readonly changedAt: string },
): Booking[] {
  const posted = all.filter(
    (leg) => kinds.includes(leg.kind) && leg.refund_id === refund_id && leg.dispute_id === dispute_id,
  );
  let count = new Set(posted.map(({ journal_id }) => journal_id)).size;
  const due = count === 0 ? steps : steps.slice(-1);
  const isFirst = count === 0;
  const corrected = latest(...posted.map(({ occurred_at }) => occurred_at));
  let current = balancesOf(posted);
  return due.flatMap(({ kind, at, target }): Booking[] => {
    const legs = legsBetween(current, target, about);
    current = target;
    if (legs.length === 0) return [];
    count += 1;
    const held = kind === 'order_delivered' && hasArrived(legs);
    // A parcel may be reported after a later one. Any other journal is a correction and does not precede what it
    // corrects.
    const occurred_at = isFirst ? at : held ? changedAt : latest(at, changedAt, corrected);
    const reverses_journal_id = undone ? onlyUnreversed(posted) : null;
    const key = keyOf(orderId, ...name, count);
    return [{ kind, key, occurred_at, legs, refund_id, dispute_id, reverses_journal_id, held }];
  });
}

function factsOfSlots(facts: OrderMoney, terms: OrderTerms | null): (sheet: Sheet) => SlotFacts {
  const lines = new Map(facts.lines.map((line) => [line.order_line_id, line]));
  const rates = new Map(terms?.line_rates.map((rate) => [rate.order_line_id, rate.platform_fee_bps]));
  const won = new Set(
    facts.disputes.filter(({ status }) => status === 'won').map(({ dispute_id }) => dispute_id),
  );
  return ({ refund_id, dispute_id }) => ({
    lines,
    rates,
    loyalty_bps: terms?.loyalty_program_fund_bps ?? 0,
    related_id: refund_id ?? dispute_id,
    won: dispute_id !== null && won.has(dispute_id),
  });
}

/**
 * Compares the facts of an order with its posted journals.
 *
 * @param terms the frozen rates; null before the first acceptance or delivery
 * @param posted the legs of all journals of the order, except adjustments
 * @param changedAt the instant of the change that causes the booking, RFC 3339
 */
export function bookingsOf(
  facts: OrderMoney,
  terms: OrderTerms | null,
  posted: readonly PostedLeg[],
  changedAt: string,
): Bookings {
  // Nothing is posted before the payment is captured. After that, everything is.
  if (facts.captured === null) return { first: [], claims: [] };
  const { first, claims } = sheetsOf(facts, facts.captured, terms, changedAt);
  const aboutOf = factsOfSlots(facts, terms);
  const book = (sheet: Sheet) =>
    bookSheet(facts.order_id, sheet, posted, { about: aboutOf(sheet), changedAt });
  return { first: first.flatMap(book), claims: claims.flatMap(book) };
}
