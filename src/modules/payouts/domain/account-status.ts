/** Whether a seller's account at the provider can be paid, and who must act. Source: docs/design/payment-provider.md. */
import { contactMarketplace, DONE, sellerCalls, type Waiting, waitFor } from '../../../kernel/waiting.ts';

export const ACCOUNT_STATUSES = [
  'not_started',
  'in_progress',
  'under_review',
  'restricted',
  'action_needed',
  'enabled',
  'disabled',
] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export const DUE = ['past_due', 'currently_due', 'eventually_due'] as const;
export type Due = (typeof DUE)[number];
export const GROUPS = ['identity', 'business', 'bank', 'document', 'terms', 'other'] as const;
type RequirementGroup = (typeof GROUPS)[number];

/** What the provider asks for. */
export interface ProviderRequirement {
  readonly provider_code: string;
  readonly due: Due;
  readonly errors: readonly { readonly code: string; readonly text: string }[];
}

export interface Destination {
  readonly bank_name: string | null;
  readonly last4: string | null;
  readonly currency: string | null;
  /** The provider's name of the bank account, which is never shown. Absent if it was stored before there was one. */
  readonly reference?: string;
}

/** An account as the provider has it. */
export interface ProviderAccount {
  /** Money can be transferred to it and paid out of it. */
  readonly payable: boolean;
  /** The seller has sent the provider's form. */
  readonly submitted: boolean;
  readonly disabled_reason: string | null;
  readonly requirements: readonly ProviderRequirement[];
  /** RFC 3339. */
  readonly deadline: string | null;
  readonly destination: Destination | null;
}

/** The facts that decide the status. */
export interface StatusFacts
  extends Pick<ProviderAccount, 'payable' | 'submitted' | 'disabled_reason' | 'requirements'> {
  /** The provider does not know the account any more, or the seller has taken the platform's access away. */
  readonly gone: boolean;
}

/** What others hold back: reasons of the marketplace and of the ledger. */
export interface OtherHolds {
  readonly disabled: boolean;
  readonly any: boolean;
}

export const isDue = ({ due }: ProviderRequirement): boolean => due !== 'eventually_due';

/** The first row of the table that fits. @param account undefined: the seller has opened none */
export function accountStatus(account: StatusFacts | undefined, holds: OtherHolds): AccountStatus {
  if (account === undefined) return 'not_started';
  const { gone, disabled_reason, payable, submitted, requirements } = account;
  if (gone || holds.disabled || disabled_reason?.startsWith('rejected') === true) return 'disabled';
  if (!payable && !submitted) return 'in_progress';
  const due = requirements.some(isDue);
  if ((!payable && due) || holds.any) return 'restricted';
  if (!payable) return 'under_review';
  return due ? 'action_needed' : 'enabled';
}

/** The provider's own reason to hold money back; undefined if it can be paid. */
export function providerHold(
  account: StatusFacts | undefined,
): 'payout_account_missing' | 'payouts_disabled' | undefined {
  if (account?.payable === true && !account.gone) return undefined;
  const status = accountStatus(account, { disabled: false, any: false });
  return status === 'restricted' || status === 'disabled' ? 'payouts_disabled' : 'payout_account_missing';
}

export const ONBOARDING_LINKS = '/api/v1/payouts/onboarding-links';

const SELLER_ACTS = sellerCalls(
  ONBOARDING_LINKS,
  'Open the payment provider’s page and send what it asks for.',
);
const MARKETPLACE_ACTS = contactMarketplace('Contact the marketplace; it can say what holds payouts back.');
const WAITING: Readonly<Record<AccountStatus, Waiting>> = {
  not_started: sellerCalls(ONBOARDING_LINKS, 'Open an account with the payment provider.'),
  in_progress: sellerCalls(ONBOARDING_LINKS, 'Finish the payment provider’s form.'),
  under_review: waitFor(
    'provider',
    'The payment provider checks what was sent; nothing is left to do for you.',
  ),
  restricted: SELLER_ACTS,
  action_needed: SELLER_ACTS,
  enabled: DONE,
  disabled: MARKETPLACE_ACTS,
};

/** Who must act on an account. */
export const waitingOf = (status: AccountStatus, account: StatusFacts | undefined): Waiting =>
  status === 'restricted' && account?.requirements.some(isDue) !== true ? MARKETPLACE_ACTS : WAITING[status];

/** The first pattern that a requirement's name contains decides its group. */
const PATTERNS: readonly (readonly [RegExp, RequirementGroup])[] = [
  [/document/, 'document'],
  [/external_account|bank_account/, 'bank'],
  [/tos_acceptance/, 'terms'],
  [/^(?:individual|person_|representative|owners|directors|executives|relationship)/, 'identity'],
  [/^(?:business_|company|settings)/, 'business'],
];
export const groupOf = (code: string): RequirementGroup =>
  PATTERNS.find(([pattern]) => pattern.test(code))?.[1] ?? 'other';

/** A sentence for people by group. */
export const NOTES: Readonly<Record<RequirementGroup, string>> = {
  identity: 'The payment provider needs particulars of a person who owns or runs the business.',
  business: 'The payment provider needs particulars of the business.',
  bank: 'The payment provider needs the bank account that payouts go to.',
  document: 'The payment provider needs a document.',
  terms: 'The terms of the payment provider are to be accepted.',
  other: 'The payment provider asks for more.',
};
