import Type, { type Static } from 'typebox';
import { auAddressProblems } from '../../../kernel/australia/address.ts';
import type { FieldProblem } from '../../../kernel/errors.ts';
import { COUNTRY, NOT_BLANK, Nullable } from '../../../kernel/schema.ts';

const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description });
const optional = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description })));

/** A postal address. An Australian address has a state and a postcode of that state. */
export const Address = Type.Object(
  {
    name: optional(120, 'Person or department'),
    company: optional(120, 'Organisation'),
    line1: line(120, 'Street and number, or PO box'),
    line2: optional(120, 'Unit, level'),
    city: line(80, 'Suburb or town'),
    state: optional(40, 'In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC, WA'),
    postcode: optional(16, 'In Australia four digits'),
    country: Type.String({ ...COUNTRY, description: 'ISO 3166-1 alpha-2' }),
    phone: optional(32, 'Telephone number'),
  },
  { title: 'Address', description: 'A postal address.' },
);
type AddressInput = Static<typeof Address>;

export const ADDRESS_EXAMPLE: AddressInput = {
  line1: '12 Harbour Street',
  city: 'Sydney',
  state: 'NSW',
  postcode: '2000',
  country: 'AU',
};

/** The problems of an Australian address in the body. Addresses in other countries are not checked. */
export const addressProblems = (address: AddressInput, at: readonly string[]): FieldProblem[] =>
  auAddressProblems(address, ['body', ...at]);
