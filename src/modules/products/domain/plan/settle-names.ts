/**
 * Settles which product a row of a file names: SKUs that another product holds, and rows that name the product of an
 * earlier row. Source: docs/design/feeds-and-imports.md#matching.
 */
import type { MatchedRow } from '../match-row.ts';
import type { CatalogueProduct } from '../product.ts';
import { stagesRepeatedSkus } from '../profiles/staging.ts';
import type { FeedRow, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { PlanContext } from './plan-context.ts';

type NameContext = Pick<PlanContext, 'profile' | 'mode' | 'columns'>;

/** The names that earlier rows of a file have used, with the numbers of these rows. */
export interface EarlierNames {
  readonly skus: Map<string, number>;
  /** Keys of the file. */
  readonly keys: Map<string, number>;
  readonly products: Map<string, number>;
}

export const noEarlierNames = (): EarlierNames => ({
  skus: new Map(),
  keys: new Map(),
  products: new Map(),
});

const staged = ({ profile, mode }: NameContext): boolean =>
  mode !== 'inventory' && stagesRepeatedSkus(profile);

const skuOf = ({ patch }: FeedRow): string | undefined => patch?.seller_sku || undefined;

const refused = (row: FeedRow, message: RowMessage): FeedRow => ({
  ...row,
  messages: [message, ...row.messages],
});

/** The row without its SKU: a new product stays a draft, which later files find by its key. */
function withoutSku(row: FeedRow, messages: readonly RowMessage[]): FeedRow {
  if (row.patch === null) return row;
  const { seller_sku: _, ...patch } = row.patch;
  const role = row.role ?? 'staged';
  return { ...row, patch, messages: [...messages, ...row.messages], role };
}

const OPTIONS_HINT =
  'If the row is about a variant of this product, add the columns of the options: they tell the variants apart.';

/**
 * Removes a SKU from a row of an import if another product of the seller has it. In profiles whose SKUs do not
 * repeat, the row is rejected instead. Requests and native feeds do not come here, because there the SKU names the
 * product.
 */
export function yieldTakenSku(
  row: FeedRow,
  { existing, match, ofVariant }: MatchedRow,
  context: NameContext,
): FeedRow {
  const value = skuOf(row);
  if (context.profile === null || value === undefined) return row;
  const holder = match.candidates.find(
    ({ reason, product_id }) => reason === 'seller_sku' && product_id !== existing?.product_id,
  );
  if (holder === undefined) return row;
  // Rows of stock never write a SKU.
  if (context.mode === 'inventory' && existing !== null) return withoutSku(row, []);
  const detail = {
    column: context.columns.fields.seller_sku,
    value,
    message: `Your product ${holder.product_id} has this SKU: your files have another key or listing number for it, or another title and another code or other pictures.`,
  };
  // Without the columns of options, rows of variants have the key of their product, and would make drafts of it.
  if (staged(context) && existing === null && ofVariant && row.patch?.variation === undefined)
    return refused(row, rowMessage('sku_duplicate', { ...detail, hint: OPTIONS_HINT }));
  return staged(context)
    ? withoutSku(row, [rowMessage('sku_duplicate', { ...detail, severity: 'warning' })])
    : refused(row, rowMessage('sku_duplicate', detail));
}

/** The row without its former keys, if an earlier row of the file is the listing without a SKU that they have found. */
export function asOtherListing(
  row: FeedRow,
  existing: CatalogueProduct | null,
  earlier: EarlierNames,
): FeedRow {
  const gives = existing?.seller_sku === null && skuOf(row) !== undefined;
  return gives && row.former_keys?.some((key) => earlier.keys.has(key)) ? { ...row, former_keys: [] } : row;
}

const STAGED_HINT =
  'The product stays a draft, which a later import finds by its key in the file; give it its own SKU.';

/**
 * Checks a row against the earlier rows of the file. Only the seller knows which of two rows about one product is
 * right, so the later one is rejected. If the profile stages repeated SKUs, a row with a repeated SKU but another key
 * is another product, and its SKU is left out.
 *
 * @returns the same row if it repeats nothing
 */
export function settleRepeat(
  row: FeedRow,
  product: string | undefined,
  earlier: EarlierNames,
  context: NameContext,
): FeedRow {
  const sku = skuOf(row);
  const key = row.patch?.external_key ?? undefined;
  const { fields } = context.columns;
  const skuRow = sku === undefined ? undefined : earlier.skus.get(sku);
  const keyRow = key === undefined ? undefined : earlier.keys.get(key);
  const keyIsSku = key === sku && !staged(context);
  if (keyRow !== undefined && !(keyIsSku && skuRow !== undefined)) {
    return refused(row, sameProduct(keyRow, { column: fields.external_key, value: key }));
  }
  if (skuRow !== undefined) {
    const message = `The SKU is already in row ${skuRow} of this file.`;
    const detail = { column: fields.seller_sku, value: sku, message };
    return staged(context)
      ? withoutSku(row, [
          rowMessage('sku_duplicate_in_file', { ...detail, severity: 'warning', hint: STAGED_HINT }),
        ])
      : refused(row, rowMessage('sku_duplicate_in_file', detail));
  }
  const productRow = product === undefined ? undefined : earlier.products.get(product);
  return productRow === undefined ? row : refused(row, sameProduct(productRow, { value: key ?? sku }));
}

const sameProduct = (row: number, detail: { column?: string; value?: string | undefined }): RowMessage =>
  rowMessage('duplicate_in_file', { ...detail, message: `Row ${row} of this file is the same product.` });

/**
 * Remembers the names of a row. A row whose SKU another product holds takes no names. If the profile stages repeated
 * SKUs, a rejected row takes no SKU, so that a part of the file has the same effect as the whole file.
 */
export function rememberNames(
  row: FeedRow,
  product: string | undefined,
  rejected: boolean,
  earlier: EarlierNames,
  context: NameContext,
): void {
  if (rejected && row.messages.some(({ code }) => code === 'sku_duplicate')) return;
  const add = (names: Map<string, number>, name: string | null | undefined): void => {
    if (name != null && name !== '' && !names.has(name)) names.set(name, row.row_number);
  };
  add(earlier.keys, row.patch?.external_key);
  if (!(rejected && staged(context))) add(earlier.skus, skuOf(row));
  if (!rejected) add(earlier.products, product);
}
