/** Imitates a payment provider that makes transfers, with idempotency keys as strict as real ones. */
import type {
  PayoutProvider,
  TransferFailure,
  TransferOrder,
  TransferRefusal,
  TransferState,
} from '../../src/modules/payouts/adapters/provider.ts';

type Answer = TransferState | TransferRefusal;

export interface ProviderStandIn extends PayoutProvider {
  /** Every call of `send`, repeats too. */
  readonly asked: readonly TransferOrder[];
  /** The transfers made, by key. */
  readonly made: ReadonlyMap<string, Answer>;
  /** The next answers are refusals. */
  refuse(...failures: readonly TransferFailure[]): void;
  /** The next calls are carried out, but their answers are lost. */
  loseAnswers(count: number): void;
  /** Sets the later state of a payout. */
  change(key: string, change: Partial<TransferState>): void;
}

/** @param now milliseconds of the service's clock */
export function providerStandIn(name: string, now: () => number): ProviderStandIn {
  const asked: TransferOrder[] = [];
  const orders = new Map<string, string>();
  const made = new Map<string, Answer>();
  const refusals: TransferFailure[] = [];
  let lost = 0;
  const at = () => new Date(now()).toISOString();
  const answerOf = ({ idempotency_key }: TransferOrder): Answer => {
    const failure = refusals.shift();
    if (failure !== undefined) return { status: 'refused', at: at(), failure };
    return {
      provider_payout_id: `po_${name}_${idempotency_key}`,
      provider_transfer_id: `tr_${name}_${idempotency_key}`,
      status: 'in_transit',
      at: at(),
      expected_arrival_on: null,
      payment_reference: `PAY ${idempotency_key.slice(-8)}`,
      bank_reference: null,
      failure: null,
    };
  };
  const send = (order: TransferOrder): Promise<Answer> => {
    asked.push(order);
    const { idempotency_key: key } = order;
    const text = JSON.stringify(order);
    if ((orders.get(key) ?? text) !== text) throw new Error(`key ${key} was used for something else`);
    const answer = made.get(key) ?? answerOf(order);
    orders.set(key, text);
    made.set(key, answer);
    if (lost === 0) return Promise.resolve(answer);
    lost -= 1;
    return Promise.reject(new Error('no answer'));
  };
  const read = (id: string): Promise<TransferState> => {
    const found = [...made.values()].find((one) => one.status !== 'refused' && one.provider_payout_id === id);
    return found === undefined || found.status === 'refused'
      ? Promise.reject(new Error(`no payout ${id}`))
      : Promise.resolve(found);
  };
  return {
    name,
    accountRequired: false,
    hasPages: false,
    description: 'Stands in for a provider in tests.',
    transfers: { send, read },
    asked,
    made,
    refuse: (...failures) => void refusals.push(...failures),
    loseAnswers: (count) => {
      lost = count;
    },
    change: (key, change) => {
      const known = made.get(key);
      if (known === undefined || known.status === 'refused') throw new Error(`nothing was sent under ${key}`);
      made.set(key, { ...known, ...change });
    },
  };
}
