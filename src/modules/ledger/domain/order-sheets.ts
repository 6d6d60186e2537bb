/** Computes the target balances of an order in the ledger, for each sheet. Source: docs/design/money.md#order-facts. */
import { lesserMinor, lessMinor, type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import { type Balances, gain, noBalances, shift } from './balances.ts';
import type { JournalKind } from './journal.ts';
import type {
  MoneyCapture,
  MoneyDelivery,
  MoneyDispute,
  MoneyRefund,
  OrderMoney,
  OrderTerms,
} from './order-money.ts';
import { type Claim, type OrderShares, sharesOf } from './order-shares.ts';

const ZERO = minor(0);

interface Step {
  readonly kind: JournalKind;
  readonly at: string;
  readonly target: Balances;
}

/** Journals about one thing. Each journal corrects the previous one. */
export interface Sheet {
  /** The thing, for example `refund` with its id. */
  readonly name: readonly string[];
  readonly kinds: readonly JournalKind[];
  readonly refund_id: string | null;
  readonly dispute_id: string | null;
  /** If nothing is posted yet, each step gets a journal. The last step has the target of the sheet. */
  readonly steps: readonly Step[];
  /** Whether the last step reverses all posted journals. */
  readonly undone: boolean;
}

const sheet = (
  name: readonly string[],
  kinds: readonly JournalKind[],
  steps: readonly Step[],
  more: Partial<Sheet> = {},
): Sheet => ({ name, kinds, steps, refund_id: null, dispute_id: null, undone: false, ...more });

/** The latest of some instants. */
export const latest = (...instants: readonly (string | null | undefined)[]): string =>
  instants.reduce<string>((max, at) => (at != null && at > max ? at : max), '');

/**
 * Posts the order's price to the escrow. If the buyer has paid another amount, the marketplace bears the difference.
 */
function captured({ amount_minor, provider_fee_minor }: MoneyCapture, price: Minor): Balances {
  const target = noBalances();
  shift(target, 'provider_clearing', 'order_escrow', price);
  shift(target, 'platform_loss', 'provider_clearing', lessMinor(price, amount_minor));
  shift(target, 'processing_cost', 'provider_clearing', provider_fee_minor);
  return target;
}

function released({ lines }: OrderShares): Balances {
  const target = noBalances();
  shift(target, 'order_escrow', 'provider_clearing', sumMinor(lines.map(({ ended }) => ended)));
  return target;
}

function delivered(capture: MoneyCapture, shares: OrderShares, terms: OrderTerms | null): Balances {
  const target = noBalances();
  for (const { line, delivered: amount } of shares.lines) {
    const units = line.kind === 'item' ? line.delivered : shares.anyDelivered ? 1 : 0;
    gain(target, 'sale', line.order_line_id, amount, units);
  }
  for (const { line, platform_fee } of shares.lines)
    gain(target, 'platform_fee', line.order_line_id, negated(platform_fee));
  for (const { line, loyalty } of shares.lines) gain(target, 'loyalty', line.order_line_id, negated(loyalty));
  if (shares.anyDelivered) {
    gain(target, 'order_fee', null, negated(terms?.seller_order_fee_minor ?? ZERO));
    gain(target, 'processing', null, negated(capture.provider_fee_minor));
  }
  return target;
}

/** The order as it was after some of its deliveries. */
function afterDeliveries(facts: OrderMoney, deliveries: readonly MoneyDelivery[]): OrderMoney {
  const units = (id: string): number =>
    deliveries
      .flatMap(({ lines }) => lines)
      .filter(({ order_line_id }) => order_line_id === id)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    ...facts,
    refunds: [],
    disputes: [],
    lines: facts.lines.map((line) => ({
      ...line,
      delivered: Math.min(line.delivered, units(line.order_line_id)),
    })),
  };
}

