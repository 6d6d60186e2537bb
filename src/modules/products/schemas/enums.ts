/** Enumerations that several schemas share. Each is a named type in the description of the API. */
import { StringEnum } from '../../../kernel/schema.ts';
import { FEED_MODES, ON_ERROR, RUN_KINDS, RUN_STATUSES } from '../domain/feed-run/run.ts';
import { ROW_OUTCOMES } from '../domain/plan/row-outcome.ts';
import { CURATION_STATES, SOURCE_ORIGINS } from '../domain/product.ts';
import { CONDITIONS, PRODUCT_STATUSES } from '../domain/row.ts';

export const ProductStatus = StringEnum(PRODUCT_STATUSES, {
  title: 'ProductStatus',
  description: 'Whether the seller offers the product: buyers can only buy `active` products',
});
export const ProductCondition = StringEnum(CONDITIONS, {
  title: 'ProductCondition',
  description: 'Condition of the product',
});
export const CurationState = StringEnum(CURATION_STATES, {
  title: 'CurationState',
  description: 'State of the marketplace’s review',
});
export const ProductOrigin = StringEnum(SOURCE_ORIGINS, {
  title: 'ProductOrigin',
  description: 'How the product was last written',
});
export const FeedMode = StringEnum(FEED_MODES, {
  title: 'FeedMode',
  description:
    'What the rows may do. `upsert` creates new products and updates existing ones; `update_only` rejects rows for unknown products; `create_only` rejects rows for existing products; `inventory` only changes stock',
});
export const OnError = StringEnum(ON_ERROR, {
  title: 'OnError',
  description:
    'What happens to the other rows when a row is rejected. `continue` applies all accepted rows; `abort` applies none',
});
export const FeedRunKind = StringEnum(RUN_KINDS, {
  title: 'FeedRunKind',
  description: 'Kind of feed run',
});
export const FeedRunStatus = StringEnum(RUN_STATUSES, {
  title: 'FeedRunStatus',
  description: 'Status of a feed run; the last six are final',
});
export const RowOutcome = StringEnum(ROW_OUTCOMES, {
  title: 'RowOutcome',
  description: 'Outcome of a row',
});
export const FindingSeverity = StringEnum(['error', 'warning', 'info'], {
  title: 'FindingSeverity',
  description: 'An `error` rejects the row; a `warning` or an `info` does not',
});
