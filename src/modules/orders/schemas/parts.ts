/** Pieces that the resources of orders share. */
import Type from 'typebox';
import type { IdKind } from '../../../kernel/ids.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';

export const NullableText = Nullable(Type.String());
export const NullableInteger = Nullable(Type.Integer());
export const Units = (description: string) => Type.Integer({ description });

/** A text that people write: anything that the database can hold. */
export const Words = (maxLength: number, description?: string) =>
  Type.String({ maxLength, pattern: '^[^\\u0000]*$', ...(description === undefined ? {} : { description }) });

/** What the marketplace calls a thing: it cannot be nothing. */
export const Name = () => Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' });

const id = (kind: IdKind, what: string) =>
  Type.String({ description: `Identifier of the ${what}, \`${kind}…\`` });

/** Longer names of orders stay with the marketplace: an address must hold an id, however it is written. */
export const ORDER_ID_CHARS_MAX = 100;

/** An id of another shape names nothing: it is answered 404, not 422. */
export const orderParams = Type.Object({ order_id: id('ord_', 'ord_') });
export const shipmentParams = Type.Object({
  ...orderParams.properties,
  shipment_id: id('shp_', 'shp_'),
});
export const requestParams = Type.Object({
  ...orderParams.properties,
  request_id: id('crq_', 'cancel request'),
});
export const returnParams = Type.Object({ ...orderParams.properties, return_id: id('rtn_', 'rtn_') });

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
  Type.Integer({ minimum: 0, description: 'Version that the caller has seen; another one is a 409' }),
);

export const QUANTITY_MAX = 1_000_000;
const LineChoice = Type.Object({
  order_line_id: Type.String({ maxLength: 100 }),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description: 'Default: all open units of the line' }),
  ),
});
export const lineChoices = Type.Optional(
  Type.Array(LineChoice, { minItems: 1, maxItems: 500, description: 'Default: all that is open' }),
);
export const text = (maxLength: number) => Type.Optional(Words(maxLength));

export const actorSchema = Type.Object({
  kind: StringEnum(['member', 'marketplace', 'buyer', 'system']),
  id: NullableText,
});
