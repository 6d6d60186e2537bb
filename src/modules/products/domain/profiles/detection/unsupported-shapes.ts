/**
 * Kinds of files that are recognised but not imported. The message says what the file is and what to do instead.
 * Source: docs/design/feeds-and-imports.md#detection.
 */
import { type HeaderPattern, headerPattern, names } from './fingerprints.ts';

type UnsupportedShapeCode =
  | 'store_platform_inventory'
  | 'fulfilment_inventory'
  | 'operator_offers'
  | 'localised_listings'
  | 'orders_with_personal_data';

export interface UnsupportedShape extends HeaderPattern {
  readonly code: UnsupportedShapeCode;
  readonly message: string;
  /** Whether the file has data of buyers. Such a file is refused, and neither shown nor stored. */
  readonly personal_data: boolean;
}

const orders = (required: string, strong: string): UnsupportedShape => ({
  code: 'orders_with_personal_data',
  message:
    'This is an export of orders or customers with personal data of buyers. The service refuses it and does not ' +
    'keep it. Send the export of your listings instead.',
  personal_data: true,
  ...headerPattern(required, names(strong), { min_strong: 1 }),
});

export const UNSUPPORTED_SHAPES: readonly UnsupportedShape[] = [
  {
    code: 'store_platform_inventory',
    message:
      "This is a store platform's inventory export (one row per variant and location). Send it to the " +
      'inventory import, POST /api/v1/products/inventory/import.',
    personal_data: false,
    ...headerPattern(
      'handle, location, available*|on hand*',
      names('sku, hs code, coo, incoming*, unavailable*, committed*, option1 name, option1 value'),
    ),
  },
  {
    code: 'fulfilment_inventory',
    message:
      'This is a report of goods that another marketplace holds, which you cannot sell here. Send the listings ' +
      'report instead.',
    personal_data: false,
    ...headerPattern(
      'sku|seller-sku, fnsku, asin',
      names('product-name, your-price, mfn-*, afn-*, condition, per-unit-volume'),
      { min_strong: 1 },
    ),
  },
  {
    code: 'operator_offers',
    message:
      "This is an offers file of another operator's marketplace, which cannot be imported. Rename its columns as " +
      'in the feed contract and send it to POST /api/v1/products/feed-runs.',
    personal_data: false,
    ...headerPattern(
      'sku|shop-sku|offer-sku, product-id, product-id-type, state',
      names(
        `update-delete, internal-description, price-additional-info, min-quantity-alert, available-start-date,
        available-end-date, logistic-class, leadtime-to-ship, discount-*, price[*`,
      ),
      { min_strong: 1, negative: ['item-condition', 'add-delete'] },
    ),
  },
  {
    code: 'localised_listings',
    message:
      'This is a listings report with Japanese column names, which cannot be imported. Download it with English ' +
      'column names.',
    personal_data: false,
    ...headerPattern('出品者sku', names('商品名, 出品id, 価格, 数量, 出品日, 商品id, 商品idタイプ, asin*'), {
      min_strong: 1,
    }),
  },
  orders(
    'sale date, buyer|buyer user id|full name|ship name',
    `item name, order id, number of items, ship *, street 1, transaction id, listing id, date paid, date shipped`,
  ),
  orders(
    'financial status|fulfillment status, email|billing name|shipping name',
    'lineitem *, paid at, billing *, shipping *, name',
  ),
  orders(
    'order-id|amazon-order-id, buyer-email|buyer-name|recipient-name|ship-*',
    'purchase-date, payments-date, order-item-id, sku, ship-*, buyer-*',
  ),
  orders(
    'sales record number|order number, buyer username|buyer name|buyer email',
    'item number, item title, sold for, ship to *, buyer *, post to *',
  ),
  orders(
    'first name, last name, email',
    `accepts email marketing, accepts marketing, default address *, address1, total spent, total orders, phone`,
  ),
];