function deliverySteps(
  facts: OrderMoney,
  capture: MoneyCapture,
  now: OrderShares,
  terms: OrderTerms | null,
): Step[] {
  const deliveries = [...facts.deliveries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return deliveries.map(({ at }, index): Step => {
    const isLast = index === deliveries.length - 1;
    const shares = isLast ? now : sharesOf(afterDeliveries(facts, deliveries.slice(0, index + 1)), terms);
    return { kind: 'order_delivered', at, target: delivered(capture, shares, terms) };
  });
}

function addCredits(target: Balances, claims: readonly Claim[]): void {
  for (const { line, platform_fee_credit } of claims)
    gain(target, 'platform_fee_credit', line.order_line_id, platform_fee_credit);
  for (const { line, loyalty_credit } of claims)
    gain(target, 'loyalty_credit', line.order_line_id, loyalty_credit);
}

function refunded(claims: readonly Claim[]): Balances {
  const target = noBalances();
  for (const { line, seller, quantity } of claims)
    gain(target, 'refund', line.order_line_id, negated(seller), seller === 0n ? null : quantity);
  for (const { escrow, ended, beyond } of claims) {
    shift(target, 'order_escrow', 'buyer_refunds_payable', escrow);
    // A cancellation has already given this money back.
    shift(target, 'provider_clearing', 'buyer_refunds_payable', ended);
    shift(target, 'platform_loss', 'buyer_refunds_payable', beyond);
  }
  addCredits(target, claims);
  return target;
}

function paidOut(claims: readonly Claim[]): Balances {
  const target = noBalances();
  for (const { seller, escrow, ended, beyond } of claims)
    shift(target, 'buyer_refunds_payable', 'provider_clearing', sumMinor([seller, escrow, ended, beyond]));
  return target;
}

function refundSheets({ deliveries }: OrderMoney, refund: MoneyRefund, shares: OrderShares): Sheet[] {
  const { refund_id, status, made_at, settled_at } = refund;
  const claims = shares.refunds.get(refund_id) ?? [];
  const undone = status === 'failed';
  const fromSeller = claims.some(({ seller }) => seller > 0n);
  const at = undone
    ? latest(made_at, settled_at)
    : latest(made_at, ...(fromSeller ? deliveries.map((one) => one.at) : []));
  const made: Step = { kind: undone ? 'refund_failed' : 'refund_created', at, target: refunded(claims) };
  const paid: Step = {
    kind: 'refund_confirmed',
    at: latest(made_at, settled_at),
    target: status === 'succeeded' ? paidOut(claims) : noBalances(),
  };
  return [
    sheet(['refund', refund_id], ['refund_created', 'refund_failed'], [made], { refund_id, undone }),
    sheet(['refund_paid', refund_id], ['refund_confirmed'], [paid], {
      refund_id,
      undone: status !== 'succeeded',
    }),
  ];
}

interface DisputeState {
  readonly claims: readonly Claim[];
  readonly unclaimed: Minor;
  /** Whether goods were delivered. A dispute about undelivered goods costs the seller nothing. */
  readonly passedOn: boolean;
  readonly returned: Minor;
}

function disputed(
  { provider_fee_minor: fee }: MoneyDispute,
  { claims, unclaimed, passedOn, returned }: DisputeState,
): Balances {
  const target = noBalances();
  for (const { line, seller } of claims) gain(target, 'chargeback', line.order_line_id, negated(seller));
  for (const { escrow, ended, beyond } of claims) {
    shift(target, 'order_escrow', 'provider_clearing', escrow);
    shift(target, 'platform_loss', 'provider_clearing', sumMinor([ended, beyond]));
  }
  shift(target, 'platform_loss', 'provider_clearing', unclaimed);
  shift(target, 'processing_cost', 'provider_clearing', lessMinor(fee, returned));
  addCredits(target, claims);
  if (passedOn) {
    gain(target, 'dispute_fee', null, negated(fee));
    gain(target, 'dispute_fee_credit', null, lesserMinor(returned, fee));
  }
  return target;
}

const withoutCredits = (claims: readonly Claim[]): Claim[] =>
  claims.map((claim) => ({ ...claim, platform_fee_credit: ZERO, loyalty_credit: ZERO }));

function disputeSheet(
  facts: OrderMoney,
  dispute: MoneyDispute,
  shares: OrderShares,
  terms: OrderTerms | null,
): Sheet {
  const { dispute_id, status, opened_at, decided_at, returned_fee_minor } = dispute;
  // A dispute may be decided before anything could be posted. This step is the state while it was open.
  const open =
    status === 'open'
      ? shares
      : sharesOf(
          {
            ...facts,
            disputes: facts.disputes.map((one) =>
              one.dispute_id === dispute_id ? { ...one, status: 'open' as const } : one,
            ),
          },
          terms,
        );
  const state = ({ disputes, unclaimed, anyDelivered }: OrderShares, returned: Minor): DisputeState => ({
    claims: disputes.get(dispute_id) ?? [],
    unclaimed: unclaimed.get(dispute_id) ?? ZERO,
    passedOn: anyDelivered,
    returned,
  });
  const first = state(open, ZERO);
  const opened: Step = {
    kind: 'chargeback_opened',
    at: opened_at,
    target: disputed(dispute, { ...first, claims: withoutCredits(first.claims) }),
  };
  const decided: Step = {
    kind: status === 'won' ? 'chargeback_won' : 'chargeback_lost',
    at: latest(opened_at, decided_at),
    target: disputed(dispute, state(shares, returned_fee_minor ?? ZERO)),
  };
  return sheet(
    ['dispute', dispute_id],
    ['chargeback_opened', 'chargeback_lost', 'chargeback_won'],
    status === 'open' ? [opened] : [opened, decided],
    { dispute_id },
  );
}

/** The sheets of a captured order, in the order in which they are posted. */
export function sheetsOf(
  facts: OrderMoney,
  capture: MoneyCapture,
  terms: OrderTerms | null,
  because: string,
): { readonly first: readonly Sheet[]; readonly claims: readonly Sheet[] } {
  const shares = sharesOf(facts, terms);
  const price = sumMinor(facts.lines.map(({ net_minor }) => net_minor));
  const step = (kind: JournalKind, at: string, target: Balances): Step => ({ kind, at, target });
  const steps = deliverySteps(facts, capture, shares, terms);
  const gone = step('order_delivered', because, delivered(capture, shares, terms));
  return {
    first: [
      sheet(['captured'], ['order_captured'], [step('order_captured', capture.at, captured(capture, price))]),
      sheet(
        ['released'],
        ['order_released'],
        [step('order_released', latest(because, capture.at), released(shares))],
      ),
      sheet(['delivered'], ['order_delivered'], steps.length === 0 ? [gone] : steps),
    ],
    claims: [
      ...facts.refunds.flatMap((refund) => refundSheets(facts, refund, shares)),
      ...facts.disputes.map((dispute) => disputeSheet(facts, dispute, shares, terms)),
    ],
  };
}
