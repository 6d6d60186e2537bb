/** How a seller is paid, what holds payouts back, and who must act. */
import { closesAt, periodOf } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { firstAfter, isoOf } from '../../../kernel/instant.ts';
import { minorToJson } from '../../../kernel/money.ts';
import {
  contactMarketplace,
  sellerCalls,
  sellerOpens,
  type Waiting,
  waitFor,
} from '../../../kernel/waiting.ts';
import { moneyOf } from '../../reconciliation/index.ts';
import {
  type ActiveHold,
  activeHolds,
  type HoldReason,
  minimumOf,
  policyOf,
  sellerTerms,
} from '../../settlements/index.ts';
import {
  accountStatus,
  groupOf,
  isDue,
  NOTES,
  ONBOARDING_LINKS,
  type OtherHolds,
  waitingOf,
} from '../domain/account-status.ts';
import type { AccountWire, RequirementWire } from '../schemas/account.ts';
import { type AccountRow, findAccount, identityStatus, type StoredRequirement } from '../store/accounts.ts';
import { providerFacts } from './providers.ts';

/** How often the service looks for accounts to read; those that the provider has not answered about come again. */
export const FOLLOW_EVERY_MS = 3_600_000;
/** How often an account that waits is read without a callback. */
export const FOLLOW_WAITING_MS = 6 * FOLLOW_EVERY_MS;
const TAIL = 4;

type Reading = Pick<Acting, 'db' | 'seller_id' | 'config' | 'now'>;

const byProvider = ({ source }: ActiveHold): boolean => source === 'provider';

/** What the marketplace and the ledger hold back. */
export async function otherHolds(at: Pick<Acting, 'db' | 'seller_id'>): Promise<OtherHolds> {
  return summaryOf((await activeHolds(at)).filter((hold) => !byProvider(hold)));
}
const summaryOf = (others: readonly ActiveHold[]): OtherHolds => ({
  disabled: others.some(({ reason }) => reason === 'payouts_disabled'),
  any: others.length > 0,
});

const ASK = contactMarketplace('Contact the marketplace about it.');
const WAITING: Readonly<Partial<Record<HoldReason, Waiting>>> = {
  negative_balance: waitFor(
    'marketplace',
    'Your balance is below zero; the sales of the next periods pay it off.',
  ),
};

const isIdentity = ({ source }: ActiveHold): boolean => source === 'kyc';
const BY_SELLER = ['collecting', 'more_info_required'];

/** Who must act while the identity is not verified. */
function identityWaits(status: string | undefined): Waiting {
  if (BY_SELLER.includes(status ?? ''))
    return sellerOpens('/api/v1/kyc', 'Hand in the documents that verify your identity.');
  const inReview = sellerOpens('/api/v1/kyc', 'Your identity must be verified; the case says how far it is.');
  return { ...inReview, waiting_on: 'marketplace' };
}

interface Shown {
  readonly waiting: Waiting;
  readonly next_check_at: string | null;
}

function holdView(
  { reason, note, settlement_id, since }: ActiveHold,
  { waiting, next_check_at }: Shown,
): RequirementWire {
  return {
    ...{ code: reason, note, settlement_id: settlement_id === '' ? null : settlement_id, since },
    ...{
      action_url: waiting.action?.href ?? null,
      provider_code: null,
      group: null,
      due: null,
      deadline: null,
    },
    ...{ errors: [], ...waiting, next_check_at },
  };
}

function requirementView(
  { deadline }: AccountRow,
  { provider_code, due, errors, since }: StoredRequirement,
): RequirementWire {
  const group = groupOf(provider_code);
  return {
    ...{ code: 'provider_requirement', note: NOTES[group], settlement_id: null, since },
    ...{ action_url: ONBOARDING_LINKS, provider_code, group, due },
    ...{ deadline: due === 'currently_due' ? deadline : null, errors: [...errors] },
    ...{ ...sellerCalls(ONBOARDING_LINKS, NOTES[group]), next_check_at: null },
  };
}

/** The account of the seller, as its route and its events show it. */
export async function accountView(ctx: Reading): Promise<AccountWire> {
  const facts = providerFacts(ctx.config);
  const policy = policyOf(ctx);
  const [row, holds, terms] = [
    facts.accountRequired ? await findAccount(ctx) : undefined,
    (await activeHolds(ctx)).filter((hold) => facts.accountRequired || !byProvider(hold)),
    await sellerTerms(ctx),
  ];
  const others = holds.filter((hold) => !byProvider(hold));
  const other = summaryOf(others);
  const account = row && { ...row, gone: row.deauthorised_at !== null };
  const payable = { payable: true, submitted: true, disabled_reason: null, requirements: [], gone: false };
  const status = accountStatus(facts.accountRequired ? account : payable, other);
  const nextClose = new Date(closesAt(periodOf(sydneyDate(ctx.now()), policy.schedule))).toISOString();
  const identity = others.some(isIdentity) ? identityWaits(await identityStatus(ctx)) : undefined;
  const isHeldByIdentity = status === 'restricted' && account?.requirements.some(isDue) !== true;
  const waiting =
    identity !== undefined && isHeldByIdentity && others.every(isIdentity)
      ? identity
      : waitingOf(status, account);
  const next_check_at =
    status === 'under_review' && row !== undefined
      ? isoOf(firstAfter(ctx.now(), Date.parse(row.fetched_at) + FOLLOW_WAITING_MS, FOLLOW_EVERY_MS))
      : null;
  const holdShown = (hold: ActiveHold): Shown => {
    if (byProvider(hold)) return { waiting, next_check_at };
    if (isIdentity(hold) && identity !== undefined) return { waiting: identity, next_check_at: null };
    const own = WAITING[hold.reason];
    return own === undefined
      ? { waiting: ASK, next_check_at: null }
      : { waiting: own, next_check_at: nextClose };
  };
  const { destination = null } = row ?? {};
  return {
    provider: facts.name,
    description: facts.description,
    account_required: facts.accountRequired,
    onboarding_available: facts.hasPages,
    status,
    payout_account_id: row?.payout_account_id ?? null,
    provider_account_tail: row?.provider_account_id.slice(-TAIL) ?? null,
    deadline: row?.deadline ?? null,
    next_check_at,
    ...waiting,
    submitted_at: row?.submitted_at ?? null,
    fetched_at: row?.fetched_at ?? null,
    destination: destination && { bank_name: destination.bank_name, last4: destination.last4 },
    schedule: policy.schedule,
    min_payout_minor: minorToJson(await minimumOf(ctx, policy)),
    ...moneyOf(terms?.currency ?? 'AUD'),
    requirements: [
      ...holds.map((hold) => holdView(hold, holdShown(hold))),
      ...(row?.requirements ?? []).map((one) => requirementView(row as AccountRow, one)),
    ],
  };
}
