/**
 * What is still to be posted of an order. Its journals fall into sheets (what was captured, what one refund did, …);
 * each sheet is held against what is posted of it, and the difference is the next journal. So it does not matter in
 * which order things come to be known, nor how often they are told.
 */
import { type Minor, negated } from '../../../kernel/money.ts';
import { addGain, addToAccount, type Balances, legsBetween, noBalances } from './balances.ts';
import type { Account, EntryType } from './entry-types.ts';
import { type JournalKind, keyOf, type Leg } from './journal.ts';
import type { OrderMoney, OrderTerms } from './order-money.ts';
import { latest, type Sheet, sheetsOf } from './order-sheets.ts';
import { type SlotFacts, slotOf } from './order-slots.ts';

/** A leg as it stands in the ledger. */
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

/** A journal to come; from when its lines are available is added when it is posted. */
export interface Booking {
  readonly kind: JournalKind;
  readonly key: string;
  readonly occurred_at: string;
  readonly legs: readonly Leg[];
  readonly refund_id: string | null;
  readonly dispute_id: string | null;
  readonly reverses_journal_id: string | null;
  /** A delivery whose lines are held for a while; else they are available as soon as the order is. */
  readonly held: boolean;
}

export interface Bookings {
  /** Captures, what went back and deliveries: the rest is not available before the first delivery is. */
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

/** The one journal of those posted that is not undone yet; null when there are several. */
function onlyStanding(posted: readonly PostedLeg[]): string | null {
  const reversed = new Set(posted.map(({ reverses_journal_id }) => reverses_journal_id));
  const standing = new Set(
    posted
      .filter((leg) => leg.reverses_journal_id === null && !reversed.has(leg.journal_id))
      .map(({ journal_id }) => journal_id),
  );
  return standing.size === 1 ? ([...standing][0] ?? null) : null;
}

/** Whether something arrived: what it was sold for less the fees, and nothing that is taken back. */
const hasArrived = (legs: readonly Leg[]): boolean =>
  legs.every(({ line, amount }) => line === undefined || (line.type === 'sale') === amount < 0n);

/** The journals that bring a sheet from what is posted to where it should stand. */
function bookSheet(
  orderId: string,
  { name, kinds, refund_id, dispute_id, steps, undone }: Sheet,
  all: readonly PostedLeg[],
  { about, because }: { readonly about: SlotFacts; readonly because: string },
): Booking[] {
  const posted = all.filter(
    (leg) => kinds.includes(leg.kind) && leg.refund_id === refund_id && leg.dispute_id === dispute_id,
  );
  let count = new Set(posted.map(({ journal_id }) => journal_id)).size;
  const due = count === 0 ? steps : steps.slice(-1);
  const isFirst = count === 0;
  const corrected = latest(...posted.map(({ occurred_at }) => occurred_at));
  let standing = balancesOf(posted);
  return due.flatMap(({ kind, at, target }): Booking[] => {
    const legs = legsBetween(standing, target, about);
    standing = target;
    if (legs.length === 0) return [];
    count += 1;
    const held = kind === 'order_delivered' && hasArrived(legs);
    // One more parcel may be heard of after a later one; anything else corrects what stands, and does not precede it.
    const occurred_at = isFirst ? at : held ? because : latest(at, because, corrected);
    const reverses_journal_id = undone ? onlyStanding(posted) : null;
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
 * Compares what an order's facts say with what is posted of it.
 *
 * @param terms the frozen rates; null as long as nothing was accepted or delivered
 * @param posted legs of all journals of the order but adjustments
 * @param because when that happened which is the reason for looking, RFC 3339
 */
export function bookingsOf(
  facts: OrderMoney,
  terms: OrderTerms | null,
  posted: readonly PostedLeg[],
  because: string,
): Bookings {
  // Nothing is posted of money that is not there; it all is once it comes.
  if (facts.captured === null) return { first: [], claims: [] };
  const { first, claims } = sheetsOf(facts, facts.captured, terms, because);
  const aboutOf = factsOfSlots(facts, terms);
  const book = (sheet: Sheet) => bookSheet(facts.order_id, sheet, posted, { about: aboutOf(sheet), because });
  return { first: first.flatMap(book), claims: claims.flatMap(book) };
}
