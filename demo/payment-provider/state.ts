/** What the local payment provider remembers. It is plain data, so that a start in development finds it again. */
import { randomBytes } from 'node:crypto';

/** What the hosted page has led to. Time turns `review` into `active`. */
export type Stage = 'new' | 'review' | 'active' | 'papers' | 'refused' | 'deauthorised';

export interface Account {
  readonly id: string;
  readonly created: number;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  stage: Stage;
  /** Milliseconds. */
  since: number;
  /** A paper that is asked for of an active account, and until when (seconds). */
  asked: { readonly code: string; readonly deadline: number } | null;
  bank: string | null;
  balance: number;
}

export interface Transfer {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly destination: string;
  readonly transfer_group: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  amount_reversed: number;
}

export type PayoutStatus = 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';

export interface Payout {
  readonly id: string;
  readonly account: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly statement_descriptor: string | null;
  /** The bank account number decides how it ends. */
  readonly bank: string;
  status: PayoutStatus;
  failure_code: string | null;
}

export interface Transaction {
  readonly id: string;
  readonly type: string;
  readonly amount: number;
  readonly fee: number;
  readonly currency: string;
  readonly source: string;
  readonly seller_id: string | null;
  readonly created: number;
}

interface Link {
  readonly account: string;
  readonly kind: 'onboarding' | 'session' | 'dashboard';
  readonly expires_at: number;
  readonly return_url: string;
  readonly refresh_url: string;
}

interface KeptAnswer {
  readonly request: string;
  readonly status: number;
  readonly body: string;
  readonly at: number;
}

export interface ProviderEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  /** Absent for events of the platform itself. */
  readonly account?: string;
  readonly data: { readonly object: object };
}

export interface State {
  /** The platform's money, minor units. */
  funds: number;
  readonly accounts: Record<string, Account>;
  readonly transfers: Record<string, Transfer>;
  readonly payouts: Record<string, Payout>;
  readonly transactions: Transaction[];
  readonly links: Record<string, Link>;
  keys: Record<string, KeptAnswer>;
  /** Events that no receiver has acknowledged. */
  unsent: ProviderEvent[];
}

export const newState = (funds: number): State => ({
  funds,
  accounts: {},
  transfers: {},
  payouts: {},
  transactions: [],
  links: {},
  keys: {},
  unsent: [],
});

export const providerId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;
