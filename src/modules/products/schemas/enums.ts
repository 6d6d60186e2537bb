/** Words of the catalogue that several schemas share; each is a type of its own in the description of the API. */
import { StringEnum } from '../../../kernel/schema.ts';
import { FEED_MODES, ON_ERROR, RUN_KINDS, RUN_STATUSES } from '../domain/feed-run/run.ts';
import { ROW_OUTCOMES } from '../domain/plan/row-outcome.ts';
import { CURATION_STATES, SOURCE_ORIGINS } from '../domain/product.ts';
import { CONDITIONS, PRODUCT_STATUSES } from '../domain/row.ts';

export const ProductStatus = StringEnum(PRODUCT_STATUSES, {
  title: 'ProductStatus',
  description: 'Whether the seller offers the product: only `active` products can be bought',
});
export const ProductCondition = StringEnum(CONDITIONS, {
  title: 'ProductCondition',
  description: 'Condition of the product',
});
export const CurationState = StringEnum(CURATION_STATES, {
  title: 'CurationState',
  description: 'What the marketplace decided about the product',
});
export const ProductOrigin = StringEnum(SOURCE_ORIGINS, {
  title: 'ProductOrigin',
  description: 'How the product last came into the catalogue',
});
export const FeedMode = StringEnum(FEED_MODES, {
  title: 'FeedMode',
  description:
    'What rows may do. `upsert` creates new products and updates known ones; `update_only` rejects rows of unknown products; `create_only` rejects rows of known products; `inventory` changes stock only',
});
export const OnError = StringEnum(ON_ERROR, {
  title: 'OnError',
  description:
    'What a rejected row does to the others. `continue` applies all good rows; `abort` applies nothing as soon as one row is rejected',
});
export const FeedRunKind = StringEnum(RUN_KINDS, {
  title: 'FeedRunKind',
  description: 'What the run does',
});
export const FeedRunStatus = StringEnum(RUN_STATUSES, {
  title: 'FeedRunStatus',
  description: 'State of a feed run; the last six never change again',
});
export const RowOutcome = StringEnum(ROW_OUTCOMES, {
  title: 'RowOutcome',
  description: 'What became of a row',
});
export const FindingSeverity = StringEnum(['error', 'warning', 'info'], {
  title: 'FindingSeverity',
  description: 'An error rejects the row; a warning or an information does not',
});
