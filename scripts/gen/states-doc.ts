import { RUN_STATUSES, TERMINAL_STATUSES } from '../../src/modules/products/domain/feed-run/run.ts';
import { CURATION_STATES } from '../../src/modules/products/domain/product.ts';
import { PRODUCT_STATUSES } from '../../src/modules/products/domain/row.ts';
import { code, page, table } from './markdown.ts';

const RUN = table(
  ['status', 'ends the run'],
  RUN_STATUSES.map((status) => [code(status), TERMINAL_STATUSES.includes(status) ? 'yes, for good' : 'no']),
);

const list = (values: readonly string[]): string => values.map(code).join(', ');

/** docs/states.md: what a thing can be. */
export function statesDoc(): string {
  return page(
    'States',
    `## Feed run\n\n${RUN}`,
    `## Product\n\nStatus, the seller's: ${list(PRODUCT_STATUSES)}.\n\nCuration, the marketplace's: ${list(CURATION_STATES)}.`,
  );
}
