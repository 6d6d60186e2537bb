/**
 * Pays a settlement through Stripe: one transfer of its amount to the seller's account, for ever, and one payout from
 * there for each attempt. Source: docs/design/payment-provider.md#sending.
 */
import type Stripe from 'stripe';
import type { Clock } from '../../../kernel/context.ts';
import { refusalOf } from '../domain/refusal.ts';
import {
  ProviderRefused,
  type TransferOrder,
  type TransferRefusal,
  type TransferState,
  type Transfers,
} from './provider.ts';
import { calling, looking, SKEW_S } from './stripe-client.ts';

/** What the service remembers of the transfer of a settlement. Each note is a transaction of its own. */
export interface TransferMemory {
  /** The seller's account at the provider. */
  accountOf(sellerId: string): Promise<string | undefined>;
  /** Notes that the provider is asked now. @throws Error if a later attempt has asked */
  ask(order: TransferOrder): Promise<AskedTransfer>;
  /** Notes that the provider has refused, so that the next attempt asks with a key of its own. */
  refused(order: TransferOrder, asked: AskedTransfer): Promise<void>;
  /** @returns false if the transfer was taken back meanwhile */
  made(order: TransferOrder, transferId: string): Promise<boolean>;
}

interface AskedTransfer {
  /** Whether the provider was never asked for this settlement before. */
  readonly isFirst: boolean;
  readonly first_asked_at: string;
  /** The attempt that the key is of: the first one, or the first one after the last refusal. */
  readonly asked_attempt: number;
  readonly key: string;
  readonly provider_transfer_id: string | null;
  readonly amount_minor: number;
  readonly isReversed: boolean;
}

/** What the seller reads on the bank statement, at most 22 characters. */
const DESCRIPTOR_TAIL = 12;
const STATUS: Readonly<Record<string, TransferState['status']>> = {
  pending: 'in_transit',
  in_transit: 'in_transit',
  paid: 'paid',
  failed: 'failed',
  canceled: 'failed',
};

/** @param at the instant before the provider was asked: an answer that arrives late is older than one asked later */
function stateOf(payout: Stripe.Payout, transferId: string | null, at: string): TransferState {
  const status = STATUS[payout.status] ?? 'in_transit';
  const code = payout.failure_code ?? payout.status;
  return {
    provider_payout_id: payout.id,
    provider_transfer_id: transferId,
    status,
    at,
    expected_arrival_on: new Date(payout.arrival_date * 1000).toISOString().slice(0, 10),
    payment_reference: payout.statement_descriptor,
    bank_reference: payout.trace_id?.value ?? null,
    failure: status === 'failed' ? { code, message: payout.failure_message, refusal: refusalOf(code) } : null,
    payout_id: payout.metadata?.['payout_id'] ?? null,
  };
}

class StripeTransfers implements Transfers {
  private readonly client: Stripe;
  private readonly memory: TransferMemory;
  private readonly now: Clock;

  constructor(client: Stripe, memory: TransferMemory, now: Clock) {
    this.client = client;
    this.memory = memory;
    this.now = now;
  }

  async send(order: TransferOrder): Promise<TransferState | TransferRefusal> {
    const at = new Date(this.now()).toISOString();
    const refused = (code: string): TransferRefusal => ({
      status: 'refused',
      at,
      failure: { code, message: null, refusal: refusalOf(code) },
    });
    const account = await this.memory.accountOf(order.seller_id);
    if (account === undefined) return refused('no_account');
    const asked = await this.memory.ask(order);
    if (asked.amount_minor !== order.amount_minor) return refused('amount_differs');
    if (asked.isReversed) return refused('transfer_reversed');
    try {
      const transferId = asked.provider_transfer_id ?? (await this.transfer(order, account, asked));
      if (transferId === undefined) return refused('transfer_reversed');
      const found = asked.isFirst ? undefined : await this.findPayout(order, account, asked);
      return stateOf(found ?? (await this.createPayout(order, account)), transferId, at);
    } catch (error) {
      if (error instanceof ProviderRefused) return refused(error.code);
      throw error;
    }
  }

  async read(id: string, sellerId: string): Promise<TransferState> {
    const at = new Date(this.now()).toISOString();
    const account = await this.memory.accountOf(sellerId);
    if (account === undefined) throw new Error(`seller ${sellerId} has no account`);
    const payout = await calling(() => this.client.payouts.retrieve(id, {}, { stripeAccount: account }));
    return stateOf(payout, null, at);
  }

  /**
   * The provider keeps keys for a day at least, and repeats a 500 that it once answered. So a repeated request first
   * looks whether the transfer was made.
   *
   * @returns undefined if the transfer was taken back meanwhile
   */
  private async transfer(
    order: TransferOrder,
    account: string,
    asked: AskedTransfer,
  ): Promise<string | undefined> {
    const { settlement_id } = order;
    const [found] = asked.isFirst
      ? []
      : (await looking(() => this.client.transfers.list({ transfer_group: settlement_id, limit: 1 }))).data;
    const { id } = found ?? (await this.createTransfer(order, account, asked));
    return (await this.memory.made(order, id)) ? id : undefined;
  }

  private async createTransfer(
    order: TransferOrder,
    account: string,
    asked: AskedTransfer,
  ): Promise<Stripe.Transfer> {
    const { settlement_id, seller_id, amount_minor, currency } = order;
    try {
      return await calling(() =>
        this.client.transfers.create(
          {
            amount: amount_minor,
            currency: currency.toLowerCase(),
            destination: account,
            transfer_group: settlement_id,
            metadata: { seller_id, settlement_id },
          },
          { idempotencyKey: asked.key },
        ),
      );
    } catch (error) {
      if (error instanceof ProviderRefused) await this.memory.refused(order, asked);
      throw error;
    }
  }

  private async findPayout(
    { payout_id }: TransferOrder,
    account: string,
    { first_asked_at }: AskedTransfer,
  ): Promise<Stripe.Payout | undefined> {
    const gte = Math.floor(Date.parse(first_asked_at) / 1000) - SKEW_S;
    return looking(async () => {
      const list = this.client.payouts.list({ created: { gte }, limit: 100 }, { stripeAccount: account });
      for await (const payout of list) if (payout.metadata?.['payout_id'] === payout_id) return payout;
      return undefined;
    });
  }

  private createPayout(order: TransferOrder, account: string): Promise<Stripe.Payout> {
    const { amount_minor, currency, seller_id, settlement_id, payout_id, attempt, idempotency_key } = order;
    return calling(() =>
      this.client.payouts.create(
        {
          amount: amount_minor,
          currency: currency.toLowerCase(),
          metadata: { seller_id, settlement_id, payout_id, attempt: String(attempt) },
          statement_descriptor: `SETTLED ${settlement_id.slice(-DESCRIPTOR_TAIL).toUpperCase()}`,
        },
        { stripeAccount: account, idempotencyKey: idempotency_key },
      ),
    );
  }
}

export const stripeTransfers = (client: Stripe, memory: TransferMemory, now: Clock): Transfers =>
  new StripeTransfers(client, memory, now);
