import { describe, expect, test } from 'vitest';
import { differs } from './compare-product.ts';
import type { StoreProduct } from './store-product.ts';

describe('a product differs from what was applied', () => {
  const variant = (external_variant_id: string) => ({
    ...{ external_variant_id, inventory_item_id: null, title: 'S', sku: null, barcode: null },
    ...{ price: null, compare_at: null, options: [] },
  });
  const product: StoreProduct = {
    ...{
      external_product_id: '1',
      handle: 'mug',
      title: 'Mug',
      description: '',
      vendor: '',
      product_type: '',
    },
    ...{ status: 'active', gift_card: false, tags: [], option_names: [], images: [], updated_at: '' },
    variants: [variant('1'), variant('2')],
  };
  const link = (external_variant_id: string, more: object = {}) => ({
    ...{ external_variant_id, state: 'linked' as const, content_sha256: 'same', ...more },
  });
  const cases: [string, ReturnType<typeof link>[], boolean][] = [
    ['as it was applied', [link('1'), link('2')], false],
    ['with other content', [link('1'), link('2', { content_sha256: 'other' })], true],
    ['with a variant that is not known', [link('1')], true],
    ['without a variant that is linked', [link('1'), link('2'), link('3')], true],
    ['without a variant that was gone', [link('1'), link('2'), link('3', { state: 'gone' })], false],
    ['with a variant that was gone', [link('1'), link('2', { state: 'gone' })], true],
    [
      'with another variant that is ignored',
      [link('1'), link('2', { state: 'ignored', content_sha256: '' })],
      false,
    ],
    ['that waits for a person as it is', [link('1'), link('2', { state: 'unlinked' })], false],
  ];
  test.each(cases)('%s', (_name, links, expected) => {
    expect(differs(product, links, 'same')).toBe(expected);
  });

  test('a gift card never differs', () => {
    expect(differs({ ...product, gift_card: true }, [], 'same')).toBe(false);
  });
});
