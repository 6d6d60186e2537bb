import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/support/any-text.ts';
import { minor } from '../../../../kernel/money.ts';
import type { ProductPatch } from '../row.ts';
import { API_COLUMNS } from './field-columns.ts';
import { validatePatch } from './validate-patch.ts';

function codes(patch: ProductPatch): string[] {
  return validatePatch(patch).messages.map((message) => message.code);
}

describe('texts', () => {
  it('lose NBSP and zero-width characters at their ends only', () => {
    const { patch, messages } = validatePatch({
      seller_sku: '\ufeff A-1\u00a0',
      title: '\u200b Blue\u00a0mug  large ',
      description: '\u00a0  <p>One</p>\r\n\tTwo  \u200b',
      brand: ' \u00a0 ',
    });
    expect(messages).toEqual([]);
    expect(patch).toEqual({
      seller_sku: 'A-1',
      title: 'Blue\u00a0mug  large',
      description: '  <p>One</p>\r\n\tTwo  ',
      brand: null,
    });
  });

  it('that look like formulas are data', () => {
    for (const text of ['=1+1', '+61 400', '-5', '@home', "'quoted", '\u2212x']) {
      expect(validatePatch({ title: text, description: text, seller_sku: text }), text).toMatchObject({
        patch: { title: text, description: text, seller_sku: text },
        messages: [],
      });
    }
  });

  it.each([
    [{ seller_sku: 'A\u0000B' }, 'control_chars'],
    [{ title: 'Two\nlines' }, 'control_chars'],
    [{ title: 'C1 \u0085' }, 'control_chars'],
    [{ description: 'bell \u0007' }, 'control_chars'],
    [{ description: 'broken \ud800 half' }, 'text_malformed'],
    [{ seller_sku: 'x'.repeat(65) }, 'length_exceeded'],
    [{ title: 'x'.repeat(201) }, 'length_exceeded'],
    [{ description: 'x'.repeat(20_001) }, 'length_exceeded'],
    [{ identity: { strategy: 'global_id', value: 'x'.repeat(81) } }, 'length_exceeded'],
    [{ attributes: { a: 'x'.repeat(5001) } }, 'length_exceeded'],
  ] as const)('%# are refused and left out', (patch, code) => {
    const result = validatePatch(patch);
    expect(result.patch).toEqual({});
    expect(result.messages.map((message) => message.code)).toEqual([code]);
  });

  it('are measured in characters, not in UTF-16 units', () => {
    expect(codes({ title: '😀'.repeat(200) })).toEqual([]);
    expect(codes({ title: '😀'.repeat(201) })).toEqual(['length_exceeded']);
  });

  it('HTML is kept in descriptions and is a warning in titles', () => {
    const { patch, messages } = validatePatch({ title: '<b>Mug</b>', description: '<b>Mug</b>' });
    expect(patch).toEqual({ title: '<b>Mug</b>', description: '<b>Mug</b>' });
    expect(messages).toMatchObject([{ code: 'html_not_allowed', severity: 'warning', column: 'title' }]);
    expect(codes({ title: 'a < b > c, 5 <3' })).toEqual([]);
  });
});

describe('numbers', () => {
  it.each([
    [{ price_minor: minor(1n) }, []],
    [{ price_minor: minor(0n) }, ['price_below_minimum']],
    [{ price_minor: minor(-5n) }, ['price_below_minimum']],
    [{ price_minor: minor(10n ** 16n) }, ['number_range']],
    [{ price_minor: null }, []],
    [{ quantity: 0 }, []],
    [{ quantity: null }, []],
    [{ quantity: -1 }, ['stock_negative']],
    [{ quantity: 1.5 }, ['type_invalid']],
    [{ quantity: Number.NaN }, ['type_invalid']],
    [{ quantity: 1_000_000_001 }, ['number_range']],
    [{ reorder_point: -1 }, ['stock_negative']],
  ] as const)('%# have one rule each', (patch, expected) => {
    expect(codes(patch)).toEqual(expected);
  });

  it('a compare-at price of zero is removed', () => {
    expect(validatePatch({ compare_at_minor: minor(0n) }).patch).toEqual({ compare_at_minor: null });
  });

  it('of a request are reported with the field names of the API', () => {
    const { messages } = validatePatch({ price_minor: minor(0n), quantity: -1 }, API_COLUMNS);
    expect(messages.map((message) => message.column)).toEqual(['price_minor', 'quantity_on_hand']);
  });
});

