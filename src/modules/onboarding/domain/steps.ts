/** The steps of a new seller, computed from facts. Source: docs/design/standing.md#onboarding. */
import {
  contactMarketplace,
  DONE,
  sellerCalls,
  sellerOpens,
  type Waiting,
  waitingOf,
} from '../../../kernel/waiting.ts';

/** The facts about a seller. A part whose area is not built is null. */
export interface Facts {
  readonly active: boolean;
  readonly verified: boolean;
  readonly api_access: boolean;
  readonly agreement_published: boolean;
  readonly agreement_accepted_at: string | null;
  readonly agreement_overdue: boolean;
  readonly legal_name: boolean;
  readonly entity_type: boolean;
  readonly abn: boolean;
  readonly address: boolean;
  /** Whether the service can ask the business register. */
  readonly register_configured: boolean;
  readonly verdict: string | null;
  readonly verified_at: string | null;
  readonly dispatch_address: boolean;
  readonly active_product: boolean;
  readonly visible_product: boolean;
  readonly active_endpoint: boolean;
  readonly delivered: boolean;
  /** State of the case; null: the marketplace asks for none. */
  readonly identity_status: string | null;
  readonly identity_decided_at: string | null;
  /** State of the account; null: the payment provider asks for none. */
  readonly payout_account: string | null;
  /** Whether the payment provider asks for something now. */
  readonly payout_due: boolean;
  /** Null: the operator has configured no store platform. */
  readonly store_connected: boolean | null;
}

export const STEP_KEYS = [
  'account',
  'agreement',
  'business_details',
  'business_number',
  'identity',
  'payout_account',
  'dispatch',
  'first_product',
  'first_visible_product',
  'store_connection',
  'webhook_endpoint',
] as const;
export type StepKey = (typeof STEP_KEYS)[number];
export const STEP_STATUSES = ['done', 'todo', 'in_progress', 'blocked', 'not_applicable'] as const;

interface StepDef {
  readonly title: string;
  /** Default: true. */
  readonly required?: false;
  /** Default: every seller has the step. */
  readonly applies?: (facts: Facts) => boolean;
  /** The step is done when all hold. */
  readonly facts: (facts: Facts) => Readonly<Record<string, boolean>>;
  /** Steps without which this one cannot be done. */
  readonly after?: (facts: Facts) => readonly StepKey[];
  /** Who must act while the step is not done, and how. */
  readonly next: (facts: Facts) => Waiting;
  readonly doneAt?: (facts: Facts) => string | null;
}

/** An account that may not use the API gets a token for the routes of the setup only. */
const AFTER_ACCOUNT = (): readonly StepKey[] => ['account'];

const IN_REVIEW = contactMarketplace('The marketplace reviews the documents.');
/** The states of the case in which the seller has nothing to hand in. */
const IDENTITY: Readonly<Record<string, Waiting>> = {
  unnamed: contactMarketplace('The marketplace says which documents it needs for your legal form.'),
  submitted: IN_REVIEW,
  in_review: IN_REVIEW,
  rejected: contactMarketplace('The marketplace has rejected the case; ask it to begin anew.'),
};

/** The states of the account in which the seller has nothing to send. */
const PAYOUT_ACCOUNT: Readonly<Record<string, Waiting>> = {
  under_review: {
    ...sellerOpens('/api/v1/payouts/account', 'The payment provider checks what was sent.'),
    waiting_on: 'provider',
  },
  disabled: contactMarketplace('Contact the marketplace; it can say what holds payouts back.'),
};

/** Payouts that others hold back while the provider asks for nothing: its form would change nothing. */
const PAYOUTS_HELD: Waiting = {
  ...sellerOpens('/api/v1/payouts/account', 'The account says what holds payouts back, and who must act.'),
  waiting_on: 'marketplace',
};

