import type { PayoutRefusal } from '../actions/send-payout.ts';
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
  /** A canceled payout is `failed`; `returned`: paid, then sent back. */
  readonly status: 'in_transit' | 'paid' | 'failed' | 'returned';
  /** RFC 3339: since when it is so. */
  readonly at: string;
  readonly expected_arrival_on: string | null;
  readonly payment_reference: string | null;
  readonly bank_reference: string | null;
  readonly failure: TransferFailure | null;
}

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

/** A provider that sends by itself. Both methods throw when the outcome is unknown; the caller repeats them. */
export interface Transfers {
  /** A refusal is an answer: the attempt has failed and moved no money. */
  send(order: TransferOrder): Promise<TransferState | TransferRefusal>;
  read(providerPayoutId: string): Promise<TransferState>;
}

export interface PayoutProvider {
  readonly name: string;
  /** Sellers open an account with it, before anything is paid. */
  readonly accountRequired: boolean;
  /** It has pages of its own on which sellers are onboarded, or see their account. */
  readonly hasPages: boolean;
  /** How payouts are made, as a text for sellers. */
  readonly description: string;
  /** Null: the service sends nothing. */
  readonly transfers: Transfers | null;
}

/** The marketplace pays by itself and reports each payout (`marketplace.payout.updated`). */
export const MANUAL: PayoutProvider = {
  name: 'manual',
  accountRequired: false,
  hasPages: false,
  description:
    'The marketplace pays settlements itself and reports each payout. There is no account to open; nothing is sent or repeated automatically.',
  transfers: null,
};