describe('images', () => {
  it('are used once each, in order, with escaped separators', () => {
    const { patch, messages } = validatePatch({
      images: [
        { url: ' https://cdn.example/a.jpg?v=1 ' },
        { url: 'http://example.com:8080/b c.jpg'.replace(' ', '%20'), alt: ' Front ' },
        { url: 'https://cdn.example/a.jpg?v=1' },
        { url: '' },
        { url: 'https://cdn.example/a|b.jpg' },
        { url: 'https://пример.example/ü.jpg' },
      ],
    });
    expect(patch.images).toEqual([
      { url: 'https://cdn.example/a.jpg?v=1' },
      { url: 'http://example.com:8080/b%20c.jpg', alt: 'Front' },
      { url: 'https://cdn.example/a%7Cb.jpg' },
      { url: 'https://пример.example/ü.jpg' },
    ]);
    expect(messages.map((message) => message.code)).toEqual(['image_duplicate']);
  });

  it.each([
    'ftp://x.example/a.jpg',
    'javascript:alert(1)',
    'cdn.example/a.jpg',
    'https://',
    'https://user:pw@x.example/a.jpg',
    'https://x.example/a b.jpg',
    'https://x.example/"><script>',
    `https://x.example/${'a'.repeat(2050)}`,
    '/etc/passwd',
  ])('refuse the address %s', (url) => {
    expect(codes({ images: [{ url }] })).toEqual(['url_invalid']);
  });

  it('are limited in number', () => {
    const images = Array.from({ length: 251 }, (_, index) => ({ url: `https://x.example/${index}` }));
    expect(codes({ images })).toEqual(['image_limit']);
    expect(codes({ images: images.slice(1) })).toEqual([]);
  });
});

describe('attributes and variations', () => {
  it('an empty attribute is removed, names lose their blanks', () => {
    expect(validatePatch({ attributes: { ' Colour ': 'Red', Size: '', Old: null } }).patch).toEqual({
      attributes: { Colour: 'Red', Size: null, Old: null },
    });
  });

  it('no attribute name changes a prototype', () => {
    const hostile = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(codes({ attributes: hostile })).toEqual(['attribute_invalid']);
    expect(validatePatch({ attributes: { constructor: 'x' } }).patch.attributes).toEqual({
      constructor: 'x',
    });
    expect(codes({ attributes: { ' ': 'x' } })).toEqual(['attribute_invalid']);
  });

  it('the theme of a variation names its options, in any order', () => {
    const values = { Colour: 'Red', Size: 'S' };
    expect(codes({ variation: { parent_sku: 'P', theme: '', values } })).toEqual([]);
    expect(codes({ variation: { parent_sku: 'P', theme: 'Size/Colour', values } })).toEqual([]);
    expect(codes({ variation: { parent_sku: 'P', theme: 'Size', values } })).toEqual([
      'variation_theme_mismatch',
    ]);
  });

  it('a variation without a parent is rejected, or ignored if its values are blank', () => {
    expect(codes({ variation: { parent_sku: '', theme: '', values: { Size: 'S' } } })).toEqual([
      'variation_parent_missing',
    ]);
    expect(validatePatch({ variation: { parent_sku: '', theme: '', values: { Size: ' ' } } }).patch).toEqual({
      variation: null,
    });
  });
});

describe('validatePatch', () => {
  it('accepts or rejects any text, only trims accepted texts, and does not change them a second time', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 80 }), (text) => {
        const first = validatePatch({ title: text, description: text, brand: text, attributes: { a: text } });
        const again = validatePatch(first.patch);
        expect(again.patch).toEqual(first.patch);
        if (first.patch.title != null) expect(text).toContain(first.patch.title);
      }),
      { numRuns: 500 },
    );
  });
});
