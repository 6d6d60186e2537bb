import Type from 'typebox';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { ChangeEntry, NullableInteger, NullableText } from './parts.ts';

export const HistoryPage = Page(
  Type.Object({
    at: Instant(),
    action: Type.String({
      description: 'created, updated, deactivated, archived, stock_set, stock_adjusted, curation_decided, …',
    }),
    version: Nullable(Type.Integer({ description: 'Version of the product after the change' })),
    actor: Type.Object({
      kind: StringEnum(['member', 'feed', 'marketplace', 'system']),
      id: Nullable(Type.String({ description: 'The member who sent the request or the feed' })),
    }),
    request_id: NullableText,
    run_id: NullableText,
    row: NullableInteger,
    changes: Type.Array(ChangeEntry),
  }),
);
export const HistoryItem = HistoryPage.properties.data.items;
