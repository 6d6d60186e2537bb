/** Fields that several sections of a seller share. */
import Type from 'typebox';
import { allows, NOT_BLANK, Nullable, PlanSchema, StringEnum } from '../../../kernel/schema.ts';

export const SELLER_STATUSES = ['active', 'suspended', 'closed'] as const;

/** An optional text that null clears. A blank one would be shown, for example as the name on an invoice. */
export const clearable = (maxLength: number, description: string, options: object = {}) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength, description, ...NOT_BLANK, ...options })));

/** 254 characters: the longest address that mail can be delivered to (RFC 5321). */
export const email = (description: string) => clearable(254, description, { format: 'email' });

/** A web address that other people will open. An address with credentials is refused. */
export const webAddress = (description: string) =>
  clearable(
    2_000,
    description,
    allows('^https?://[^\\s/@?#]+([/?#]\\S*)?$', 'Use a web address such as https://example.com.'),
  );

/** The same fields in answers: always present, and null if not set. */
export const shown = (description: string) => Nullable(Type.String({ description }));

const SellerStatus = StringEnum(SELLER_STATUSES, {
  title: 'SellerStatus',
  description: 'Whether the marketplace lets the seller trade',
});
const TaxIdCheck = StringEnum(['abn_valid', 'abn_invalid', 'not_abn'], {
  title: 'TaxIdCheck',
  description: 'Result of the check of its form. It only informs; the marketplace verifies the number',
});

export const TaxIdentity = {
  tax_id: Type.String({ description: 'Tax identifier of the registration; read-only' }),
  tax_id_check: TaxIdCheck,
};

export const StandingFields = {
  status: SellerStatus,
  verified: Type.Boolean(),
  api_access: Type.Boolean(),
  plan: PlanSchema,
  account_flags: Type.Array(Type.String(), {
    description: 'Areas that the marketplace has enabled for the seller',
  }),
  hold_days: Nullable(
    Type.Integer({ description: 'Days from delivery until money is available; null: the general rule' }),
  ),
  min_payout_minor: Nullable(
    Type.Integer({ description: 'Smallest payout in minor units; null: the general rule' }),
  ),
};
