/**
 * The columns of the native feed, once: the feed contract publishes this table and the mapper runs it.
 * Source: docs/design/feeds-and-imports.md#native-feed.
 */

import { trimLine } from '../fields/clean-text.ts';
import { DESCRIPTION_MAX, IMAGES_MAX, QUANTITY_MAX, SKU_MAX, TITLE_MAX } from '../fields/limits.ts';
import { IDENTITY_STRATEGIES } from '../product.ts';
import { CONDITIONS, EXEMPTION_REASONS, PRODUCT_STATUSES } from '../row.ts';
import { identityOf, type NativeRow, variationOf } from './native-row.ts';
import { optionalText, readAmount, readOneOf, readWhole } from './read-cell.ts';

export interface NativeColumn {
  /** The header; a name that ends in `.*` stands for any number of columns. */
  readonly name: string;
  /** An empty cell is an error, save where `rule` names an exception. */
  readonly required: boolean;
  readonly type: 'text' | 'decimal' | 'whole number' | 'one of' | 'list of addresses';
  /** One sentence for people, published by the feed contract. */
  readonly rule: string;
  /** Read in the mode `inventory` too. */
  readonly inventory: boolean;
  /** Reads one cell; `suffix` is what stands in place of `*`. */
  readonly apply: (text: string, row: NativeRow, suffix: string) => void;
}

const oneOf = (values: readonly string[]) => `One of ${values.join(', ')}; any case.`;

