import { describe, expect, it } from 'vitest';
import {
  AUD,
  codesOf,
  detect,
  mapAll,
  openFixture,
  openText,
  patchAt,
  roleOf,
  rowAt,
} from '../../../../test/fixtures/profiles/profile-files.ts';

describe('a file-exchange file of the Australian site', () => {
  const rows = mapAll(openFixture('auction-au-file-exchange.csv'));

  it('reads every record with its role', async () => {
    expect((await rows).map((row) => [row.row_number, roleOf(row)])).toEqual([
      [1, 'merged'],
      [2, 'product'],
      [3, 'product'],
      [4, 'product'],
      [5, 'ignored'],
      [6, 'ignored'],
      [7, 'error'],
      [8, 'product'],
      [9, 'deactivate'],
      [10, 'ignored'],
      [11, 'error'],
      [12, 'ignored'],
    ]);
  });

  it('fills empty cells of a variation from its parent', async () => {
    expect(rowAt(await rows, 1)).toMatchObject({ part_of: 2, patch: null });
    expect(patchAt(await rows, 2)).toEqual({
      external_key: 'TEE-R-S',
      seller_sku: 'TEE-R-S',
      identity: { strategy: 'global_id', value: '9312345679065' },
      title: 'Bush Tee',
      description: '<p>Good,\nbetter</p>',
      brand: 'Wattle',
      category: '15687',
      condition: 'new',
      status: 'active',
      images: [{ url: 'https://img.example/tr.jpg' }],
      price_minor: 2500n,
      currency: 'AUD',
      quantity: 3,
      variation: { parent_sku: 'TEE', theme: 'Colour/Size', values: { Colour: 'Red', Size: 'S' } },
      attributes: { listing_format: null },
    });
    expect(patchAt(await rows, 3)).toMatchObject({
      identity: { strategy: 'exempt', value: 'Does not apply', source: 'file' },
      price_minor: 2700n,
      images: [{ url: 'https://img.example/t1.jpg' }, { url: 'https://img.example/t2.jpg' }],
    });
  });

  it('prefers MPN and brand to an exemption, reads currency signs and thousands separators, keeps specifics', async () => {
    expect(patchAt(await rows, 4)).toMatchObject({
      identity: { strategy: 'mpn_brand', mpn: 'SW-77', brand: 'Stopwell' },
      condition: 'new_open_box',
      price_minor: 124_900n,
      attributes: { Size: 'Front', Grade: 'A' },
    });
  });

  it('counts fitment rows and makes no products from them', async () => {
    expect(codesOf(rowAt(await rows, 5))).toEqual(['compatibility_ignored']);
  });

  it('never uses the start price of an auction as a price', async () => {
    expect(codesOf(rowAt(await rows, 7))).toContain('auction_without_fixed_price');
    expect(patchAt(await rows, 8).price_minor).toBe(9900n);
  });

  it('applies the actions', async () => {
    expect(patchAt(await rows, 9)).toMatchObject({ seller_sku: 'OLD-1' });
    expect(codesOf(rowAt(await rows, 10))).toEqual(['listing_action_ignored']);
    expect(codesOf(rowAt(await rows, 11))).toEqual(['action_unknown']);
    expect(codesOf(rowAt(await rows, 12))).toEqual(['info_line']);
  });

  it('rejects every listing in another currency', async () => {
    const foreign = await mapAll(openFixture('auction-au-file-exchange.csv'), { seller_currency: 'USD' });
    expect(foreign.filter(({ patch }) => patch !== null).map(roleOf)).not.toContain('product');
    expect(codesOf(rowAt(foreign, 2))).toContain('currency_mismatch');
  });
});

