import { NATIVE_COLUMNS } from './native-columns.ts';

/** One entry of `columns[]` of the feed contract (docs/design/feeds-and-imports.md#feed-contract). */
interface ColumnContract {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly rule: string;
}

export function columnContract(): readonly ColumnContract[] {
  return NATIVE_COLUMNS.map(({ name, required, type, rule }) => ({ name, required, type, rule }));
}

/** The header and one valid row of the template file, in the order of {@link NATIVE_COLUMNS}. */
export const NATIVE_TEMPLATE: readonly (readonly [column: string, example: string])[] = [
  ['seller_sku', 'MUG-BLU'],
  ['title', 'Blue stoneware mug, 350 ml'],
  ['description', '<p>Thrown and glazed by hand.</p>'],
  ['brand', 'Harbour Clay'],
  ['mpn', ''],
  ['global_id', ''],
  ['identity_strategy', 'exempt'],
  ['product_id', ''],
  ['exempt_reason', 'handmade'],
  ['category', 'Home > Kitchen > Mugs'],
  ['condition', 'new'],
  ['price', '24.99'],
  ['compare_at', ''],
  ['quantity', '12'],
  ['reorder_point', '3'],
  ['status', 'active'],
  ['image_urls', ''],
  ['attributes.colour', 'Blue'],
  ['parent_sku', ''],
  ['variation.Size', ''],
];
