/**
 * The fields of every answer with figures: their currency, their source, and whether the provider agrees.
 * Source: docs/design/money.md#figures.
 */
import Type from 'typebox';
import { currencyExponent } from '../../../kernel/money.ts';
import { CurrencyCode, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ReconciliationSchema, SourceSchema, sourceOf } from './source.ts';

/** Minor units; the sign is part of the description. */
export const Amount = (description: string) => Type.Integer({ description });
export const NullableAmount = (description: string) => Nullable(Type.Integer({ description }));
export const Day = (description: string) => Type.String({ format: 'date', description });
export const NullableDay = (description: string) => Nullable(Day(description));
export const Money = {
  currency: Type.String({ description: 'ISO 4217' }),
  currency_exponent: Type.Integer({ description: 'Decimal places of the currency' }),
};
export const moneyOf = (currency: string) => ({ currency, currency_exponent: currencyExponent(currency) });

export const metadata = {
  ...Money,
  generated_at: Instant(),
  source: SourceSchema,
  reconciliation: ReconciliationSchema,
};
/** The same fields for a list whose rows have their own currency and comparison. */
export const listMetadata = {
  currency: Nullable(Type.String({ description: 'Of all amounts; null where rows have several' })),
  currency_exponent: Nullable(Type.Integer({ description: 'Decimal places of the currency' })),
  generated_at: metadata.generated_at,
  source: metadata.source,
};
/** Fields of dashboard and metric payloads. */
export const payload = {
  cache_status: StringEnum(['live'], { description: 'Read from the ledger for this answer' }),
  source_contract: Type.String(),
  missing_components: Type.Array(Type.String(), {
    description: 'Components that these figures need and that were not recorded; never counted as zero',
  }),
};

const RECONCILIATION_EXAMPLE = {
  status: 'matched' as const,
  scope: 'account' as const,
  provider: 'stripe',
  provider_data_through: '2026-08-31T13:59:59.000Z',
  last_checked_at: '2026-08-31T18:05:11.000Z',
  expected_minor: 23_330,
  reported_minor: 23_330,
  in_flight_minor: 0,
  difference_minor: 0,
  unmatched_count: 0,
  reason_codes: [],
  residue: null,
};
export const metadataExample = (contract: string) => ({
  ...moneyOf('AUD'),
  generated_at: '2026-09-01T00:00:00.000Z',
  source: sourceOf(contract, 220n, '2026-08-31T13:59:59.999Z'),
  reconciliation: RECONCILIATION_EXAMPLE,
});

export const listMetadataExample = (contract: string) => {
  const { reconciliation: _, ...example } = metadataExample(contract);
  return example;
};

/** Query parameters that many reads share. */
export const currencyQuery = {
  currency: Type.Optional(
    CurrencyCode({
      description: 'ISO 4217 code; defaults to the seller’s currency. Currencies are never summed',
    }),
  ),
};
