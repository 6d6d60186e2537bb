/** Providers through which sellers are paid. */
import type { ProviderAccount } from '../domain/account-status.ts';
import type { PayoutRefusal } from '../domain/refusal.ts';

/** A request to a provider for one attempt. */
export interface TransferOrder {
  /** The key of the attempt: a repeated request with it returns the same payout. */
  readonly idempotency_key: string;
  readonly seller_id: string;
  readonly payout_id: string;
  readonly settlement_id: string;
  /** Counts the attempts of the settlement from 1. */
  readonly attempt: number;
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
  /** The payout that the provider was asked for, as it repeats the id; absent if it does not. */
  readonly payout_id?: string | null;
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

/**
 * A provider that sends money itself. If the outcome is unknown, both methods throw, and the caller repeats the call.
 */
export interface Transfers {
  /** A refusal is an answer and not an exception: the attempt has failed and has moved no money. */
  send(order: TransferOrder): Promise<TransferState | TransferRefusal>;
  read(providerPayoutId: string, sellerId: string): Promise<TransferState>;
}

/** The provider does not answer, or not now. Nothing is known about the effect of the call. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  /** Whether the provider repeats this answer to the key of the request, or knows the key from another request. */
  readonly isKeySpent: boolean;

  constructor(
    message: string,
    { isKeySpent = false, ...options }: ErrorOptions & { isKeySpent?: boolean } = {},
  ) {
    super(message, options);
    this.isKeySpent = isKeySpent;
  }
}

/** The provider answers that it does not do what it was asked for. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
  readonly code: string;

  constructor(code: string) {
    super(`the payment provider refused: ${code}`);
    this.code = code;
  }
}

/** A page of the provider for the seller. */
interface ProviderLink {
  readonly url: string;
  /** RFC 3339. */
  readonly expires_at: string;
}

/**
 * The accounts of sellers at a provider.
 *
 * @throws ProviderUnavailable, ProviderRefused
 */
export interface ProviderAccounts {
  /**
   * Opens the account of a seller. For a day the provider repeats its answer to a key, a refusal too.
   *
   * @returns its id at the provider
   */
  open(request: OpeningRequest): Promise<string>;
  /** The account that was opened for a seller since an instant (RFC 3339), for when the answer was lost. */
  findOpened(sellerId: string, since: string): Promise<string | undefined>;
  /** Undefined if the provider does not know it, or the platform has no access to it any more. */
  read(id: string): Promise<ProviderAccount | undefined>;
  onboardingLink(id: string, link: OnboardingLink): Promise<ProviderLink>;
  dashboardLink(id: string): Promise<ProviderLink>;
}

interface OpeningRequest {
  readonly sellerId: string;
  /** Where the provider writes to the seller. */
  readonly email: string | null;
  readonly key: string;
}

interface OnboardingLink {
  readonly return_url: string;
  readonly refresh_url: string;
}

/** A movement of the platform's money at a provider. Amounts are minor units. */
export interface ProviderTransaction {
  readonly provider_transaction_id: string;
  readonly type: string;
  readonly amount_minor: number;
  readonly fee_minor: number;
  readonly net_minor: number;
  readonly currency: string;
  readonly source_id: string | null;
  readonly seller_id: string | null;
  readonly available_on: string | null;
  readonly created_at: string;
}

/** A transfer of the service, as the provider has it. */
interface ProviderTransfer {
  readonly seller_id: string;
  readonly settlement_id: string;
  /** Whether it was taken back, wholly or in part. */
  readonly reversed: boolean;
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
  /** Null if sellers have no account with the provider. */
  readonly accounts?: ProviderAccounts | null;
  /** The movements of the platform's money since an instant (RFC 3339). Null if the provider does not list them. */
  readonly transactions?: ((since: string) => Promise<readonly ProviderTransaction[]>) | null;
  /** Undefined if the service did not make the transfer. */
  readonly readTransfer?: (transferId: string) => Promise<ProviderTransfer | undefined>;
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

/** What sellers read of the provider that the service pays through itself. */
export const STRIPE = {
  name: 'stripe',
  accountRequired: true,
  hasPages: true,
  description:
    'The service pays settlements through Stripe to the bank account of your account there. Open the account with an onboarding link; bank and identity data are typed there and never here.',
} as const;
