/** The requests of the provider's API that the service makes. */
import { type FormObject, objectIn, textIn, textsIn } from './form.ts';
import { emit, type Life, passTime } from './life.ts';
import { type Account, type Payout, providerId } from './state.ts';
import { accountView, payoutView, transactionView, transferView } from './views.ts';

/** An error as the provider answers it. */
export class Refusal extends Error {
  readonly status: number;
  /** Some errors have none. */
  readonly code: string | undefined;
  readonly type: string;

  constructor(status: number, code: string | undefined, message: string, type = 'invalid_request_error') {
    super(message);
    this.status = status;
    this.code = code;
    this.type = type;
  }
}

interface ApiRequest {
  readonly params: FormObject;
  /** The part of the path in the place of `{id}`. */
  readonly id: string;
  /** The connected account that the request acts for. */
  readonly account: string | undefined;
  /** Address of the provider. */
  readonly url: string;
}

type Resource = (life: Life, request: ApiRequest) => object;

const LINK_MS = 300_000;
const PAGE = 10;

function accountOf({ state }: Life, id: string): Account {
  const account = state.accounts[id];
  if (account === undefined || account.stage === 'deauthorised')
    throw new Refusal(
      403,
      'account_invalid',
      `The provided key does not have access to account '${id}' (or that account does not exist).`,
    );
  return account;
}

/** @throws Refusal for an amount that is not a whole number above zero */
function amountIn(params: FormObject): number {
  const amount = Number(textIn(params, 'amount'));
  if (Number.isSafeInteger(amount) && amount > 0) return amount;
  throw new Refusal(400, 'parameter_invalid_integer', 'amount must be above zero.');
}

const secondsOf = (ms: number): number => Math.floor(ms / 1000);

/** One page of a list, the newest first. */
function page<T extends { readonly id: string }>(
  rows: readonly T[],
  params: FormObject,
  url: string,
  view: (row: T) => object,
): object {
  const after = textIn(params, 'starting_after');
  const limit = Number(textIn(params, 'limit') || PAGE);
  const sorted = rows.toReversed();
  const from = after === '' ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  const data = sorted.slice(from, from + limit).map(view);
  return { object: 'list', data, has_more: from + limit < sorted.length, url };
}

const since = (params: FormObject, { created }: { readonly created: number }): boolean =>
  secondsOf(created) >= Number(textIn(objectIn(params, 'created'), 'gte') || 0);

const EMAIL = /^[^@\s]+@[^@\s.]+\.[^@\s]+$/;

const createAccount: Resource = ({ state, now, vouched }, { params }) => {
  const id = providerId('acct');
  const metadata = textsIn(params, 'metadata');
  const email = textIn(params, 'email') || null;
  if (email !== null && !EMAIL.test(email))
    throw new Refusal(400, 'email_invalid', `Invalid email address: ${email}`);
  const bank = vouched.get(metadata['seller_id'] ?? '') ?? null;
  const stage = bank === null ? ('new' as const) : ('active' as const);
  const more = { stage, since: now(), asked: null, bank, balance: 0 };
  const account = { id, created: now(), email, metadata, ...more };
  state.accounts[id] = account;
  return accountView(account);
};

const listAccounts: Resource = ({ state }, { params }) => {
  const found = Object.values(state.accounts).filter((account) => since(params, account));
  return page(found, params, '/v1/accounts', accountView);
};

const createLink: Resource = (life, { params, url }) => {
  // Each account here has a dashboard of the provider, so its holder updates it there.
  if (textIn(params, 'type') !== 'account_onboarding')
    throw new Refusal(400, undefined, 'Invalid type: must be one of ["account_onboarding"]');
  const account = accountOf(life, textIn(params, 'account')).id;
  const token = providerId('lnk');
  const expires_at = life.now() + LINK_MS;
  const addresses = {
    return_url: textIn(params, 'return_url'),
    refresh_url: textIn(params, 'refresh_url'),
  };
  life.state.links[token] = { account, kind: 'onboarding', expires_at, ...addresses };
  return {
    object: 'account_link',
    created: secondsOf(life.now()),
    expires_at: secondsOf(expires_at),
    url: `${url}/setup/${token}`,
  };
};

const createLoginLink: Resource = (life, { id, url }) => {
  const account = accountOf(life, id);
  if (account.stage === 'new')
    throw new Refusal(400, 'account_not_submitted', 'The account has not finished its onboarding.');
  const token = providerId('lnk');
  const addresses = { return_url: '', refresh_url: '' };
  life.state.links[token] = {
    ...{ account: id, kind: 'dashboard', expires_at: life.now() + LINK_MS },
    ...addresses,
  };
  return { object: 'login_link', created: secondsOf(life.now()), url: `${url}/dashboard/${token}` };
};

