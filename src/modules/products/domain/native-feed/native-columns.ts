/**
 * The columns of the native feed: the feed contract publishes this table and the mapper uses it.
 * Source: docs/design/feeds-and-imports.md#native-feed.
 */

import { trimLine } from '../fields/clean-text.ts';
import { DESCRIPTION_MAX, IMAGES_MAX, QUANTITY_MAX, SKU_MAX, TITLE_MAX } from '../fields/limits.ts';
import { IDENTITY_STRATEGIES } from '../product.ts';
import { CONDITIONS, EXEMPTION_REASONS, PRODUCT_STATUSES } from '../row.ts';
import { identityOf, type NativeRow, variationOf } from './native-row.ts';
import { readAmount, readOneOf, readWhole } from './read-cell.ts';

export interface NativeColumn {
  /** The header; a name that ends in `.*` stands for any number of columns. */
  readonly name: string;
  /** An empty cell is an error, except where `rule` names an exception. */
  readonly required: boolean;
  readonly type: 'text' | 'decimal' | 'whole number' | 'one of' | 'list of addresses';
  /** One sentence, published by the feed contract. */
  readonly rule: string;
  /** Read in the mode `inventory` too. */
  readonly inventory: boolean;
  /** Reads one cell; `suffix` replaces the `*` of the name. */
  readonly apply: (text: string, row: NativeRow, suffix: string) => void;
}

type Apply = NativeColumn['apply'];
type More = Partial<Pick<NativeColumn, 'required' | 'inventory'>>;

const column = (
  name: string,
  type: NativeColumn['type'],
  rule: string,
  apply: Apply,
  { required = false, inventory = false }: More = {},
): NativeColumn => ({ name, type, rule, apply, required, inventory });

/** A text of the product; an empty cell clears it. */
const textColumn = (name: 'title' | 'description' | 'brand' | 'category', rule: string, more?: More) =>
  column(
    name,
    'text',
    rule,
    (text, row) => {
      row.patch[name] = text === '' ? null : text;
    },
    more,
  );
const amountColumn = (name: string, field: 'price_minor' | 'compare_at_minor', rule: string, more?: More) =>
  column(
    name,
    'decimal',
    rule,
    (text, row) => {
      const amount = readAmount(text, name, row);
      if (amount !== undefined) row.patch[field] = amount;
    },
    more,
  );
const unitsColumn = (name: 'quantity' | 'reorder_point', rule: string) =>
  column(
    name,
    'whole number',
    rule,
    (text, row) => {
      const units = readWhole(text, name, row);
      if (units !== undefined) row.patch[name] = units;
    },
    { inventory: true },
  );
const identityColumn = (
  name: 'mpn' | 'global_id' | 'product_id' | 'exempt_reason',
  rule: string,
  type: NativeColumn['type'] = 'text',
  more?: More,
) =>
  column(
    name,
    type,
    rule,
    (text, row) => {
      identityOf(row)[name] = trimLine(text);
    },
    more,
  );

const oneOf = (values: readonly string[]) => `One of ${values.join(', ')}; any case.`;

export const NATIVE_COLUMNS: readonly NativeColumn[] = [
  column(
    'seller_sku',
    'text',
    `1 to ${SKU_MAX} characters; names the product. Empty only for a draft that product_id names.`,
    (text, row) => {
      if (trimLine(text) !== '') row.patch.seller_sku = text;
    },
    { required: true, inventory: true },
  ),
  textColumn('title', `1 to ${TITLE_MAX} characters without HTML; empty only for a draft.`, {
    required: true,
  }),
  textColumn('description', `At most ${DESCRIPTION_MAX} characters; HTML and line breaks are kept.`),
  textColumn('brand', 'At most 100 characters; needed for the identity mpn_brand.'),
  identityColumn('mpn', "The manufacturer's part number, at most 100 characters."),
  identityColumn(
    'global_id',
    'GTIN-8, 12, 13 or 14, UPC-E, ISBN-10 or 13 with its check digit; format the column as text.',
  ),
  column(
    'identity_strategy',
    'one of',
    `${oneOf(IDENTITY_STRATEGIES)} Empty: global_id, then mpn and brand, then exempt_reason, then product_id.`,
    (text, row) => {
      const strategy = readOneOf(text, IDENTITY_STRATEGIES, 'identity_strategy', row);
      if (strategy !== undefined) identityOf(row).strategy = strategy;
    },
  ),
  identityColumn('product_id', "The service's id of a product of yours.", 'text', { inventory: true }),
  identityColumn('exempt_reason', `${oneOf(EXEMPTION_REASONS)} Why the product has no identifier.`, 'one of'),
  textColumn('category', 'At most 500 characters; levels joined by " > ".'),
  column('condition', 'one of', oneOf(CONDITIONS), (text, row) => {
    const condition = readOneOf(text, CONDITIONS, 'condition', row);
    if (condition !== undefined) row.patch.condition = condition === '' ? null : condition;
  }),
  amountColumn(
    'price',
    'price_minor',
    "A plain decimal above zero in your currency, like 24.99; empty only for a product that isn't active.",
    { required: true },
  ),
  amountColumn('compare_at', 'compare_at_minor', 'A plain decimal in your currency, above the price.'),
  unitsColumn('quantity', `Units on hand, 0 to ${QUANTITY_MAX}; empty: not known.`),
  unitsColumn('reorder_point', `Units, 0 to ${QUANTITY_MAX}.`),
  column(
    'status',
    'one of',
    `${oneOf(PRODUCT_STATUSES)} Empty: as it is; a new product is active.`,
    (text, row) => {
      const status = readOneOf(text, PRODUCT_STATUSES, 'status', row);
      if (status !== undefined && status !== '') row.patch.status = status;
    },
  ),
  column(
    'image_urls',
    'list of addresses',
    `At most ${IMAGES_MAX} http or https addresses in order, separated by | or line breaks.`,
    (text, row) => {
      row.images = text === '' ? [] : text.split(/[|\n\r]+/).map((url) => ({ url }));
    },
  ),
  column(
    'attributes.*',
    'text',
    'An own fact under its own name, like attributes.colour; empty removes it.',
    (text, row, suffix) => {
      row.attributes ??= {};
      row.attributes[suffix] = text;
    },
  ),
  column(
    'parent_sku',
    'text',
    `At most ${SKU_MAX} characters; what the variants of one product share.`,
    (text, row) => {
      variationOf(row).parent_sku = text;
    },
  ),
  column(
    'variation.*',
    'text',
    'The value of one option, like variation.Colour; variation.theme may state their order: Colour/Size.',
    (text, row, suffix) => {
      const variation = variationOf(row);
      if (trimLine(text) !== '') variation.values[suffix] = text;
    },
  ),
];

/** Names of the same columns in other tools; they are suggested, never assumed. */
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
