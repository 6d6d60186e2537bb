import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/support/any-text.ts';
import { guardCell } from '../../../kernel/formula-guard.ts';
import type { JsonRow } from '../../../kernel/readers/json-row.ts';
import type { TextRecord } from '../../../kernel/readers/records.ts';
import type { FeedMode } from '../domain/feed-run/run.ts';
import { columnContract, NATIVE_TEMPLATE } from '../domain/native-feed/column-contract.ts';
import { mapNativeHeader } from '../domain/native-feed/map-native-header.ts';
import { mapNativeRecord } from '../domain/native-feed/map-native-record.ts';
import { nativeObjectMapper } from '../domain/native-feed/native-object-mapper.ts';

const OPTIONS = { mode: 'upsert' as FeedMode, currency: 'AUD' };

function record(cells: readonly string[]): TextRecord {
  return { cells, line_start: 2, line_end: 3, raw_sha256: createHash('sha256').digest() };
}

function mapped(columns: readonly string[], cells: readonly string[], mode: FeedMode = 'upsert') {
  return mapNativeRecord(mapNativeHeader(columns, { ...OPTIONS, mode }), record(cells), 1);
}

/** The patch of a row with a SKU and one more cell. */
function cell(column: string, text: string) {
  const { patch, messages } = mapped(['seller_sku', column], ['A', text]);
  const { seller_sku: _sku, ...rest } = patch ?? {};
  return { patch: rest, codes: messages.map((message) => message.code), messages };
}

function json(value: unknown, mode: FeedMode = 'upsert') {
  return nativeObjectMapper({ ...OPTIONS, mode }).mapNativeObject(jsonRow(value));
}

function jsonRow(value: unknown): JsonRow {
  return { row_number: 4, line_start: 1, line_end: 1, raw_sha256: Buffer.alloc(32), value };
}

describe('mapNativeHeader', () => {
  it('reads names in any case, with blanks or hyphens, NBSP and guards', () => {
    const header = mapNativeHeader(
      ['\ufeffSeller SKU', ' TITLE\u00a0', 'compare-at', 'Attributes.Net weight', 'variation.Größe', "'=x"],
      OPTIONS,
    );
    expect(header.columns.map((found) => found?.name)).toEqual([
      'seller_sku',
      'title',
      'compare_at',
      'attributes.Net weight',
      'variation.Größe',
      undefined,
    ]);
    expect(header.messages).toMatchObject([{ code: 'unknown_column', column: '=x' }]);
  });

  it('reports unknown columns as warnings, with a suggestion but without guessing', () => {
    const { columns, messages } = mapNativeHeader(['seller_sku', 'barcode', '', 'attributes.*'], OPTIONS);
    expect(columns[1]).toBeNull();
    expect(messages).toMatchObject([
      { code: 'unknown_column', severity: 'warning', column: 'barcode', expected: 'global_id' },
      { code: 'unknown_column', severity: 'warning', message: expect.stringContaining('no name') },
    ]);
  });

  it('ignores note columns without a finding', () => {
    expect(mapNativeHeader(['_row_number', '_errors', 'seller_sku'], OPTIONS).messages).toEqual([]);
  });

  it('rejects a repeated name in any spelling', () => {
    const { messages } = mapNativeHeader(
      ['seller_sku', 'Title', 'title', 'attributes.a', 'ATTRIBUTES.a'],
      OPTIONS,
    );
    expect(messages.map(({ code, column }) => [code, column])).toEqual([
      ['duplicate_header', 'title'],
      ['duplicate_header', 'attributes.a'],
    ]);
  });

  it('rejects a file without seller_sku, and a stock file without stock', () => {
    expect(mapNativeHeader(['sku', 'title'], OPTIONS).messages).toMatchObject([
      {
        code: 'required_column_missing',
        severity: 'error',
        column: 'seller_sku',
        message: 'The header row has no seller_sku column, which is required.',
      },
      { code: 'unknown_column', expected: 'seller_sku' },
    ]);
    const inventory = mapNativeHeader(['seller_sku', 'title'], { ...OPTIONS, mode: 'inventory' });
    expect(inventory.messages.map((message) => message.code)).toContain('required_column_missing');
  });

  it('rejects attribute names of Object.prototype', () => {
    const { messages, columns } = mapNativeHeader(
      ['seller_sku', 'attributes.__proto__', 'variation.'],
      OPTIONS,
    );
    expect(messages.map((message) => message.code)).toEqual(['attribute_invalid', 'attribute_invalid']);
    expect(columns.slice(1)).toEqual([null, null]);
  });
});

