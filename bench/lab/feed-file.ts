/** A catalogue file of the usual 15 columns, as a small shop exports it. */
import { gtinCheckDigit } from '../../src/kernel/gtin-check-digit.ts';

const HEADER =
  'seller_sku,title,description,brand,mpn,global_id,category,condition,price,compare_at,quantity,' +
  'reorder_point,status,image_urls,attributes.colour';

/** A GTIN-13 that no other row of the file has. */
function gtin(row: number): string {
  const body = `93${String(4_100_000_000 + row * 7).slice(0, 10)}`;
  return `${body}${gtinCheckDigit(body)}`;
}

function line(row: number, extra: number): string {
  const price = `${10 + (row % 90) + extra}.${String(row % 100).padStart(2, '0')}`;
  return [
    `SKU-${String(row).padStart(7, '0')}`,
    `Stoneware mug number ${row} with a glazed handle`,
    `"A sturdy mug, thrown by hand number ${row}. It keeps tea warm, and it goes into the dishwasher. Made in batches of ${row % 50}."`,
    'Harbour Clay',
    `HC-${row}`,
    gtin(row),
    'Home > Kitchen > Mugs',
    'new',
    price,
    `${110 + (row % 90)}.00`,
    row % 400,
    row % 7,
    'active',
    `https://cdn.example.com/p/${row}.jpg`,
    'Blue',
  ].join(',');
}

/** @param extra whole units added to every price, for a file that changes each row */
export function feedFile(rows: number, extra = 0): Buffer {
  const lines = Array.from({ length: rows }, (_, row) => line(row, extra));
  return Buffer.from(`${HEADER}\n${lines.join('\n')}\n`);
}
