/** Balances of one sheet: the seller's by order line and purpose, the others by account. */
import { lessMinor, type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import type { Account } from './entry-types.ts';
import type { Leg } from './journal.ts';
import { counterOf, SLOTS, type Slot, type SlotFacts, statementOf } from './order-slots.ts';

const ZERO = minor(0);

interface Gain {
  readonly slot: Slot;
  readonly order_line_id: string | null;
  readonly amount: Minor;
  readonly quantity: number | null;
}

export interface Balances {
  /** Above zero if the seller has gained. */
  readonly gains: Map<string, Gain>;
  /** Above zero for debits. */
  readonly accounts: Map<Account, Minor>;
}

export const noBalances = (): Balances => ({ gains: new Map(), accounts: new Map() });

export function addToAccount({ accounts }: Balances, account: Account, amount: Minor): void {
  accounts.set(account, sumMinor([accounts.get(account) ?? ZERO, amount]));
}

export function addGain({ gains }: Balances, { slot, order_line_id, amount, quantity }: Gain): void {
  const key = `${slot} ${order_line_id ?? ''}`;
  const known = gains.get(key);
  gains.set(key, {
    slot,
    order_line_id,
    amount: sumMinor([known?.amount ?? ZERO, amount]),
    quantity: quantity === null ? (known?.quantity ?? null) : quantity + (known?.quantity ?? 0),
  });
}

/** Adds a gain of the seller, and the opposite amount on the other account. */
export function gain(
  balances: Balances,
  slot: Slot,
  order_line_id: string | null,
  amount: Minor,
  quantity: number | null = null,
): void {
  addGain(balances, { slot, order_line_id, amount, quantity });
  addToAccount(balances, counterOf(slot), amount);
}

export function shift(balances: Balances, debit: Account, credit: Account, amount: Minor): void {
  addToAccount(balances, debit, amount);
  addToAccount(balances, credit, negated(amount));
}

/** The legs that turn balances into their target; none if they are equal. */
export function legsBetween(current: Balances, target: Balances, about: SlotFacts): Leg[] {
  // Statements show sales before fees, and charges before credits.
  const ordered = [...new Map([...current.gains, ...target.gains])].sort(
    ([, a], [, b]) => SLOTS.indexOf(a.slot) - SLOTS.indexOf(b.slot),
  );
  const seller = ordered.flatMap(([key, { slot, order_line_id }]): Leg[] => {
    const [now, was] = [target.gains.get(key), current.gains.get(key)];
    const amount = lessMinor(now?.amount ?? ZERO, was?.amount ?? ZERO);
    if (amount === 0n) return [];
    const units = now?.quantity == null ? 0 : now.quantity - (was?.quantity ?? 0);
    const line = statementOf(slot, amount > 0n, order_line_id, about);
    return [
      {
        account: 'seller_payable',
        amount: negated(amount),
        line: { ...line, quantity: units === 0 ? null : units },
      },
    ];
  });
  const accounts = new Set([...target.accounts.keys(), ...current.accounts.keys()]);
  const others = [...accounts].flatMap((account): Leg[] => {
    const amount = lessMinor(target.accounts.get(account) ?? ZERO, current.accounts.get(account) ?? ZERO);
    return amount === 0n ? [] : [{ account, amount }];
  });
  return [...seller, ...others];
}