it('asks for a decimal point where a price has a decimal comma', () => {
  expect(cell('price', '12,50').messages[0]?.hint).toBe('Use a point for decimals: 12.50.');
  expect(cell('price', '1,299').messages[0]?.hint).toBe(
    'Write it like 24.99, without a symbol or thousands separator.',
  );
});

describe('mapNativeRecord', () => {
  it('maps a full row', () => {
    const row = mapped(
      NATIVE_TEMPLATE.map(([column]) => column),
      NATIVE_TEMPLATE.map(([, example]) => example),
    );
    expect(row.messages).toEqual([]);
    expect(row.cells).toHaveLength(20);
    expect(row.patch).toEqual({
      seller_sku: 'MUG-BLU',
      title: 'Blue stoneware mug, 350 ml',
      description: '<p>Thrown and glazed by hand.</p>',
      brand: 'Harbour Clay',
      category: 'Home > Kitchen > Mugs',
      condition: 'new',
      price_minor: 2499n,
      compare_at_minor: null,
      quantity: 12,
      reorder_point: 3,
      status: 'active',
      images: [],
      attributes: { colour: 'Blue' },
      variation: null,
      identity_parts: {
        strategy: 'exempt',
        exempt_reason: 'handmade',
        global_id: '',
        mpn: '',
        product_id: '',
      },
    });
  });

  it('keeps fields without a column and clears fields with an empty cell', () => {
    expect(
      mapped(['seller_sku', 'brand', 'quantity', 'attributes.x'], ['A', '', '\u00a0', '']).patch,
    ).toEqual({
      seller_sku: 'A',
      brand: null,
      quantity: null,
      attributes: { x: null },
    });
  });

  it('never shifts cells', () => {
    for (const cells of [['A'], ['A', 'Mug', 'extra'], ['A', 'Mug', '']]) {
      const row = mapped(['seller_sku', 'title'], cells);
      expect(row).toMatchObject({
        patch: null,
        cells,
        messages: [{ code: 'column_count_mismatch', expected: '2 cells' }],
      });
    }
  });

  it('ignores blank rows and keeps the findings of the reader', () => {
    expect(mapped(['seller_sku', 'title'], ['', ' '])).toMatchObject({ role: 'ignored', patch: null });
    const header = mapNativeHeader(['seller_sku'], OPTIONS);
    const problem = { code: 'quote_unclosed' as const, message: 'Line 3 opens a quote.' };
    expect(mapNativeRecord(header, { ...record(['A']), problem }, 7)).toMatchObject({
      row_number: 7,
      patch: null,
      messages: [{ code: 'quote_unclosed', severity: 'error', message: 'Line 3 opens a quote.' }],
    });
  });

  it('keeps the cells of a row with an error, so that it can be corrected', () => {
    const row = mapped(['seller_sku', 'price'], ['A', 'ten']);
    expect(row.cells).toEqual(['A', 'ten']);
    expect(row.patch).toEqual({ seller_sku: 'A' });
  });

  it.each([
    ['price', '24.99', { price_minor: 2499n }, []],
    ['price', ' 24.9 ', { price_minor: 2490n }, []],
    ['price', '24.990', { price_minor: 2499n }, []],
    ['price', '24.999', {}, ['decimal_places']],
    ['price', '0', {}, ['price_below_minimum']],
    ['price', '-1', {}, ['price_below_minimum']],
    ['price', '$24.99', {}, ['price_invalid']],
    ['price', '24,99', {}, ['price_invalid']],
    ['price', '1e3', {}, ['price_invalid']],
    ['price', '99999999999999999', {}, ['price_invalid']],
    ['price', '999999999999999', {}, ['number_range']],
    ['compare_at', '0.00', { compare_at_minor: null }, []],
    ['quantity', '5', { quantity: 5 }, []],
    ['quantity', '5.0', { quantity: 5 }, []],
    ['quantity', '-3', {}, ['stock_negative']],
    ['quantity', '5.5', {}, ['type_invalid']],
    ['quantity', 'many', {}, ['type_invalid']],
    ['quantity', '1000000001', {}, ['number_range']],
    ['quantity', '1.000', {}, ['type_invalid']],
    ['condition', 'Used - Like New', { condition: 'used_like_new' }, []],
    ['condition', 'mint', {}, ['enum_invalid']],
    ['condition', 'USED LIKE NEW', { condition: 'used_like_new' }, []],
    ['status', 'Draft', { status: 'draft' }, []],
    ['status', '', {}, []],
    ['status', 'live', {}, ['enum_invalid']],
    ['identity_strategy', 'MPN_BRAND', { identity_parts: { strategy: 'mpn_brand' } }, []],
    ['identity_strategy', 'sku', {}, ['enum_invalid']],
    ['global_id', "'9312345678907", { identity_parts: { global_id: "'9312345678907" } }, []],
    ['title', 'a\u0000b', {}, ['control_chars']],
    ['image_urls', 'https://x.example/a | https://x.example/b', undefined, []],
    ['image_urls', 'nope', {}, ['url_invalid']],
  ])('%s %j', (column, text, patch, codes) => {
    const read = cell(column, text);
    if (patch !== undefined) expect(read.patch).toEqual(patch);
    expect(read.codes).toEqual(codes);
  });

  it('reads options in the order of the columns, or of the given theme', () => {
    const columns = ['seller_sku', 'parent_sku', 'variation.Size', 'variation.Colour', 'variation.theme'];
    const values = { Size: 'S', Colour: 'Red' };
    const variation = (...cells: string[]) => mapped(columns, ['A', 'P', ...cells]).patch?.variation;
    expect(variation('S', 'Red', '')).toEqual({ parent_sku: 'P', theme: '', values });
    expect(variation('S', 'Red', 'Colour/Size')).toEqual({ parent_sku: 'P', theme: 'Colour/Size', values });
    expect(variation('S', '', 'Size')).toEqual({ parent_sku: 'P', theme: 'Size', values: { Size: 'S' } });
    expect(variation('S', '', 'Dark')).toEqual({
      parent_sku: 'P',
      theme: '',
      values: { Size: 'S', theme: 'Dark' },
    });
    expect(mapped(columns, ['A', 'P', 'S', 'Red', 'Colour/Sise']).messages).toMatchObject([
      { code: 'variation_theme_mismatch' },
    ]);
    expect(mapped(columns, ['A', '', 'S', '', '']).messages).toMatchObject([
      { code: 'variation_parent_missing' },
    ]);
  });

  it('reads only stock in the mode inventory and reports ignored columns once', () => {
    const columns = ['seller_sku', 'title', 'quantity', 'reorder_point', 'price'];
    const header = mapNativeHeader(columns, { ...OPTIONS, mode: 'inventory' });
    expect(header.messages).toMatchObject([
      { code: 'column_ignored_in_mode', value_excerpt: 'title, price' },
    ]);
    expect(mapNativeRecord(header, record(['A', '', '5', '2', 'x']), 1)).toMatchObject({
      patch: { seller_sku: 'A', quantity: 5, reorder_point: 2 },
      messages: [],
    });
  });

  it('counts decimal places by the currency of the seller', () => {
    const header = mapNativeHeader(['seller_sku', 'price'], { ...OPTIONS, currency: 'JPY' });
    expect(mapNativeRecord(header, record(['A', '2499']), 1).patch?.price_minor).toBe(2499n);
    expect(mapNativeRecord(header, record(['A', '24.99']), 1).messages[0]?.code).toBe('decimal_places');
  });

  it('restores every text that an export has guarded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        const bare = cell('description', guardCell(text));
        const typed = json({ seller_sku: 'A', description: text });
        expect(bare.patch.description).toBe(typed.patch?.description);
      }),
      { numRuns: 500 },
    );
    expect(cell('title', "''quoted'").patch).toEqual({ title: "'quoted'" });
    expect(cell('title', "'=1+1").patch).toEqual({ title: '=1+1' });
    expect(cell('title', '=1+1').patch).toEqual({ title: '=1+1' });
    expect(cell('title', "'tis").patch).toEqual({ title: "'tis" });
  });

  it('turns any cell of any column into a patch or a typed finding', () => {
    const columns = NATIVE_TEMPLATE.map(([column]) => column);
    const header = mapNativeHeader(columns, OPTIONS);
    const cells = fc.array(anyText({ maxLength: 40 }), {
      minLength: columns.length,
      maxLength: columns.length,
    });
    fc.assert(
      fc.property(cells, (values) => {
        const row = mapNativeRecord(header, record(values), 1);
        for (const message of row.messages) expect(message.code).toMatch(/^[a-z_]+$/);
        expect(row.patch === null ? row.role : 'mapped').toMatch(/ignored|mapped/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('mapNativeObject', () => {
  it('accepts typed values for the same columns', () => {
    const row = json({
      seller_sku: 1001,
      title: 'Mug',
      price: 24.99,
      compare_at: '30',
      quantity: 5,
      global_id: 9312345678907,
      image_urls: ['https://x.example/a|b', 'https://x.example/c'],
      'attributes.fragile': true,
      brand: null,
    });
    expect(row).toMatchObject({ row_number: 4, messages: [] });
    expect(row.patch).toEqual({
      seller_sku: '1001',
      title: 'Mug',
      price_minor: 2499n,
      compare_at_minor: 3000n,
      quantity: 5,
      brand: null,
      images: [{ url: 'https://x.example/a%7Cb' }, { url: 'https://x.example/c' }],
      attributes: { fragile: 'true' },
      identity_parts: { global_id: '9312345678907' },
    });
  });

  it.each([
    [{ price: 0.1 + 0.2 }, 'decimal_places'],
    [{ price: 1e21 }, 'price_invalid'],
    [{ price: true }, 'type_invalid'],
    [{ price: { amount: 1 } }, 'type_invalid'],
    [{ title: ['a'] }, 'type_invalid'],
    [{ quantity: 1.5 }, 'type_invalid'],
    [{ quantity: '9'.repeat(30) }, 'type_invalid'],
    [{ image_urls: [1] }, 'type_invalid'],
    [{ Title: 'a', title: 'b' }, 'duplicate_header'],
  ])('%j is rejected with %s', (value, code) => {
    expect(json({ seller_sku: 'A', ...value }).messages.map((message) => message.code)).toEqual([code]);
  });

  it.each([null, 5, 'text', [], [1]])('%j is not a row', (value) => {
    expect(json(value)).toMatchObject({
      patch: null,
      messages: [{ code: 'row_not_object', severity: 'error' }],
    });
  });

  it('does not remove guards: JSON has none', () => {
    expect(json({ seller_sku: 'A', title: "'=1" }).patch?.title).toBe("'=1");
  });

  it('warns about an unknown key once, and aligns the cells of rejected rows', () => {
    const mapper = nativeObjectMapper(OPTIONS);
    const first = mapper.mapNativeObject(jsonRow({ seller_sku: 'A', colour: 'red' }));
    const second = mapper.mapNativeObject(jsonRow({ colour: 'blue', price: 'x', seller_sku: 'B' }));
    expect(first.messages.map((message) => message.code)).toEqual(['unknown_column']);
    expect(second.messages.map((message) => message.code)).toEqual(['price_invalid']);
    expect(mapper.columns).toEqual(['seller_sku', 'colour', 'price']);
    expect(second.cells).toEqual(['B', 'blue', 'x']);
  });

  it('stores a limited number of unknown keys', () => {
    const mapper = nativeObjectMapper(OPTIONS);
    for (let index = 0; index < 3_000; index += 1) mapper.mapNativeObject(jsonRow({ [`k${index}`]: 1 }));
    expect(mapper.columns.length).toBe(2_000);
  });
});

describe('the published columns', () => {
  it('are the columns that the mapper reads; the template has no findings', () => {
    expect(columnContract().map(({ name }) => name)).toEqual([
      'seller_sku',
      'title',
      'description',
      'brand',
      'mpn',
      'global_id',
      'identity_strategy',
      'product_id',
      'exempt_reason',
      'category',
      'condition',
      'price',
      'compare_at',
      'quantity',
      'reorder_point',
      'status',
      'image_urls',
      'attributes.*',
      'parent_sku',
      'variation.*',
    ]);
    for (const { rule, type } of columnContract())
      expect([rule.length > 10, type.length > 0]).toEqual([true, true]);
    expect(
      mapNativeHeader(
        NATIVE_TEMPLATE.map(([column]) => column),
        OPTIONS,
      ).messages,
    ).toEqual([]);
  });
});
