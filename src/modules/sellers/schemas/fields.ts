/** Fields that several sections of a seller share. */
import Type from 'typebox';
import { PLANS } from '../../../kernel/plans.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';

export const SELLER_STATUSES = ['active', 'suspended', 'closed'] as const;

/** An optional text that null clears. */
export const clearable = (maxLength: number, description: string, options: object = {}) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength, description, ...options })));

/** 254 characters: the longest address that mail can be delivered to (RFC 5321). */
export const email = (description: string) => clearable(254, description, { format: 'email' });

/** A web address that others will open; credentials in it are refused. */
export const webAddress = (description: string) =>
  clearable(2_000, description, { pattern: '^https?://[^\\s/@?#]+([/?#]\\S*)?$' });

/** The same fields as they are answered: always present, null when not set. */
export const shown = (description: string) => Nullable(Type.String({ description }));

export const TaxIdentity = {
  tax_id: Type.String({ description: 'Tax identifier of the registration; read-only' }),
  tax_id_check: StringEnum(['abn_valid', 'abn_invalid', 'not_abn'], {
    description: 'What its form says; whether it is registered is a question for validate-abn',
  }),
};

export const StandingFields = {
  status: StringEnum(SELLER_STATUSES),
  verified: Type.Boolean(),
  api_access: Type.Boolean(),
  plan: StringEnum(PLANS),
  account_flags: Type.Array(Type.String()),
  hold_days: Nullable(Type.Integer({ description: 'Days that money is held; null: the general rule' })),
  min_payout_minor: Nullable(Type.Integer({ description: 'Smallest payout; null: the general rule' })),
};