describe('other languages and templates', () => {
  it('reads a German file in Windows-1252 with semicolons, decimal commas and help lines', async () => {
    const open = openFixture('auction-de-semicolon-cp1252.csv');
    const { answer } = await detect(open, { seller_currency: 'EUR' });
    expect(answer).toMatchObject({
      delimiter: ';',
      encoding: 'windows-1252',
      currency: 'EUR',
      header_row: 2,
      rows: 4,
    });
    const rows = await mapAll(open, { seller_currency: 'EUR' });
    expect(rows.map(roleOf)).toEqual(['ignored', 'ignored', 'product', 'staged']);
    expect(patchAt(rows, 3)).toMatchObject({
      title: 'Schöne Größe',
      price_minor: 129_900n,
      identity: { strategy: 'mpn_brand', mpn: 'M-1', brand: 'Müller' },
    });
    expect(patchAt(rows, 4)).toMatchObject({ price_minor: 1250n, condition: 'for_parts' });
  });

  it('reads a Seller Hub file with unprefixed specifics, signs, drafts and rows without an action', async () => {
    const rows = await mapAll(openFixture('auction-seller-hub.csv'));
    expect(rows.map(roleOf)).toEqual(['product', 'error', 'error', 'error', 'error']);
    expect(patchAt(rows, 1)).toMatchObject({
      price_minor: 26_999n,
      condition: 'used_like_new',
      attributes: { Team: 'Swans', Season: '2024-25' },
    });
    expect(patchAt(rows, 1)).not.toHaveProperty('currency');
    expect(rowAt(rows, 2)).toMatchObject({
      patch: { status: 'draft' },
      messages: [{ code: 'currency_mismatch', value_excerpt: 'GBP' }],
    });
    expect(rowAt(rows, 3)).toMatchObject({
      patch: { condition: 'new', identity: { strategy: 'mpn_brand' } },
      messages: [{ code: 'type_invalid', value_excerpt: 'two' }],
    });
    expect(codesOf(rowAt(rows, 4))).toEqual(['action_unknown']);
  });

  it('reads the draft template, in which information lines precede the header', async () => {
    const open = openFixture('auction-draft-template.csv');
    expect((await detect(open)).answer).toMatchObject({
      generation: 'draft_template',
      header_row: 4,
      rows: 1,
    });
    expect(await mapAll(open)).toMatchObject([
      { role: 'staged', patch: { status: 'draft', brand: 'Wattle', attributes: { Style: 'Boho' } } },
    ]);
  });

  it('reads the template for revising price and quantity', async () => {
    const open = openText(
      '#INFO,Version=1.0.0,Template= eBay-active-revise-price-quantity-download_AU\n' +
        'Action,Category name,Item number,Title,Listing site,Currency,Start price,Buy It Now price,Available quantity,Relationship,Relationship details,Custom label (SKU)\n' +
        'Revise,Garden,110011001100,Fork,Australia,AUD,30.0,,4,,,GF-1\n' +
        'Revise,Garden,110011001101,Rake,Australia,AUD,20.0,,2,,,\n',
    );
    expect((await detect(open)).answer).toMatchObject({
      profile: 'auction_file_exchange',
      header_row: 2,
      currency: 'AUD',
    });
    const rows = await mapAll(open);
    expect(patchAt(rows, 1)).toMatchObject({
      seller_sku: 'GF-1',
      price_minor: 3000n,
      quantity: 4,
      category: 'Garden',
    });
    expect(patchAt(rows, 1)).not.toHaveProperty('status');
    expect(rowAt(rows, 2)).toMatchObject({ role: 'staged', patch: { external_key: 'item:110011001101' } });
  });

  it('reads the download of active listings', async () => {
    const rows = await mapAll(openFixture('auction-download.csv'));
    expect(rows.map(roleOf)).toEqual(['product', 'merged', 'product', 'error']);
    expect(patchAt(rows, 1)).toMatchObject({
      seller_sku: 'GF-1',
      status: 'active',
      price_minor: 3000n,
      currency: 'AUD',
      condition: 'new',
      attributes: { ebay_item_number: '110011001100', category_name: 'Garden' },
    });
    expect(patchAt(rows, 3)).toMatchObject({
      condition: 'used_good',
      variation: { parent_sku: 'item:110011001101', values: { Size: 'L' } },
    });
  });
});

