/** What is known about the order of a contested thing, frozen when it is contested. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable } from '../../../kernel/schema.ts';

const text = (description: string) => Type.String({ description });
export const Facts = Type.Object(
  {
    order_id: Nullable(text('The order; null: none is known, or naming it would name a buyer')),
    dispatch_by: Nullable(Instant({ description: 'Until when it had to be dispatched' })),
    dispatched_at: Nullable(Instant({ description: 'When its last parcel was dispatched' })),
    dispatched_in_time: Nullable(Type.Boolean({ description: 'Whether that was in time' })),
    delivered_at: Nullable(Instant({ description: 'When its last parcel was delivered' })),
    label_bought_here: Nullable(
      Type.Boolean({ description: 'Whether every parcel went with a carrier’s label that was bought here' }),
    ),
    tracking: Type.Array(
      Type.Object(
        {
          shipment_id: text('The parcel'),
          status: text('Where it was'),
          at: Instant({ description: 'When' }),
        },
        { title: 'ContestTracking', description: 'A step of a parcel.' },
      ),
      { description: 'Its parcels, step by step' },
    ),
    refunds: Type.Array(
      Type.Object(
        {
          refund_id: text('The refund'),
          status: text('Its state'),
          amount_minor: Type.Integer({ description: 'Its amount' }),
        },
        { title: 'ContestRefund', description: 'A refund of the order.' },
      ),
      { description: 'Its refunds' },
    ),
    returns: Type.Array(
      Type.Object(
        {
          return_id: text('The return'),
          status: text('Its state'),
          reason: Nullable(text('Why the goods came back')),
        },
        { title: 'ContestReturn', description: 'A return of the order.' },
      ),
      { description: 'Its returns' },
    ),
    metric: Nullable(text('The metric that counts it; null: it is not a figure')),
    cause: Nullable(text('Why it counts there')),
    stars: Nullable(Type.Integer({ description: 'The stars of the rating; null for other targets' })),
  },
  { title: 'ContestFacts', description: 'What was known when it was contested.' },
);
export type Facts = Static<typeof Facts>;

export const NO_FACTS: Facts = {
  order_id: null,
  dispatch_by: null,
  dispatched_at: null,
  dispatched_in_time: null,
  delivered_at: null,
  label_bought_here: null,
  tracking: [],
  refunds: [],
  returns: [],
  metric: null,
  cause: null,
  stars: null,
};