const createTransfer: Resource = (life, { params }) => {
  const { state, now } = life;
  const amount = amountIn(params);
  const account = accountOf(life, textIn(params, 'destination'));
  if (account.stage !== 'active')
    throw new Refusal(
      400,
      'insufficient_capabilities_for_transfer',
      'Your destination account needs to have the transfers capability enabled.',
    );
  if (state.funds < amount)
    throw new Refusal(400, 'balance_insufficient', 'You have insufficient available funds in your account.');
  const id = providerId('tr');
  const metadata = textsIn(params, 'metadata');
  const currency = textIn(params, 'currency');
  const transfer = {
    ...{ id, created: now(), amount, currency, destination: account.id, metadata, amount_reversed: 0 },
    transfer_group: textIn(params, 'transfer_group') || null,
  };
  state.transfers[id] = transfer;
  state.funds -= amount;
  account.balance += amount;
  const booked = { type: 'transfer', amount: -amount, fee: 0, currency, source: id, created: now() };
  state.transactions.push({ id: providerId('txn'), ...booked, seller_id: metadata['seller_id'] ?? null });
  return transferView(transfer);
};

const listTransfers: Resource = ({ state }, { params }) => {
  const group = textIn(params, 'transfer_group');
  const found = Object.values(state.transfers).filter(
    ({ transfer_group }) => group === '' || transfer_group === group,
  );
  return page(found, params, '/v1/transfers', transferView);
};

const ownAccount = (life: Life, { account }: ApiRequest): Account => accountOf(life, account ?? '');

export function addPayout(life: Life, account: Account, params: FormObject): Payout {
  const amount = amountIn(params);
  if (account.stage !== 'active' || account.bank === null)
    throw new Refusal(400, 'payouts_not_allowed', 'Payouts are not enabled for this account.');
  if (account.balance < amount)
    throw new Refusal(400, 'balance_insufficient', 'You have insufficient funds in your account.');
  const payout: Payout = {
    ...{ id: providerId('po'), account: account.id, created: life.now(), amount, bank: account.bank },
    ...{ currency: textIn(params, 'currency'), metadata: textsIn(params, 'metadata') },
    statement_descriptor: textIn(params, 'statement_descriptor') || null,
    ...{ status: 'pending', failure_code: null },
  };
  life.state.payouts[payout.id] = payout;
  account.balance -= amount;
  emit(life, 'payout.created', payoutView(payout), account.id);
  return payout;
}

const retrievePayout: Resource = (life, request) => {
  const account = ownAccount(life, request);
  const payout = life.state.payouts[request.id];
  if (payout?.account !== account.id)
    throw new Refusal(404, 'resource_missing', `No such payout: '${request.id}'`);
  return payoutView(payout);
};

const listPayouts: Resource = (life, request) => {
  const { id } = ownAccount(life, request);
  const own = Object.values(life.state.payouts).filter(
    (payout) => payout.account === id && since(request.params, payout),
  );
  return page(own, request.params, '/v1/payouts', payoutView);
};

const retrieveTransfer: Resource = ({ state }, { id }) => {
  const transfer = state.transfers[id];
  if (transfer === undefined) throw new Refusal(404, 'resource_missing', `No such transfer: '${id}'`);
  return transferView(transfer);
};

const balance: Resource = (life, request) => {
  const amount = request.account === undefined ? life.state.funds : ownAccount(life, request).balance;
  const none = [{ amount: 0, currency: 'aud' }];
  return { object: 'balance', available: [{ amount, currency: 'aud' }], pending: none, livemode: false };
};

const listTransactions: Resource = ({ state }, { params }) => {
  const expands = Object.values(objectIn(params, 'expand')).includes('data.source');
  const sourceOf = (id: string): object | undefined => {
    const transfer = expands ? state.transfers[id] : undefined;
    return transfer && transferView(transfer);
  };
  const found = state.transactions.filter((one) => since(params, one));
  return page(found, params, '/v1/balance_transactions', (one) => transactionView(one, sourceOf(one.source)));
};

/** `METHOD path` → handler; time passes before each. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  'POST /v1/accounts': createAccount,
  'GET /v1/accounts': listAccounts,
  'GET /v1/accounts/{id}': (life, { id }) => accountView(accountOf(life, id)),
  'POST /v1/account_links': createLink,
  'POST /v1/accounts/{id}/login_links': createLoginLink,
  'POST /v1/transfers': createTransfer,
  'GET /v1/transfers': listTransfers,
  'GET /v1/transfers/{id}': retrieveTransfer,
  'POST /v1/payouts': (life, request) =>
    payoutView(addPayout(life, ownAccount(life, request), request.params)),
  'GET /v1/payouts': listPayouts,
  'GET /v1/payouts/{id}': retrievePayout,
  'GET /v1/balance': balance,
  'GET /v1/balance_transactions': listTransactions,
};

/** The handler of a request, and the id in its path. @throws Refusal 404 */
export function findResource(
  method: string,
  path: string,
): { readonly resource: Resource; readonly id: string } {
  const parts = path.split('/');
  for (const [name, resource] of Object.entries(RESOURCES)) {
    const [verb, pattern = ''] = name.split(' ');
    const wanted = pattern.split('/');
    const fits =
      wanted.length === parts.length && wanted.every((part, at) => part === '{id}' || part === parts[at]);
    if (verb === method && fits)
      return {
        id: parts[wanted.indexOf('{id}')] ?? '',
        resource: (life, request) => {
          passTime(life);
          return resource(life, request);
        },
      };
  }
  throw new Refusal(404, 'resource_missing', `Unrecognized request URL (${method}: ${path}).`);
}