describe('variations with errors', () => {
  const header =
    'Action,Custom label (SKU),Category ID,Title,Price,Quantity,Format,Relationship,Relationship details\n';
  const map = (lines: string[]) => mapAll(openText(`${header}${lines.join('\n')}\n`));

  it('rejects a variation that has no product before it', async () => {
    const rows = await map([',V-1,,,5,1,,Variation,Size=S']);
    expect(codesOf(rows[0])).toEqual(['variation_without_parent']);
  });

  it('assigns no parent after an unreadable row', async () => {
    const rows = await map([
      'Add,P,1,Parent,5,1,FixedPrice,,Size=S;M',
      'Add,Q,broken',
      ',V-1,,,5,1,,Variation,Size=S',
    ]);
    expect(rows.map(roleOf)).toEqual(['staged', 'error', 'error']);
    expect(codesOf(rows[0])).toContain('needs_variant_details');
  });

  it('rejects a variation without options, and continues', async () => {
    const rows = await map([
      'Add,P,1,Parent,5,1,FixedPrice,,Size=S;M',
      ',V-1,,,5,1,,Variation,S',
      ',V-2,,,5,1,,Variation,Size=M',
    ]);
    expect(rows.map(roleOf)).toEqual(['merged', 'error', 'staged']);
    expect(rows.map(({ row_number }) => row_number)).toEqual([1, 2, 3]);
  });

  it('inherits the exemption of the parent, but not its code', async () => {
    const named = header.replace('Format', 'Format,P:UPC');
    const rows = await mapAll(
      openText(
        `${named}Add,P,1,A,5,1,FixedPrice,Does not apply,,Size=S\n,V-1,,,5,1,,,Variation,Size=S\n` +
          'Add,Q,1,B,5,1,FixedPrice,036000291452,,Size=S\n,V-2,,,5,1,,,Variation,Size=S\n',
      ),
    );
    expect(rows.map(roleOf)).toEqual(['merged', 'product', 'merged', 'staged']);
    expect(patchAt(rows, 2).identity).toEqual({
      strategy: 'exempt',
      value: 'Does not apply',
      source: 'file',
    });
  });

  it('ends a listing and ignores its other cells', async () => {
    const rows = await map(['End,P,1,,free,x,Auction,,']);
    expect(rows).toMatchObject([{ role: 'deactivate', messages: [], patch: { seller_sku: 'P' } }]);
    expect(rows[0]?.patch).toEqual({ external_key: 'P', seller_sku: 'P', attributes: {} });
  });

  it('ends the variations of an ended listing, and ignores the variations of VerifyAdd', async () => {
    const rows = await map([
      'End,P,1,Parent,5,1,FixedPrice,,Size=S',
      ',V-1,,,5,1,,Variation,Size=S',
      'VerifyAdd,Q,1,Other,5,1,FixedPrice,,Size=S',
      ',V-2,,,5,1,,Variation,Size=S',
    ]);
    expect(rows.map(roleOf)).toEqual(['merged', 'deactivate', 'ignored', 'ignored']);
  });
});