const STEPS: Readonly<Record<StepKey, StepDef>> = {
  account: {
    title: 'The marketplace has enabled the account',
    facts: ({ active, verified, api_access }) => ({ active, verified, api_access }),
    next: () => contactMarketplace('The marketplace verifies the account and enables the API.'),
  },
  agreement: {
    title: 'The terms are accepted',
    applies: ({ agreement_published }) => agreement_published,
    facts: ({ agreement_accepted_at, agreement_overdue }) => ({
      accepted: agreement_accepted_at !== null && !agreement_overdue,
    }),
    next: () => sellerCalls('/api/v1/seller-agreement/acceptances', 'An owner accepts the current version.'),
    doneAt: ({ agreement_accepted_at }) => agreement_accepted_at,
  },
  business_details: {
    title: 'The business details are complete',
    facts: ({ legal_name, entity_type, abn, address }) => ({ legal_name, entity_type, abn, address }),
    next: () =>
      sellerOpens(
        '/api/v1/sellers/me/business',
        'Enter legal name, entity type, ABN and registered address.',
      ),
  },
  business_number: {
    title: 'The business register knows the number under this name',
    applies: ({ register_configured }) => register_configured,
    facts: ({ verdict }) => ({
      found: verdict !== null && verdict !== 'unknown' && verdict !== 'not_found',
      active: verdict === 'verified' || verdict === 'mismatch',
    }),
    after: ({ abn }) => (abn ? [] : ['business_details']),
    next: ({ verdict }) =>
      verdict === 'inactive' || verdict === 'not_found'
        ? sellerOpens('/api/v1/sellers/me/business', 'Enter an ABN that is active in the register.')
        : sellerCalls(
            '/api/v1/sellers/me/business/verification',
            'Have the number checked with the register.',
          ),
    doneAt: ({ verified_at }) => verified_at,
  },
  identity: {
    title: 'The marketplace has approved the identity',
    applies: ({ identity_status }) => identity_status !== null,
    facts: ({ identity_status }) => ({ approved: identity_status === 'approved' }),
    next: ({ identity_status }) =>
      IDENTITY[identity_status ?? ''] ??
      sellerOpens('/api/v1/kyc', 'Hand in the documents of each item, then submit.'),
    doneAt: ({ identity_decided_at }) => identity_decided_at,
  },
  payout_account: {
    title: 'The payment provider can pay the seller',
    applies: ({ payout_account }) => payout_account !== null,
    facts: ({ payout_account }) => ({
      usable: payout_account === 'enabled' || payout_account === 'action_needed',
    }),
    after: AFTER_ACCOUNT,
    next: ({ payout_account, payout_due }) =>
      payout_account === 'restricted' && !payout_due
        ? PAYOUTS_HELD
        : (PAYOUT_ACCOUNT[payout_account ?? ''] ??
          sellerCalls('/api/v1/payouts/onboarding-links', 'Open the link to the payment provider.')),
  },
  dispatch: {
    title: 'Parcels have a sender',
    // The built-in carrier serves a seller that has no shipping profile.
    facts: ({ dispatch_address }) => ({ dispatch_address }),
    next: () => sellerOpens('/api/v1/sellers/me', 'Enter the address from which you send.'),
  },
  first_product: {
    title: 'A product is active',
    facts: ({ active_product }) => ({ active_product }),
    after: ({ agreement_overdue }) => (agreement_overdue ? ['account', 'agreement'] : ['account']),
    next: () => sellerCalls('/api/v1/products', 'Create an active product, or send a feed.'),
  },
  first_visible_product: {
    title: 'Buyers see a product',
    facts: ({ visible_product }) => ({ visible_product }),
    after: () => ['first_product'],
    next: () => contactMarketplace('The marketplace reviews the products; each shows why it is hidden.'),
  },
  store_connection: {
    title: 'A store is connected',
    required: false,
    applies: ({ store_connected }) => store_connected !== null,
    facts: ({ store_connected }) => ({ connected: store_connected === true }),
    after: AFTER_ACCOUNT,
    next: () => sellerCalls('/api/v1/channels', 'Connect a store.'),
  },
  webhook_endpoint: {
    title: 'An endpoint receives events',
    required: false,
    facts: ({ active_endpoint, delivered }) => ({ active_endpoint, delivered }),
    after: AFTER_ACCOUNT,
    next: () => sellerCalls('/api/v1/webhooks/endpoints', 'Create an endpoint and send it a test event.'),
  },
};

