/** The source of figures, and their comparison with the payment provider. Source: docs/design/money.md#figures. */
import Type from 'typebox';
import { TIME_ZONE } from '../../../kernel/australia/sydney.ts';
import { jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import {
  NO_COMPARISON,
  RECONCILIATION_SCOPES,
  RECONCILIATION_STATUSES,
  RESIDUE_LABELS,
  type ReconciliationFigures,
  type Scope,
} from '../domain/reconciliation.ts';

export const SourceSchema = Type.Object(
  {
    system: StringEnum(['marketplace_ledger'], { description: 'Where the figures are kept' }),
    contract: Type.String({ description: 'Name and version of what the figures mean' }),
    ledger_position: Type.Integer({ description: 'Entries of the ledger that the figures include' }),
    as_of: Instant(),
    timezone: Type.String(),
  },
  { title: 'FinancialSource', description: 'Where the figures come from' },
);

/** @param at RFC 3339 */
export const sourceOf = (contract: string, position: bigint, at: string) => ({
  system: 'marketplace_ledger' as const,
  contract,
  ledger_position: Number(position),
  as_of: at,
  timezone: TIME_ZONE,
});

const amount = (description: string) => Nullable(Type.Integer({ description }));

export const ReconciliationSchema = Type.Object(
  {
    status: StringEnum(RECONCILIATION_STATUSES, { description: 'Whether ledger and provider agree' }),
    scope: StringEnum(RECONCILIATION_SCOPES, { description: 'What is compared' }),
    provider: Nullable(Type.String({ description: 'Name of the payment provider' })),
    provider_data_through: Nullable(Instant({ description: 'The provider’s report is complete until then' })),
    last_checked_at: Nullable(Instant({ description: 'When it was last compared' })),
    expected_minor: amount('Amount in the ledger'),
    reported_minor: amount('Amount in the provider’s report'),
    in_flight_minor: amount(
      'Transferred to the seller’s account at the provider and not arrived yet; expected is less by it',
    ),
    difference_minor: amount('Expected less reported'),
    unmatched_count: Nullable(
      Type.Integer({ description: 'Transactions of the provider without an entry in the ledger' }),
    ),
    reason_codes: Type.Array(Type.String(), { description: 'Why the status is not `matched`' }),
    residue: Nullable(
      Type.Object(
        {
          label: StringEnum(RESIDUE_LABELS, { description: 'What the difference is' }),
          amount_minor: Type.Integer({ description: 'The difference: expected less reported' }),
        },
        {
          description:
            'The difference with its label: its only reason, or the side whose entry is still awaited; null when both sides agree to the cent',
        },
      ),
    ),
  },
  { title: 'Reconciliation', description: 'Comparison with what the payment provider reports' },
);

/** The comparison with the provider as the API shows it. */
export const reconciliationJson = ({ reason_codes, residue, ...figures }: ReconciliationFigures) => ({
  ...figures,
  expected_minor: jsonOrNull(figures.expected_minor),
  reported_minor: jsonOrNull(figures.reported_minor),
  in_flight_minor: jsonOrNull(figures.in_flight_minor),
  difference_minor: jsonOrNull(figures.difference_minor),
  reason_codes: [...reason_codes],
  residue: residue && { label: residue.label, amount_minor: minorToJson(residue.amount_minor) },
});

/** An example without a comparison: there is nothing to compare, or no comparison has run yet. */
export const notCompared = (status: 'not_applicable' | 'not_started', scope: Scope) =>
  reconciliationJson({ status, scope, ...NO_COMPARISON });
