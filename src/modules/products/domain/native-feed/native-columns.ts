/**
 * The columns of the native feed. The feed contract publishes this table, and the mapper reads rows by it.
 * Source: docs/design/feeds-and-imports.md#native-feed.
 */

import { trimLine } from '../fields/clean-text.ts';
import {
  BRAND_MAX,
  CATEGORY_MAX,
  DESCRIPTION_MAX,
  IMAGES_MAX,
  MPN_MAX,
  QUANTITY_MAX,
  SKU_MAX,
  TITLE_MAX,
} from '../fields/limits.ts';
import { IDENTITY_STRATEGIES } from '../product.ts';
import { CONDITIONS, EXEMPTION_REASONS, PRODUCT_STATUSES } from '../row.ts';
import { identityOf, type NativeRow, variationOf } from './native-row.ts';
import { readAmount, readOneOf, readWhole } from './read-cell.ts';

export interface NativeColumn {
  /** The header. If it ends in `.*`, any text may replace the `*`. */
  readonly name: string;
  /** Whether an empty cell is an error. `rule` names the exceptions. */
  readonly required: boolean;
  readonly type: 'text' | 'decimal' | 'whole number' | 'one of' | 'list of addresses';
  /** Shown in the feed contract. */
  readonly rule: string;
  /** Whether the mode `inventory` reads the column. */
  readonly inventory: boolean;
  /** Reads one cell into the row. `suffix` is the text that replaces the `*`. */
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

/** An empty cell clears the field. */
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

const oneOf = (values: readonly string[]) => `One of ${values.join(', ')}, in any case.`;

export const NATIVE_COLUMNS: readonly NativeColumn[] = [
  column(
    'seller_sku',
    'text',
    `Your own id of the product, 1 to ${SKU_MAX} characters. May be empty only for a draft that product_id names.`,
    (text, row) => {
      if (trimLine(text) !== '') row.patch.seller_sku = text;
    },
    { required: true, inventory: true },
  ),
  textColumn('title', `1 to ${TITLE_MAX} characters without HTML. May be empty only for a draft.`, {
    required: true,
  }),
  textColumn('description', `At most ${DESCRIPTION_MAX} characters. May contain HTML and line breaks.`),
  textColumn('brand', `At most ${BRAND_MAX} characters. Required for the identity mpn_brand.`),
  identityColumn('mpn', `The manufacturer's part number, at most ${MPN_MAX} characters.`),
  identityColumn(
    'global_id',
    'GTIN-8, 12, 13 or 14, UPC-E, ISBN-10 or 13, with the check digit. In spreadsheets, format the column as text.',
  ),
  column(
    'identity_strategy',
    'one of',
    `${oneOf(IDENTITY_STRATEGIES)} If empty, the first that the row allows is chosen: global_id, mpn and brand, ` +
      'exempt_reason, product_id.',
    (text, row) => {
      const strategy = readOneOf(text, IDENTITY_STRATEGIES, 'identity_strategy', row);
      if (strategy !== undefined) identityOf(row).strategy = strategy;
    },
  ),
  identityColumn('product_id', "The service's id of one of your products (prd_…).", 'text', {
    inventory: true,
  }),
  identityColumn('exempt_reason', `Why the product has no identifier. ${oneOf(EXEMPTION_REASONS)}`, 'one of'),
  textColumn('category', `At most ${CATEGORY_MAX} characters. Separate the levels with " > ".`),
  column('condition', 'one of', oneOf(CONDITIONS), (text, row) => {
    const condition = readOneOf(text, CONDITIONS, 'condition', row);
    if (condition !== undefined) row.patch.condition = condition === '' ? null : condition;
  }),
  amountColumn(
    'price',
    'price_minor',
    'A decimal above zero in your currency, for example 24.99. Required for an active product.',
    { required: true },
  ),
  amountColumn('compare_at', 'compare_at_minor', 'The price before a discount: a decimal above the price.'),
  unitsColumn('quantity', `Units on hand, 0 to ${QUANTITY_MAX}. Empty means unknown.`),
  unitsColumn('reorder_point', `Stock at or below this number of units is low, 0 to ${QUANTITY_MAX}.`),
  column(
    'status',
    'one of',
    `${oneOf(PRODUCT_STATUSES)} Empty keeps the status; a new product becomes active.`,
    (text, row) => {
      const status = readOneOf(text, PRODUCT_STATUSES, 'status', row);
      if (status !== undefined && status !== '') row.patch.status = status;
    },
  ),
  column(
    'image_urls',
    'list of addresses',
    `At most ${IMAGES_MAX} http or https addresses in their order. Separate them with | or line breaks.`,
    (text, row) => {
      row.images = text === '' ? [] : text.split(/[|\n\r]+/).map((url) => ({ url }));
    },
  ),
  column(
    'attributes.*',
    'text',
    'A custom attribute, for example attributes.colour. Leave it empty to remove it.',
    (text, row, suffix) => {
      row.attributes ??= {};
      row.attributes[suffix] = text;
    },
  ),
  column(
    'parent_sku',
    'text',
    `The same text for all variants of one product, at most ${SKU_MAX} characters.`,
    (text, row) => {
      variationOf(row).parent_sku = text;
    },
  ),
  column(
    'variation.*',
    'text',
    'The value of one option, for example variation.Colour. Leave it empty to remove the option. variation.theme lists all options in their order: Colour/Size.',
    (text, row, suffix) => {
      const { options, values } = variationOf(row);
      options.push(suffix);
      if (trimLine(text) !== '') values[suffix] = text;
    },
  ),
];

/**
 * Names that other tools use for these columns. The service does not read such a column; its warning suggests the
 * native name.
 */
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
  ['compare_at_minor', 'compare_at'],
  ['strategy', 'identity_strategy'],
  ['reason', 'exempt_reason'],
]);
