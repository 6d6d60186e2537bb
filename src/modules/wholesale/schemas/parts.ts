import Type from 'typebox';
import { COUNTRY, NOT_BLANK, Nullable } from '../../../kernel/schema.ts';

export const QUANTITY_MAX = 1_000_000;
export const LINES_MAX = 200;
export const NOTE_CHARS_MAX = 2_000;

export const id = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
export const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description });
export const count = (description: string, minimum = 0) => Type.Integer({ minimum, description });
export const quantity = (description: string) =>
  Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description });
export const amount = (description: string) => Type.Integer({ minimum: 0, description });
export const day = (description: string) => Type.String({ format: 'date', description });
export const currency = Type.String({ description: 'Currency of all amounts, ISO 4217' });
export const note = Nullable(words(NOTE_CHARS_MAX, 'What the supplier should know'));

export const supplier = Type.Object(
  { supplier_id: id('Id of the supplier, `sup_…`'), name: Type.String({ description: 'Its name' }) },
  { title: 'PurchaseSupplier', description: 'A supplier of the marketplace.' },
);

const optional = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description })));
export const ShipTo = Type.Object(
  {
    name: optional(120, 'Person or department'),
    company: optional(120, 'Organisation'),
    line1: Type.String({
      minLength: 1,
      maxLength: 120,
      ...NOT_BLANK,
      description: 'Street and number, or PO box',
    }),
    line2: optional(120, 'Unit, level'),
    city: Type.String({ minLength: 1, maxLength: 80, ...NOT_BLANK, description: 'Suburb or town' }),
    state: optional(40, 'In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC, WA'),
    postcode: optional(16, 'In Australia four digits'),
    country: Type.String({ ...COUNTRY, description: 'ISO 3166-1 alpha-2' }),
    phone: optional(32, 'Telephone number'),
  },
  { title: 'PurchaseDestination', description: 'Where the supplier sends the goods.' },
);

export const SUPPLIER = { supplier_id: 'sup_01j0000000000000000000000', name: 'Bondi Clay Works' };
export const ITEM_ID = 'sit_01j0000000000000000000000';
export const ORDER_ID = 'por_01j0000000000000000000000';
export const LINE_ID = 'pol_01j0000000000000000000000';
export const PRODUCT_ID = 'prd_01j0000000000000000000000';
export const RECEIPT_ID = 'rec_01j0000000000000000000000';
export const AT = '2026-08-03T02:10:00.000Z';
