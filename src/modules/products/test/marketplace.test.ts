import { describe, expect, it } from 'vitest';
import {
  codesOf,
  detect,
  mapAll,
  openFixture,
  openText,
  patchAt,
  roleOf,
  rowAt,
} from '../../../../test/fixtures/profiles/profile-files.ts';

describe('a listings report in Windows-1252', () => {
  const rows = mapAll(openFixture('marketplace-listings-cp1252.txt'));

  it('reads its encoding and its unescaped quotes', async () => {
    expect(patchAt(await rows, 1)).toEqual({
      seller_sku: 'MS-15',
      external_key: 'MS-15',
      identity: { strategy: 'global_id', value: '9312345679010' },
      title: '15" Monitor Stand – Oak',
      description: 'Café style … <b>solid</b>',
      condition: 'new',
      status: 'active',
      price_minor: 8950n,
      quantity: 12,
      partial: { status: true },
      attributes: {
        ...{ asin: 'B0EXAMPLE1', listing_id: '0101AAA', fulfillment_channel: 'DEFAULT' },
        stock_tracking: null,
      },
    });
    expect(await rows).toHaveLength(5);
  });

  it('reads stock that the marketplace stores as unknown, never as 0', async () => {
    expect(rowAt(await rows, 2)).toMatchObject({
      patch: { quantity: null, condition: 'used_like_new', attributes: { condition_note: 'Opened once' } },
      messages: [{ code: 'stock_unknown', severity: 'info' }],
    });
  });

  it("keeps the marketplace's number as an attribute, never as an identity", async () => {
    const row = rowAt(await rows, 3);
    expect(row.role).toBe('staged');
    expect(row.patch).toMatchObject({ seller_sku: 'BE-1', attributes: { asin: 'B0EXAMPLE3' } });
    expect(row.patch).not.toHaveProperty('identity');
    expect(codesOf(row)).toEqual(['condition_approximated', 'identity_required']);
  });

  it('reads an ISBN by its type', async () => {
    expect(patchAt(await rows, 4)).toMatchObject({
      identity: { strategy: 'global_id', value: '0306406152' },
      condition: 'refurbished',
    });
  });

  it('stages a listing without a SKU under its listing number', async () => {
    const row = rowAt(await rows, 5);
    expect(row).toMatchObject({ role: 'staged', patch: { external_key: 'listing:0101AAE' } });
    expect(codesOf(row)).toEqual(['sku_required', 'gtin_not_taken', 'enum_invalid', 'identity_required']);
  });
});

describe('the other files of the marketplace', () => {
  it('reads the status of the all-listings report', async () => {
    const rows = await mapAll(openFixture('marketplace-all-listings-bom.txt'));
    expect(rows.map(({ patch }) => patch?.status)).toEqual(['active', 'inactive', 'draft']);
    expect(patchAt(rows, 3)).not.toHaveProperty('price_minor');
    expect(rows.map(roleOf)).toEqual(['product', 'product', 'product']);
  });

  it('only updates products from a file with chosen columns', async () => {
    const open = openFixture('marketplace-custom-columns.txt');
    const { answer, file } = await detect(open);
    expect(file?.update_only).toBe(true);
    expect(answer.warnings.map(({ code }) => code)).toContain('update_only');
    const rows = await mapAll(open);
    expect(rows.map(roleOf)).toEqual(['product', 'error']);
    expect(patchAt(rows, 1)).toEqual({
      seller_sku: 'K-1',
      title: 'Kettle 1.7 L',
      description: 'Boils',
      attributes: { asin: 'B0EXAMPLE6' },
    });
    expect(codesOf(rows[1])).toEqual(['sku_required']);
  });

  it('applies the add-delete codes of the inventory loader', async () => {
    const rows = await mapAll(openFixture('marketplace-loader.txt'));
    expect(rows.map(roleOf)).toEqual(['staged', 'deactivate', 'deactivate']);
    expect(patchAt(rows, 1)).toMatchObject({ price_minor: 7500n, identity: { value: '9312345679027' } });
    expect(patchAt(rows, 3)).toEqual({
      seller_sku: 'X-1',
      external_key: 'X-1',
      attributes: { asin: 'B0EXAMPLE9' },
    });
  });

  it('uses the technical names of a category template', async () => {
    const open = openFixture('marketplace-category-template.txt');
    const { answer } = await detect(open);
    expect(answer).toMatchObject({ generation: 'category_template', header_row: 3, rows: 3 });
    const rows = await mapAll(open);
    expect(rows.map(roleOf)).toEqual(['ignored', 'product', 'deactivate']);
    expect(patchAt(rows, 2)).toMatchObject({
      seller_sku: 'SH-R',
      brand: 'Wattle',
      price_minor: 3000n,
      images: [{ url: 'https://img.example/sr.jpg' }],
      variation: { parent_sku: 'SH-P', theme: 'Color', values: { Color: 'Red' } },
    });
  });

  it('reads a tab file that a spreadsheet has saved with quotes', async () => {
    const lines = ['seller-sku\titem-name\tprice\tquantity', 'A\t"15"" stand, oak"\t5\t1', 'B\tLamp\t6\t1'];
    const rows = await mapAll(openText(`${lines.join('\r\n')}\r\n`));
    expect(rows.map(({ patch }) => patch?.title)).toEqual(['15" stand, oak', 'Lamp']);
  });

  it('rejects negative and unreadable quantities', async () => {
    const rows = await mapAll(
      openText('seller-sku\titem-name\tprice\tquantity\nA\tx\t5\t-2\nB\ty\t5\tmany\n'),
    );
    expect(rowAt(rows, 1)).toMatchObject({ patch: { quantity: 0 } });
    expect(codesOf(rows[0])).toContain('stock_negative');
    expect(rowAt(rows, 2).messages[0]).toMatchObject({ code: 'type_invalid', severity: 'error' });
  });
});
