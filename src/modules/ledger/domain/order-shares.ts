/**
 * Computes how much of each order line belongs to the seller, goes back to the buyer, or is still open. The result
 * depends only on the facts, not on the order in which they arrived.
 * Source: docs/design/money.md#order-facts.
 */
import {
  atRate,
  lesserMinor,
  lessMinor,
  type Minor,
  minor,
  shareBetween,
  shareToDate,
  splitMinor,
  sumMinor,
  tiersMinor,
} from '../../../kernel/money.ts';
import type { MoneyLine, OrderMoney, OrderTerms } from './order-money.ts';

const ZERO = minor(0);

/**
 * The shares of one line. The delivered, ended and open amounts sum to its net amount. Only the delivered part has
 * fees.
 */
interface LineShare {
  readonly line: MoneyLine;
  readonly delivered: Minor;
  readonly ended: Minor;
  readonly open: Minor;
  readonly rate_bps: number;
  readonly platform_fee: Minor;
  readonly loyalty: Minor;
}

/** The amounts that a refund or a dispute takes from one line, by who pays them. */
export interface Claim {
  readonly line: MoneyLine;
  readonly quantity: number | null;
  /** The seller pays this, from the delivered part. */
  readonly seller: Minor;
  /** The escrow pays this, from the open part. */
  readonly escrow: Minor;
  /** A cancellation has already given this back. */
  readonly ended: Minor;
  /** This exceeds the line, so the marketplace bears it. */
  readonly beyond: Minor;
  readonly platform_fee_credit: Minor;
  readonly loyalty_credit: Minor;
}

export interface OrderShares {
  readonly lines: readonly LineShare[];
  /** Whether at least one unit was delivered. Then shipping, the order fee and the processing fee are due. */
  readonly anyDelivered: boolean;
  /** By the marketplace's id of the refund; failed refunds are left out. */
  readonly refunds: ReadonlyMap<string, readonly Claim[]>;
  /** By the marketplace's id of the dispute; won disputes are left out. */
  readonly disputes: ReadonlyMap<string, readonly Claim[]>;
  /** The part of each dispute that exceeds the remaining amounts of all lines. */
  readonly unclaimed: ReadonlyMap<string, Minor>;
}

/** Units that may still be delivered. */
const pendingOf = ({ ordered, delivered, ended }: MoneyLine): number => ordered - delivered - ended;

function goneOf(line: MoneyLine, items: readonly MoneyLine[]): { delivered: Minor; ended: Minor } {
  const { net_minor: net, ordered } = line;
  if (line.kind === 'shipping') {
    const arrived = items.some(({ delivered }) => delivered > 0);
    const over = items.every((item) => pendingOf(item) === 0);
    return { delivered: arrived ? net : ZERO, ended: !arrived && over ? net : ZERO };
  }
  const whole = BigInt(ordered);
  return {
    delivered: shareToDate(net, BigInt(line.delivered), whole),
    // It is computed from the units that have not ended, so that both amounts sum to the net amount.
    ended: lessMinor(net, shareToDate(net, BigInt(ordered - line.ended), whole)),
  };
}

function shareOf(
  line: MoneyLine,
  items: readonly MoneyLine[],
  loyalty: boolean,
  terms: OrderTerms | null,
): LineShare {
  const { delivered, ended } = goneOf(line, items);
  const rate_bps =
    terms?.line_rates.find(({ order_line_id }) => order_line_id === line.order_line_id)?.platform_fee_bps ??
    0;
  /** The part of a fee by quantities, so that the parts of several deliveries sum to the fee. */
  const due = (fee: Minor): Minor => {
    if (line.kind === 'item') return shareToDate(fee, BigInt(line.delivered), BigInt(line.ordered));
    return items.some((item) => item.delivered > 0) ? fee : ZERO;
  };
  const fund = loyalty && line.kind === 'item' ? (terms?.loyalty_program_fund_bps ?? 0) : 0;
  return {
    line,
    delivered,
    ended,
    open: lessMinor(line.net_minor, delivered, ended),
    rate_bps,
    platform_fee: due(atRate(line.net_minor, rate_bps)),
    loyalty: due(atRate(line.net_minor, fund)),
  };
}

