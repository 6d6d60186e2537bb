/** What a provider's code of an error means for an attempt. Source: docs/design/payment-provider.md#sending. */

/** Why a provider does not pay. */
export type PayoutRefusal =
  /** An attempt on another day may succeed. */
  | 'try_again'
  /** This account cannot be paid. */
  | 'account'
  /** The provider has less money than the seller is owed. A person must check before anything is paid. */
  | 'balance';

const BALANCE = ['balance_insufficient', 'insufficient_funds', 'amount_differs', 'transfer_reversed'];
const ACCOUNT = (
  'insufficient_capabilities_for_transfer transfers_not_allowed payouts_not_allowed account_closed account_frozen ' +
  'account_invalid no_account bank_account_restricted bank_account_unusable bank_ownership_changed ' +
  'debit_not_authorized declined invalid_account_number invalid_currency'
).split(' ');
const KINDS: ReadonlyMap<string, PayoutRefusal> = new Map<string, PayoutRefusal>([
  ...BALANCE.map((code) => [code, 'balance'] as const),
  ...ACCOUNT.map((code) => [code, 'account'] as const),
]);

/** Another code may stand for something that goes away by itself. */
export const refusalOf = (code: string): PayoutRefusal =>
  KINDS.get(code) ?? (code.startsWith('incorrect_account_holder_') ? 'account' : 'try_again');
