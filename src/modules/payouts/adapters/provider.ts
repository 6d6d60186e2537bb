/** Providers through which sellers are paid. */

/** A request to a provider for one attempt. */
export interface TransferOrder {
  /** The key of the attempt: a repeated request with it returns the same payout. */
  readonly idempotency_key: string;
  readonly seller_id: string;
  readonly payout_id: string;
  readonly settlement_id: string;
  /** Minor units, above zero. */
  readonly amount_minor: number;
  readonly currency: string;
}

/** A payout as the provider has it. */
export interface TransferState {
  readonly provider_payout_id: string;
  readonly provider_transfer_id: string | null;
  /** A cancelled payout is `failed`. A payout that was paid and then sent back is `returned`. */
  readonly status: 'in_transit' | 'paid' | 'failed' | 'returned';
  /** The instant since which the payout has this state, RFC 3339. */
  readonly at: string;
  readonly expected_arrival_on: string | null;
  readonly payment_reference: string | null;
  readonly bank_reference: string | null;
  readonly failure: TransferFailure | null;
}

/** Why a provider does not pay. */
export type PayoutRefusal =
  /** An attempt on another day may succeed. */
  | 'try_again'
  /** This account cannot be paid. */
  | 'account'
  /** The provider has less money than the seller is owed. A person must check before anything is paid. */
  | 'balance';

export interface TransferFailure {
  readonly code: string;
  readonly message: string | null;
  readonly refusal: PayoutRefusal;
}

export interface TransferRefusal {
  readonly status: 'refused';
  /** RFC 3339. */
  readonly at: string;
  readonly failure: TransferFailure;
}

/**
 * A provider that sends money itself. If the outcome is unknown, both methods throw, and the caller repeats the call.
 */
export interface Transfers {
  /** A refusal is an answer and not an exception: the attempt has failed and has moved no money. */
  send(order: TransferOrder): Promise<TransferState | TransferRefusal>;
  read(providerPayoutId: string): Promise<TransferState>;
}

export interface PayoutProvider {
  readonly name: string;
  /** Whether a seller needs an account with the provider. */
  readonly accountRequired: boolean;
  /** Whether the provider has pages on which sellers are onboarded, or see their account. */
  readonly hasPages: boolean;
  /** A text for sellers about how payouts are made. */
  readonly description: string;
  /** Null if the service does not send payouts. */
  readonly transfers: Transfers | null;
}

/** The marketplace pays sellers itself and reports each payout (`marketplace.payout.updated`). */
export const MANUAL: PayoutProvider = {
  name: 'manual',
  accountRequired: false,
  hasPages: false,
  description:
    'The marketplace pays settlements itself and reports each payout. There is no account to open; nothing is sent or repeated automatically.',
  transfers: null,
};