/** Takes claims one after another from the remaining amounts of a line. */
class LineClaims {
  readonly share: LineShare;
  private taken = ZERO;

  constructor(share: LineShare) {
    this.share = share;
  }

  /** The amount that refunds and disputes have not taken, without the part that has ended. */
  left(): Minor {
    const { delivered, open } = this.share;
    const whole = sumMinor([delivered, open]);
    return lessMinor(whole, lesserMinor(this.taken, whole));
  }

  take(amount: Minor, quantity: number | null, credited: boolean): Claim {
    const { line, delivered, open, platform_fee, loyalty } = this.share;
    const start = this.taken;
    const end = sumMinor([start, amount]);
    this.taken = end;
    const reach = sumMinor([delivered, open]);
    const [seller = ZERO, escrow = ZERO, ended = ZERO, beyond = ZERO] = tiersMinor(start, end, [
      delivered,
      reach,
      line.net_minor,
    ]);
    const credit = (fee: Minor): Minor =>
      credited && delivered > 0n
        ? shareBetween(fee, lesserMinor(start, delivered), lesserMinor(end, delivered), delivered)
        : ZERO;
    return {
      line,
      quantity,
      seller,
      escrow,
      ended,
      beyond,
      platform_fee_credit: credit(platform_fee),
      loyalty_credit: credit(loyalty),
    };
  }

  /** Disputes come after refunds, and take nothing from the part that has ended. */
  endRefunds(): void {
    const { delivered, open } = this.share;
    this.taken = lesserMinor(this.taken, sumMinor([delivered, open]));
  }
}

const inOrder = <T>(items: readonly T[], keyOf: (item: T) => string): T[] =>
  [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));

function refundClaims({ refunds }: OrderMoney, lines: ReadonlyMap<string, LineClaims>): Map<string, Claim[]> {
  const active = inOrder(
    refunds.filter(({ status }) => status !== 'failed'),
    ({ made_at, refund_id }) => `${made_at} ${refund_id}`,
  );
  return new Map(
    active.map((refund) => [
      refund.refund_id,
      refund.lines.flatMap(({ order_line_id, quantity, amount_minor }) => {
        const line = lines.get(order_line_id);
        return line === undefined ? [] : [line.take(amount_minor, quantity > 0 ? quantity : null, true)];
      }),
    ]),
  );
}

function disputeClaims({ disputes }: OrderMoney, lines: readonly LineClaims[]) {
  const claims = new Map<string, Claim[]>();
  const unclaimed = new Map<string, Minor>();
  const active = inOrder(
    disputes.filter(({ status }) => status !== 'won'),
    ({ opened_at, dispute_id }) => `${opened_at} ${dispute_id}`,
  );
  for (const { dispute_id, amount_minor, status } of active) {
    const left = lines.map((line) => line.left());
    const claimed = lesserMinor(amount_minor, sumMinor(left));
    const parts = splitMinor(claimed, left);
    claims.set(
      dispute_id,
      lines.map((line, at) => line.take(parts[at] ?? ZERO, null, status === 'lost')),
    );
    unclaimed.set(dispute_id, lessMinor(amount_minor, claimed));
  }
  return { claims, unclaimed };
}

/** Computes the shares of an order from its present facts. */
export function sharesOf(facts: OrderMoney, terms: OrderTerms | null): OrderShares {
  const items = facts.lines.filter(({ kind }) => kind === 'item');
  const lines = facts.lines.map((line) => shareOf(line, items, facts.loyalty, terms));
  const claims = lines.map((share) => new LineClaims(share));
  const refunds = refundClaims(
    facts,
    new Map(claims.map((claim) => [claim.share.line.order_line_id, claim])),
  );
  for (const claim of claims) claim.endRefunds();
  const { claims: disputes, unclaimed } = disputeClaims(facts, claims);
  return { lines, anyDelivered: items.some(({ delivered }) => delivered > 0), refunds, disputes, unclaimed };
}
