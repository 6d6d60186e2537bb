/** Pieces that the resources of orders share. */
import Type from 'typebox';
import type { IdKind } from '../../../kernel/ids.ts';
import { documentedAs, Nullable, StringEnum } from '../../../kernel/schema.ts';

export const NullableText = Nullable(Type.String());
export const NullableInteger = Nullable(Type.Integer());
export const Units = (description: string) => Type.Integer({ description });

/** A text that people write: anything that the database can hold. */
export const Words = (maxLength: number, description?: string) =>
  Type.String({ maxLength, pattern: '^[^\\u0000]*$', ...(description === undefined ? {} : { description }) });

/** What the marketplace calls a thing: it cannot be nothing. */
export const Name = () => Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' });

const id = (kind: IdKind, what: string) => Type.String({ description: `Id of the ${what}, \`${kind}…\`` });

/** Longer names of orders stay with the marketplace: an address must hold an id, however it is written. */
export const ORDER_ID_CHARS_MAX = 100;

/** An id of another shape names nothing: it is answered 404, not 422. */
export const orderParams = Type.Object({ order_id: id('ord_', 'order') });
export const shipmentParams = Type.Object({
  ...orderParams.properties,
  shipment_id: id('shp_', 'shipment'),
});
export const requestParams = Type.Object({
  ...orderParams.properties,
  request_id: id('crq_', 'cancel request'),
});
export const returnParams = Type.Object({ ...orderParams.properties, return_id: id('rtn_', 'return') });

/** Every action can be tried. */
export const actionQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Answers exactly as the action would, and changes nothing: an Idempotency-Key stays free for the action',
    }),
  ),
});

/** The version that the caller has seen; another one is a 409 `version_conflict`. */
export const version = Type.Optional(
  Type.Integer({
    minimum: 0,
    description: 'Version of the object that you have read; 409 `version_conflict` when it has changed since',
  }),
);

export const QUANTITY_MAX = 1_000_000;
const LineChoice = Type.Object({
  order_line_id: Type.String({ maxLength: 100 }),
  quantity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: QUANTITY_MAX,
      description: 'Units of the line; defaults to all open units',
    }),
  ),
});
export const lineChoices = Type.Optional(
  Type.Array(LineChoice, {
    minItems: 1,
    maxItems: 500,
    description: 'Lines that are meant; defaults to all open units',
  }),
);
export const text = (maxLength: number, description?: string) => Type.Optional(Words(maxLength, description));

export const actorSchema = Type.Object(
  {
    kind: StringEnum(['member', 'marketplace', 'buyer', 'system'], { description: 'Kind of actor' }),
    id: Nullable(Type.String({ description: 'Id of the team member; null for all others' })),
  },
  { title: 'OrderActor', description: 'Who changed the order.' },
);

/** Text as a rule; the intake keeps whatever the marketplace sent, so no type is promised. */
const addressPart = (description: string) => Type.Optional(Type.Unknown({ description }));

/** As the marketplace sent it: keys that it adds are passed on. */
export const ShipTo = documentedAs(
  Type.Object(
    {
      name: addressPart('Name of the receiver'),
      line1: addressPart('Street and number, or the first line of the address'),
      line2: addressPart('Second line of the address'),
      city: addressPart('City or suburb'),
      state: addressPart('State or territory, for example `NSW`'),
      postcode: addressPart('Postcode'),
      country: addressPart('Country, ISO 3166-1 alpha-2 code'),
      phone: addressPart('Phone number for the carrier'),
      authority_to_leave: addressPart('True when the carrier may leave the parcel without a signature'),
    },
    {
      title: 'ShipTo',
      description:
        'Where the order goes, as the marketplace sent it. A part that it did not send is absent; it may add keys.',
      additionalProperties: true,
    },
  ),
);