interface Step extends Waiting {
  readonly key: StepKey;
  readonly title: string;
  readonly required: boolean;
  readonly status: (typeof STEP_STATUSES)[number];
  readonly facts: readonly { readonly fact: string; readonly holds: boolean }[];
  readonly blocked_by: readonly StepKey[];
  readonly done_at: string | null;
}

function factsOf(key: StepKey, known: Facts): Step['facts'] {
  return Object.entries(STEPS[key].facts(known)).map(([fact, holds]) => ({ fact, holds }));
}
const applies = (key: StepKey, known: Facts): boolean => STEPS[key].applies?.(known) !== false;
const isDone = (key: StepKey, known: Facts): boolean => factsOf(key, known).every(({ holds }) => holds);

/** The steps before this one that are not done. */
const blockersOf = (key: StepKey, known: Facts): StepKey[] =>
  (STEPS[key].after?.(known) ?? []).filter((other) => applies(other, known) && !isDone(other, known));

/** Who must act for the step now. For a blocked step it is the actor of the first step before it. */
function nextOf(key: StepKey, known: Facts): Waiting {
  const [blocker] = blockersOf(key, known);
  return blocker === undefined ? waitingOf(known.active, STEPS[key].next(known)) : nextOf(blocker, known);
}

function statusOf(key: StepKey, known: Facts): Step['status'] {
  if (!applies(key, known)) return 'not_applicable';
  if (isDone(key, known)) return 'done';
  if (blockersOf(key, known).length > 0) return 'blocked';
  return factsOf(key, known).some(({ holds }) => holds) ? 'in_progress' : 'todo';
}

export function stepOf(key: StepKey, known: Facts): Step {
  const { title, required, doneAt } = STEPS[key];
  const status = statusOf(key, known);
  const isOpen = status !== 'done' && status !== 'not_applicable';
  return {
    key,
    title,
    required: required !== false,
    status,
    facts: status === 'not_applicable' ? [] : factsOf(key, known),
    blocked_by: isOpen ? blockersOf(key, known) : [],
    ...(isOpen ? nextOf(key, known) : DONE),
    done_at: status === 'done' ? (doneAt?.(known) ?? null) : null,
  };
}

interface Progress {
  readonly ready_to_sell: boolean;
  readonly ready_for_payout: boolean;
  readonly missing: readonly StepKey[];
  readonly progress: { readonly done: number; readonly of: number; readonly percent: number };
  readonly next: StepKey | null;
  readonly steps: readonly Step[];
}

/** What a payout needs. */
const FOR_PAYOUT: readonly StepKey[] = ['account', 'agreement', 'identity', 'payout_account'];

export function progressOf(known: Facts): Progress {
  const steps = STEP_KEYS.map((key) => stepOf(key, known));
  const counted = steps.filter(({ required, status }) => required && status !== 'not_applicable');
  const open = counted.filter(({ status }) => status !== 'done');
  const missing = open.map(({ key }) => key);
  const done = counted.length - open.length;
  // Steps for which the seller can act come before those of others.
  const next =
    open.find(({ status, waiting_on }) => status !== 'blocked' && waiting_on === 'seller') ?? open[0];
  return {
    ready_to_sell: missing.every((key) => key === 'payout_account'),
    ready_for_payout: !missing.some((key) => FOR_PAYOUT.includes(key)),
    missing,
    progress: { done, of: counted.length, percent: Math.floor((100 * done) / counted.length) },
    next: next?.key ?? null,
    steps,
  };
}
