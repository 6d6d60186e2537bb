/** `marketplace.provider.transactions_reported`: the payment provider's list, which is only compared. */
import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Db } from '../../../kernel/context.ts';
import { defineMarketplaceEvent, type IntakeCtx, requireCurrency } from '../../../kernel/events.ts';
import { isDay } from '../../../kernel/instant.ts';
import { minor } from '../../../kernel/money.ts';
import type { ReadonlyDeep } from '../../../kernel/route.ts';
import { allows, CURRENCY, Instant, Nullable } from '../../../kernel/schema.ts';
import { insertJob } from '../../../platform/jobs/job-statements.ts';
import { reconcileSeller, sweepOf } from '../actions/reconcile.ts';
import {
  addTransactions,
  hasChanged,
  KNOWN_TYPES,
  matchTransactions,
  noteProgress,
  providers,
  touchedSellers,
  unmatchedOf,
} from '../store/provider-transactions.ts';

/** Below 2^53, as every amount on the wire. */
const AMOUNT_MAX = 1_000_000_000_000_000;
const TRANSACTIONS_MAX = 10_000;
const Amount = Type.Integer({ minimum: -AMOUNT_MAX, maximum: AMOUNT_MAX });
const Name = Type.String({ minLength: 1, maxLength: 200 });

const Transaction = Type.Object({
  provider_transaction_id: Name,
  type: Type.String({ minLength: 1, maxLength: 100, description: 'As the provider names it' }),
  amount_minor: Amount,
  fee_minor: Amount,
  net_minor: Amount,
  currency: Type.String({ ...CURRENCY }),
  source_id: Type.Optional(Nullable(Name)),
  seller_id: Type.Optional(Nullable(Name)),
  // A Sydney day, as in all fields with this name. An instant of the provider is converted to its day.
  available_on: Type.Optional(Type.Union([Type.String({ format: 'date' }), Instant(), Type.Null()])),
  created_at: Instant(),
});

const dayOf = (available: string | null): string | null =>
  available === null || isDay(available) ? available : sydneyDate(Date.parse(available));

const Report = Type.Object({
  provider: Type.String({
    ...allows(
      '^[a-z][a-z0-9_-]{0,49}$',
      'Use at most 50 small letters, digits, `-` and `_`, a letter first.',
    ),
  }),
  data_through: Instant(),
  transactions: Type.Array(Transaction, { maxItems: TRANSACTIONS_MAX }),
});

/** The instant until which the provider's list is complete; undefined before the first. */
export const dataThrough = async (db: Db, provider: string): Promise<string | undefined> =>
  (await providers(db)).find((one) => one.provider === provider)?.data_through;

/**
 * Stores a provider's list and compares. It runs in the system's scope.
 *
 * @returns the warnings
 * @throws IntakeRejection for an unknown currency
 */
export async function takeReport(
  { db, ids: newIds, now }: Pick<IntakeCtx, 'db' | 'ids' | 'now'>,
  { provider, data_through, transactions }: ReadonlyDeep<Static<typeof Report>>,
): Promise<readonly string[]> {
  for (const [index, { currency }] of transactions.entries())
    requireCurrency(`data/transactions/${index}/currency`, currency);
  const at = new Date(now()).toISOString();
  const rows = transactions.map((row) => ({
    ...row,
    amount_minor: minor(row.amount_minor),
    fee_minor: minor(row.fee_minor),
    net_minor: minor(row.net_minor),
    source_id: row.source_id ?? null,
    seller_id: row.seller_id ?? null,
    available_on: dayOf(row.available_on ?? null),
  }));
  const ids = rows.map(({ provider_transaction_id }) => provider_transaction_id);
  // The provider is locked first, because two reports with the same transactions in another order could deadlock.
  await noteProgress(db, provider, data_through, at);
  await addTransactions(db, provider, at, rows);
  await matchTransactions(db, provider, at, ids);
  const through = (await dataThrough(db, provider)) ?? data_through;
  const sellers = await touchedSellers(db, provider, ids);
  // Transactions that were reported before their journal was posted may match it now.
  await matchTransactions(db, provider, at, await unmatchedOf(db, provider, sellers));
  for (const sellerId of sellers) await reconcileSeller(db, sellerId, { provider, through, now: now() });
  if (rows.length === 0) await db.run(insertJob(newIds.next('job_'), sweepOf(provider, now()), now()));
  const isUnknown = rows.some(({ type }) => !KNOWN_TYPES.some((known) => known === type));
  return [
    ...(isUnknown ? ['unclassified_type'] : []),
    ...((await hasChanged(db, provider, rows)) ? ['transaction_changed'] : []),
  ];
}

export const providerReported = defineMarketplaceEvent({
  type: 'marketplace.provider.transactions_reported',
  summary:
    'What the payment provider has booked, and until when its list is complete; an empty list asks for a comparison of everything',
  subject: '–',
  schema: Report,
  example: {
    provider: 'stripe',
    data_through: '2026-07-20T00:00:00Z',
    transactions: [
      {
        provider_transaction_id: 'txn_9',
        type: 'charge',
        amount_minor: 3_333,
        fee_minor: 68,
        net_minor: 3_265,
        currency: 'AUD',
        source_id: 'ch_1003',
        seller_id: null,
        available_on: '2026-07-05',
        created_at: '2026-07-03T02:00:00Z',
      },
    ],
  },
  apply: async (ctx, { data }) => {
    const warnings = await takeReport(ctx, data);
    return { status: 'applied', ...(warnings.length === 0 ? {} : { warnings }) };
  },
});
