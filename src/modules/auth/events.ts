import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { Nullable, StringEnum } from '../../kernel/schema.ts';

/** The marketplace has to learn the seller's id before it can say anything about its standing. */
export const sellerRegistered = defineEvent({
  type: 'seller.registered',
  summary: 'An identity of the marketplace has registered as a seller',
  schema: Type.Object({
    seller_id: Type.String(),
    business_name: Type.String(),
    tax_id: Type.String(),
    tax_id_check: StringEnum(['abn_valid', 'abn_invalid', 'not_abn']),
    subject: Type.String({ description: 'The identity, as the marketplace names it' }),
    email: Nullable(Type.String()),
  }),
  example: {
    seller_id: 'slr_01j0000000000000000000000',
    business_name: 'Blue Mugs',
    tax_id: '51824753556',
    tax_id_check: 'abn_valid',
    subject: '0b5f5c1e-6f3a-4a51-9d0e-3a2f5f0c8a52',
    email: 'owner@example.com',
  },
  marketplace: true,
  sellers: false,
});
