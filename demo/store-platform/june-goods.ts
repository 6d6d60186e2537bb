/** What the store of the shop with a past has: the products of the shop, and one that the shop does not know yet. */
import { formatDecimal, minor } from '../../src/kernel/money.ts';
import { PAST_PRODUCTS, PAST_SHOP } from '../past/past-shop.ts';
import type { Shop } from './shop.ts';

export const JUNE_STORE = 'wattle-lane.myshopify.com';
const SIZES = ['200 ml', '300 ml', '400 ml', '500 ml'];
/** Units at the two locations; more than the demo ever sells. */
const UNITS = [12_000, 8_000] as const;

/** An EAN-13 of these 12 digits. */
function ean13(digits: string): string {
  const sum = [...digits].reduce((all, digit, index) => all + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export function furnishJune({ catalogue }: Shop): void {
  const locations = ['Shop in Castlemaine', 'Warehouse in Bendigo'].map((name) =>
    catalogue.addLocation(name),
  );
  const vendor = PAST_SHOP.business_name;
  const made = PAST_PRODUCTS.map(({ seller_sku, title, category, price_minor }) =>
    catalogue.addProduct({
      ...{ title, vendor, product_type: category },
      variants: [{ sku: seller_sku, price: formatDecimal(minor(price_minor)) }],
    }),
  );
  const tumbler = catalogue.addProduct({
    ...{ title: 'Ribbed glass tumbler', vendor, product_type: 'Home > Kitchen > Glasses' },
    body_html: '<p>Mouth-blown, safe in the dishwasher.</p>',
    variants: SIZES.map((title, index) => ({
      ...{ title, sku: `TUMBLER-${index + 1}`, price: `${16 + 2 * index}.50` },
      barcode: ean13(`93006750281${index}`),
    })),
  });
  for (const { inventory_item_id: item } of [...made, tumbler].flatMap(({ variants }) => variants))
    for (const [index, { id }] of locations.entries()) catalogue.setLevel(item, id, UNITS[index] ?? 0);
}
