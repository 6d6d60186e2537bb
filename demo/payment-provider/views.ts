/** How the provider shows its objects. Instants are seconds. */
import { createHash } from 'node:crypto';
import type { Account, Payout, Stage, Transaction, Transfer } from './state.ts';

/** How long a bank account's holder is checked. */
export const REVIEW_MS = 20_000;
const NOT_SUBMITTED = [
  'external_account',
  'individual.address.line1',
  'individual.first_name',
  'individual.last_name',
  'tos_acceptance.date',
];
const DOCUMENT = 'individual.verification.document';

interface Due {
  readonly currently: readonly string[];
  readonly pending: readonly string[];
  readonly disabled: string | null;
}
const DUE: Readonly<Record<Stage, Due>> = {
  new: { currently: NOT_SUBMITTED, pending: [], disabled: 'requirements.past_due' },
  review: { currently: [], pending: [DOCUMENT], disabled: 'requirements.pending_verification' },
  active: { currently: [], pending: [], disabled: null },
  papers: { currently: [DOCUMENT], pending: [], disabled: 'requirements.past_due' },
  refused: { currently: [], pending: [], disabled: 'rejected.other' },
  deauthorised: { currently: [], pending: [], disabled: 'rejected.other' },
};

/** The number that the bank shows: its last four digits. */
const lastFour = (bank: string): string => bank.slice(-4);

export function accountView(account: Account): object {
  const { id, created, email, metadata, stage, asked, bank } = account;
  const { currently, pending, disabled } = DUE[stage];
  const due = asked === null ? currently : [...currently, asked.code];
  const isActive = stage === 'active';
  const requirements = {
    currently_due: due,
    eventually_due: due,
    past_due: stage === 'papers' ? currently : [],
    pending_verification: pending,
    current_deadline: asked?.deadline ?? null,
    disabled_reason: disabled,
    errors:
      stage === 'papers'
        ? [
            {
              code: 'verification_document_not_readable',
              reason: 'The document is not readable.',
              requirement: DOCUMENT,
            },
          ]
        : [],
    alternatives: [],
  };
  return {
    id,
    object: 'account',
    created: Math.floor(created / 1000),
    country: 'AU',
    default_currency: 'aud',
    email,
    metadata,
    details_submitted: stage !== 'new',
    charges_enabled: false,
    payouts_enabled: isActive,
    capabilities: { transfers: isActive ? 'active' : stage === 'review' ? 'pending' : 'inactive' },
    requirements,
    external_accounts: {
      object: 'list',
      data: bank === null ? [] : [bankView(id, bank)],
      has_more: false,
      url: `/v1/accounts/${id}/external_accounts`,
    },
  };
}

const bankView = (account: string, bank: string): object => ({
  id: `ba_${account.slice(5)}`,
  object: 'bank_account',
  account,
  bank_name: 'LOCAL TEST BANK',
  country: 'AU',
  currency: 'aud',
  default_for_currency: true,
  fingerprint: createHash('sha256').update(bank).digest('hex').slice(0, 16),
  last4: lastFour(bank),
  status: 'new',
});

export const transferView = ({ created, ...transfer }: Transfer): object => ({
  ...transfer,
  object: 'transfer',
  created: Math.floor(created / 1000),
  livemode: false,
  reversed: transfer.amount_reversed === transfer.amount,
});

const DAY_MS = 86_400_000;
export const payoutView = ({ account: _account, bank, created, ...payout }: Payout): object => ({
  ...payout,
  object: 'payout',
  created: Math.floor(created / 1000),
  arrival_date: Math.floor((created + DAY_MS) / DAY_MS) * 86_400,
  livemode: false,
  method: 'standard',
  type: 'bank_account',
  destination: `ba_${lastFour(bank)}`,
  failure_message: payout.failure_code === null ? null : `The bank says: ${payout.failure_code}.`,
  trace_id:
    payout.status === 'paid'
      ? { status: 'supported', value: `TRACE${payout.id.slice(-6)}` }
      : { status: 'pending', value: null },
});

/** @param source the object that moved the money, where the caller asks for it */
export const transactionView = (transaction: Transaction, source: object | undefined): object => {
  const { seller_id: _seller, created, ...shown } = transaction;
  return {
    ...shown,
    object: 'balance_transaction',
    source: source ?? transaction.source,
    net: transaction.amount - transaction.fee,
    created: Math.floor(created / 1000),
    available_on: Math.floor(created / 1000),
    reporting_category: transaction.type,
    status: 'available',
  };
};