describe('files that are rejected as a whole', () => {
  it('stops at a second header unless the seller has chosen how to read on', async () => {
    const open = openFixture('auction-second-header.csv');
    const { file, answer } = await detect(open);
    expect(file?.stop).toMatchObject([{ code: 'second_header', rows: 1, first_row: 2, first_line: 3 }]);
    expect(answer.warnings.map(({ code }) => code)).toContain('second_header');
    expect((await mapAll(open)).map(roleOf)).toEqual(['product', 'error', 'error']);

    const remapped = await mapAll(open, { ...AUD, on_second_header: 'remap' });
    expect(remapped.map(roleOf)).toEqual(['product', 'ignored', 'product']);
    expect(patchAt(remapped, 3)).toMatchObject({ seller_sku: 'C-2', title: 'After' });

    const kept = await mapAll(open, { ...AUD, on_second_header: 'keep' });
    expect(patchAt(kept, 3).title).toBe('Does not apply');
    const chosen = await detect(open, { ...AUD, on_second_header: 'keep' });
    expect(chosen.file).toMatchObject({ stop: [], choices: { on_second_header: 'keep' } });
  });

  it('rejects a file with shifted columns', async () => {
    const { file } = await detect(openFixture('auction-shifted.csv'));
    expect(file?.stop.map(({ code, rows }) => [code, rows])).toEqual([
      ['sku_repeated_everywhere', 12],
      ['category_is_condition', 12],
      ['prices_unreadable', 12],
    ]);
  });

  it('rejects a long file of mostly blank rows, but not a short one', async () => {
    const header = 'Action,Custom label (SKU),Category ID,Title,Price,Quantity,Format\n';
    const row = (i: number) => `Add,S-${i},1,T${i},5,1,FixedPrice\n`;
    const blank = ',,,,,,\n';
    const seven = Array.from({ length: 7 }, (_, i) => row(i)).join('');
    const many = await detect(openText(header + seven + blank.repeat(3)));
    expect(many.file?.stop.map(({ code }) => code)).toEqual(['rows_mostly_blank']);
    const few = await detect(openText(header + row(1) + row(2) + blank.repeat(2)));
    expect(few.file?.stop).toEqual([]);
  });

  it('accepts a long file with a few bad rows', async () => {
    const header = 'Action,Custom label (SKU),Category ID,Title,Price,Quantity,Format\n';
    const rows = Array.from({ length: 100 }, (_, i) =>
      i < 4 ? `Add,SAME,1000,T${i},none,1,FixedPrice\n` : `Add,S-${i},1,T${i},5,1,FixedPrice\n`,
    );
    expect((await detect(openText(header + rows.join('')))).file?.stop).toEqual([]);
  });
});

describe('cells of variations and prices', () => {
  const HEADER =
    '*Action(SiteID=Australia|Country=AU|Currency=AUD|Version=1193|CC=UTF-8),CustomLabel,*Category,*Title,PicURL,' +
    '*ConditionID,*Format,*StartPrice,*Quantity,Relationship,RelationshipDetails\n';

  it('removes the option value before the pictures of a variation', async () => {
    const rows = await mapAll(
      openText(
        `${HEADER}Add,TEE,1,Tee,https://img.example/tee.jpg,1000,FixedPrice,,,,Colour=Red;Blue\n` +
          ',TEE-R,,,Red=https://img.example/r.jpg?a=b|https://img.example/r2.jpg,,,20,1,Variation,Colour=Red\n',
      ),
    );
    expect(patchAt(rows, 2).images).toEqual([
      { url: 'https://img.example/r.jpg?a=b' },
      { url: 'https://img.example/r2.jpg' },
    ]);
  });

  it('rejects a price with the sign of another currency', async () => {
    const rows = await mapAll(openText(`${HEADER}Add,TEE,1,Tee,,1000,FixedPrice,US $20.00,1,,\n`));
    expect(codesOf(rowAt(rows, 1))).toContain('currency_mismatch');
    expect(patchAt(rows, 1)).not.toHaveProperty('price_minor');
  });

  it('does not use a row with an unknown action as a parent', async () => {
    const rows = await mapAll(
      openText(`${HEADER}Sell,TEE,1,Tee,,1000,FixedPrice,,,,\n,TEE-R,,,,,,20,1,Variation,Colour=Red\n`),
    );
    expect(rows.map((row) => codesOf(row)[0])).toEqual(['action_unknown', 'variation_without_parent']);
  });
});
