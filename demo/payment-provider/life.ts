/**
 * What happens at the provider without a request: time passes, people act. Each change makes the events that the
 * provider would send.
 */
import { type Payout, type PayoutStatus, type ProviderEvent, providerId, type State } from './state.ts';
import { accountView, payoutView, REVIEW_MS, transferView } from './views.ts';

/** Since the request, milliseconds. */
const IN_TRANSIT_MS = 5_000;
export const PAID_MS = 20_000;
const RETURNED_MS = 40_000;

/** Bank account numbers of the provider's test mode that end a payout in another way. */
export const BANKS = {
  works: '000123456',
  account_closed: '111111113',
  no_account: '111111116',
  could_not_process: '222222227',
  debit_not_authorized: '333333335',
  /** Is paid, and comes back. */
  comes_back: '999999992',
} as const;
const FAILS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(BANKS)
    .filter(([name]) => name !== 'works' && name !== 'comes_back')
    .map(([name, bank]) => [bank, name]),
);

export interface Life {
  readonly state: State;
  /** The service's clock, milliseconds. */
  readonly now: () => number;
  /** Bank accounts of sellers whose accounts are open from the beginning, by seller. */
  readonly vouched: Map<string, string>;
}

export function emit({ state, now }: Life, type: string, object: object, account?: string): void {
  const event: ProviderEvent = {
    id: providerId('evt'),
    object: 'event',
    type,
    created: Math.floor(now() / 1000),
    livemode: false,
    ...(account === undefined ? {} : { account }),
    data: { object },
  };
  state.unsent.push(event);
}

function accountChanged(life: Life, id: string): void {
  const account = life.state.accounts[id];
  if (account !== undefined) emit(life, 'account.updated', accountView(account), id);
}

function movePayout(life: Life, payout: Payout, status: PayoutStatus, failure: string | null): void {
  payout.status = status;
  payout.failure_code = failure;
  const account = life.state.accounts[payout.account];
  if (status === 'failed' && account !== undefined) account.balance += payout.amount;
  emit(
    life,
    status === 'in_transit' ? 'payout.updated' : `payout.${status}`,
    payoutView(payout),
    payout.account,
  );
}

function movePayoutByTime(life: Life, payout: Payout): void {
  const age = life.now() - payout.created;
  if (payout.status === 'pending' && age >= IN_TRANSIT_MS) movePayout(life, payout, 'in_transit', null);
  const failure = FAILS[payout.bank];
  if (payout.status === 'in_transit' && age >= PAID_MS)
    movePayout(life, payout, failure === undefined ? 'paid' : 'failed', failure ?? null);
  if (payout.status === 'paid' && payout.bank === BANKS.comes_back && age >= RETURNED_MS)
    movePayout(life, payout, 'failed', 'account_closed');
}

/** Carries out every step that is due. */
export function passTime(life: Life): void {
  for (const account of Object.values(life.state.accounts))
    if (account.stage === 'review' && life.now() - account.since >= REVIEW_MS) {
      account.stage = 'active';
      accountChanged(life, account.id);
    }
  for (const payout of Object.values(life.state.payouts)) movePayoutByTime(life, payout);
}

/** What people do at the provider's own pages. */
export const acts = {
  /** Fills in the hosted page. Some names lead elsewhere than to a review. */
  submit(life: Life, id: string, name: string, bank: string): void {
    const account = life.state.accounts[id];
    if (account === undefined) return;
    const stages = { Papers: 'papers', Refused: 'refused' } as const;
    if (bank !== '') account.bank = bank;
    if (account.stage !== 'active')
      account.stage = Object.entries(stages).find(([word]) => name.includes(word))?.[1] ?? 'review';
    account.asked = null;
    account.since = life.now();
    if (bank !== '') emit(life, 'account.external_account.updated', {}, id);
    accountChanged(life, id);
  },
  ask(life: Life, id: string, code: string, deadline: number): void {
    const account = life.state.accounts[id];
    if (account === undefined) return;
    account.asked = { code, deadline };
    accountChanged(life, id);
  },
  changeBank(life: Life, id: string, bank: string): void {
    const account = life.state.accounts[id];
    if (account === undefined) return;
    account.bank = bank;
    emit(life, 'account.external_account.updated', {}, id);
  },
  deauthorise(life: Life, id: string): void {
    const account = life.state.accounts[id];
    if (account === undefined) return;
    account.stage = 'deauthorised';
    emit(life, 'account.application.deauthorized', {}, id);
  },
  reverse(life: Life, transferId: string, amount?: number): void {
    const transfer = life.state.transfers[transferId];
    if (transfer === undefined) return;
    const taken = amount ?? transfer.amount;
    transfer.amount_reversed += taken;
    life.state.funds += taken;
    emit(life, 'transfer.reversed', transferView(transfer));
  },
} as const;
