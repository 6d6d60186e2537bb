/** Through whom sellers are paid. */

export interface PayoutProvider {
  readonly name: string;
  /** Sellers open an account with it, before anything is paid. */
  readonly accountRequired: boolean;
  /** It has pages of its own on which sellers are onboarded, or see their account. */
  readonly hasPages: boolean;
  /** How payouts come about, in words. */
  readonly description: string;
}

/** The marketplace pays by means of its own and says how each payout goes (`marketplace.payout.updated`). */
export const MANUAL: PayoutProvider = {
  name: 'manual',
  accountRequired: false,
  hasPages: false,
  description:
    'The marketplace pays settlements itself and reports each payout. There is no account to open; nothing is sent or repeated automatically.',
};