export const NATIVE_COLUMNS: readonly NativeColumn[] = [
  {
    name: 'seller_sku',
    required: true,
    type: 'text',
    rule: `1 to ${SKU_MAX} characters; names the product. Empty only for a draft that product_id names.`,
    inventory: true,
    apply: (text, row) => {
      if (trimLine(text) !== '') row.patch.seller_sku = text;
    },
  },
  {
    name: 'title',
    required: true,
    type: 'text',
    rule: `1 to ${TITLE_MAX} characters without HTML; empty only for a draft.`,
    inventory: false,
    apply: (text, row) => {
      row.patch.title = optionalText(text);
    },
  },
  {
    name: 'description',
    required: false,
    type: 'text',
    rule: `At most ${DESCRIPTION_MAX} characters; HTML and line breaks are kept.`,
    inventory: false,
    apply: (text, row) => {
      row.patch.description = optionalText(text);
    },
  },
  {
    name: 'brand',
    required: false,
    type: 'text',
    rule: 'At most 100 characters; needed for the identity mpn_brand.',
    inventory: false,
    apply: (text, row) => {
      row.patch.brand = optionalText(text);
    },
  },
  {
    name: 'mpn',
    required: false,
    type: 'text',
    rule: "The manufacturer's part number, at most 100 characters.",
    inventory: false,
    apply: (text, row) => {
      identityOf(row).mpn = trimLine(text);
    },
  },
  {
    name: 'global_id',
    required: false,
    type: 'text',
    rule: 'GTIN-8, 12, 13 or 14, UPC-E, ISBN-10 or 13 with its check digit; format the column as text.',
    inventory: false,
    apply: (text, row) => {
      identityOf(row).global_id = trimLine(text);
    },
  },
  {
    name: 'identity_strategy',
    required: false,
    type: 'one of',
    rule: `${oneOf(IDENTITY_STRATEGIES)} Empty: global_id, then mpn and brand, then exempt_reason, then product_id.`,
    inventory: false,
    apply: (text, row) => {
      const strategy = readOneOf(text, IDENTITY_STRATEGIES, 'identity_strategy', row);
      if (strategy !== undefined) identityOf(row).strategy = strategy;
    },
  },
  {
    name: 'product_id',
    required: false,
    type: 'text',
    rule: "The service's id of a product of yours.",
    inventory: true,
    apply: (text, row) => {
      identityOf(row).product_id = trimLine(text);
    },
  },
  {
    name: 'exempt_reason',
    required: false,
    type: 'one of',
    rule: `${oneOf(EXEMPTION_REASONS)} Why the product has no identifier.`,
    inventory: false,
    apply: (text, row) => {
      identityOf(row).exempt_reason = trimLine(text);
    },
  },
  {
    name: 'category',
    required: false,
    type: 'text',
    rule: 'At most 500 characters; levels joined by " > ".',
    inventory: false,
    apply: (text, row) => {
      row.patch.category = optionalText(text);
    },
  },
  {
    name: 'condition',
    required: false,
    type: 'one of',
    rule: oneOf(CONDITIONS),
    inventory: false,
    apply: (text, row) => {
      const condition = readOneOf(text, CONDITIONS, 'condition', row);
      if (condition !== undefined) row.patch.condition = condition === '' ? null : condition;
    },
  },
  {
    name: 'price',
    required: true,
    type: 'decimal',
    rule: "A plain decimal above zero in your currency, like 24.99; empty only for a product that isn't active.",
    inventory: false,
    apply: (text, row) => {
      const amount = readAmount(text, 'price', row);
      if (amount !== undefined) row.patch.price_minor = amount;
    },
  },
  {
    name: 'compare_at',
    required: false,
    type: 'decimal',
    rule: 'A plain decimal in your currency, above the price.',
    inventory: false,
    apply: (text, row) => {
      const amount = readAmount(text, 'compare_at', row);
      if (amount !== undefined) row.patch.compare_at_minor = amount;
    },
  },
  {
    name: 'quantity',
    required: false,
    type: 'whole number',
    rule: `Units on hand, 0 to ${QUANTITY_MAX}; empty: not known.`,
    inventory: true,
    apply: (text, row) => {
      const quantity = readWhole(text, 'quantity', row);
      if (quantity !== undefined) row.patch.quantity = quantity;
    },
  },
  {
    name: 'reorder_point',
    required: false,
    type: 'whole number',
    rule: `Units, 0 to ${QUANTITY_MAX}.`,
    inventory: true,
    apply: (text, row) => {
      const point = readWhole(text, 'reorder_point', row);
      if (point !== undefined) row.patch.reorder_point = point;
    },
  },
  {
    name: 'status',
    required: false,
    type: 'one of',
    rule: `${oneOf(PRODUCT_STATUSES)} Empty: as it is; a new product is active.`,
    inventory: false,
    apply: (text, row) => {
      const status = readOneOf(text, PRODUCT_STATUSES, 'status', row);
      if (status !== undefined && status !== '') row.patch.status = status;
    },
  },
  {
    name: 'image_urls',
    required: false,
    type: 'list of addresses',
    rule: `At most ${IMAGES_MAX} http or https addresses in order, separated by | or line breaks.`,
    inventory: false,
    apply: (text, row) => {
      row.images = text === '' ? [] : text.split(/[|\n\r]+/).map((url) => ({ url }));
    },
  },
  {
    name: 'attributes.*',
    required: false,
    type: 'text',
    rule: 'An own fact under its own name, like attributes.colour; empty removes it.',
    inventory: false,
    apply: (text, row, suffix) => {
      row.attributes ??= {};
      row.attributes[suffix] = text;
    },
  },
  {
    name: 'parent_sku',
    required: false,
    type: 'text',
    rule: `At most ${SKU_MAX} characters; what the variants of one product share.`,
    inventory: false,
    apply: (text, row) => {
      variationOf(row).parent_sku = text;
    },
  },
  {
    name: 'variation.*',
    required: false,
    type: 'text',
    rule: 'The value of one option, like variation.Colour; variation.theme may state their order: Colour/Size.',
    inventory: false,
    apply: (text, row, suffix) => {
      const variation = variationOf(row);
      if (trimLine(text) !== '') variation.values[suffix] = text;
    },
  },
];

/** Names that files of other tools use for our columns; only ever suggested, never assumed. */
export const COLUMN_SUGGESTIONS: ReadonlyMap<string, string> = new Map([
  ['sku', 'seller_sku'],
  ['name', 'title'],
  ['product_name', 'title'],
  ['item_name', 'title'],
  ['vendor', 'brand'],
  ['manufacturer', 'brand'],
  ['gtin', 'global_id'],
  ['barcode', 'global_id'],
  ['ean', 'global_id'],
  ['upc', 'global_id'],
  ['isbn', 'global_id'],
  ['qty', 'quantity'],
  ['stock', 'quantity'],
  ['quantity_on_hand', 'quantity'],
  ['quantity_available', 'quantity'],
  ['price_minor', 'price'],
  ['compare_at_price', 'compare_at'],
  ['image', 'image_urls'],
  ['images', 'image_urls'],
  ['image_url', 'image_urls'],
  ['exemption_reason', 'exempt_reason'],
]);
