/** Schemas that the resources of orders share. */
import Type, { type Static } from 'typebox';
import type { IdKind } from '../../../kernel/ids.ts';
import { documentedAs, Nullable, STORABLE, StringEnum } from '../../../kernel/schema.ts';

export const NullableText = Nullable(Type.String());
export const NullableInteger = Nullable(Type.Integer());
export const Units = (description: string) => Type.Integer({ description });

/** Free text: anything that the database can store. */
export const Words = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...STORABLE, ...(description === undefined ? {} : { description }) });

/** An id of the marketplace; not empty. */
export const Name = () => Type.String({ minLength: 1, maxLength: 200, ...STORABLE });

const id = (kind: IdKind, what: string) => Type.String({ description: `Id of the ${what}, \`${kind}…\`` });

/** A longer id of the marketplace becomes `external_order_id`, because an encoded id must fit into a URL. */
export const ORDER_ID_CHARS_MAX = 100;

/** An id of any form; an unknown one is a 404, not a 422. */
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

/** Every action has a dry run. */
export const actionQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Answers exactly as the action would, and changes nothing. An Idempotency-Key stays free for the action',
    }),
  ),
});

/** The version that the client has read; a different one is a 409 `version_conflict`. */
export const version = Type.Optional(
  Type.Integer({
    minimum: 0,
    description: 'Version of the object that you have read; 409 `version_conflict` when it has changed since',
  }),
);

export const QUANTITY_MAX = 1_000_000;
/** Below 2^53, like every amount on the wire. */
export const AMOUNT_MAX = 1_000_000_000_000_000;
export const Amount = Type.Integer({ minimum: 0, maximum: AMOUNT_MAX });
/** A text that the marketplace may send, or null. */
export const optionalText = (maxLength: number) => Type.Optional(Nullable(Words(maxLength)));
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
    description: 'Lines and units; defaults to all open units',
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

const addressPart = (description: string) => Type.Optional(Type.String({ description }));

const ADDRESS_TEXTS = {
  name: addressPart('Name of the receiver'),
  company: addressPart('Organisation of the receiver'),
  line1: addressPart('Street and number, or the first line of the address'),
  line2: addressPart('Second line of the address'),
  city: addressPart('City or suburb'),
  state: addressPart('State or territory, for example `NSW`'),
  postcode: addressPart('Postcode'),
  country: addressPart('Country, ISO 3166-1 alpha-2 code'),
  phone: addressPart('Phone number for the carrier'),
  email: addressPart('E-mail address for the carrier'),
  delivery_note: addressPart('What the buyer tells the carrier'),
};

/** The marketplace's address; further keys are passed on. */
export const ShipTo = documentedAs(
  Type.Object(
    {
      ...ADDRESS_TEXTS,
      authority_to_leave: Type.Optional(
        Type.Boolean({ description: 'Whether the carrier may leave the parcel without a signature' }),
      ),
    },
    {
      title: 'ShipTo',
      description:
        'Where the order goes, as the marketplace sent it. A part that it did not send is absent; it may add keys.',
      additionalProperties: true,
    },
  ),
);

/** The stored address, which is as the marketplace sent it: a documented part of another type is left out. */
export const shipToWire = (stored: Readonly<Record<string, unknown>>): Static<typeof ShipTo> =>
  Object.fromEntries(
    Object.entries(stored).filter(([name, value]) =>
      name in ADDRESS_TEXTS
        ? typeof value === 'string'
        : name !== 'authority_to_leave' || typeof value === 'boolean',
    ),
  );
