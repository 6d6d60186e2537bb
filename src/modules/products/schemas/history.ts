import Type from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ChangeEntry, NullableText } from './parts.ts';

export const HistoryItem = Type.Object(
  {
    at: Instant({ description: 'When the change happened' }),
    action: Type.String({
      description:
        'Kind of change: created, updated, deactivated, archived, stock_set, stock_adjusted, curation_decided, …',
    }),
    version: Nullable(Type.Integer({ description: 'Version of the product after the change' })),
    actor: Type.Object(
      {
        kind: StringEnum(['member', 'feed', 'marketplace', 'channel', 'system'], {
          description: 'Kind of actor; `channel`: a connected store',
        }),
        id: Nullable(
          Type.String({
            description: 'Id of the member who sent the request or the feed, or of the channel',
          }),
        ),
      },
      { title: 'ProductActor', description: 'Who changed the product.' },
    ),
    request_id: NullableText,
    delivery_id: Nullable(Type.String({ description: 'The store’s delivery that made the change, `cdl_…`' })),
    run_id: NullableText,
    row: Nullable(Type.Integer({ description: 'Number of the data row; null outside a feed' })),
    changes: Type.Array(ChangeEntry, { description: 'The fields that changed' }),
  },
  { title: 'ProductHistoryEntry', description: 'A change of a product.' },
);
