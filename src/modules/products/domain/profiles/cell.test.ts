import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/support/any-text.ts';
import { cleanCell, isBlankRecord, isInfoLine, normaliseHeader, stripTextMark } from './cell.ts';
import { resolveColumns } from './columns.ts';
import { boundedKey, listingKey, parentSku, variantKey } from './file-key.ts';

describe('cells', () => {
  it('trims blanks, NBSP and zero-width characters at the ends only', () => {
    expect(cleanCell('\u00a0 a\u200b b \ufeff')).toBe('a\u200b b');
    expect(cleanCell(undefined)).toBe('');
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(cleanCell(` ${cleanCell(text)}\u00a0`)).toBe(cleanCell(text));
        expect(cleanCell(text).trim()).toBe(cleanCell(text));
      }),
    );
  });

  it('trims a cell full of blanks in linear time', () => {
    const started = performance.now();
    const inside = `a${' '.repeat(2_000_000)}b`;
    expect(cleanCell(` ${inside} `)).toBe(inside);
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('keeps a text that looks like a formula', () => {
    for (const text of ['=1+1', '+61 400', '@handle', '-5']) expect(cleanCell(text)).toBe(text);
  });

  it('removes one apostrophe, not two', () => {
    expect(stripTextMark("''5")).toBe("'5");
  });

  it('folds the width, the case and the blanks of a header cell, and removes the mark of a required column', () => {
    expect(normaliseHeader(' *C:Player/Athlete ')).toBe('c:player/athlete');
    expect(normaliseHeader('Ｔｉｔｌｅ')).toBe('title');
    expect(normaliseHeader('\ufeffImage\u00a0 Src')).toBe('image src');
  });

  it('recognises information lines and blank records', () => {
    expect(['Info', '#INFO x', 'info;', 'Information', 'xinfo'].map((cell) => isInfoLine([cell]))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(isBlankRecord(['', ' ', '\u00a0'])).toBe(true);
  });
});

describe('columns', () => {
  it('reads the first filled cell when a field has several columns', () => {
    const columns = resolveColumns(['Price', 'SKU', 'sku ', 'Other'], {
      sku: ['sku'],
      price: ['cost', 'price'],
    });
    expect(columns.text(['1', '', 'B', 'x'], 'sku')).toBe('B');
    expect(columns.text(['1', 'A', 'B', 'x'], 'sku')).toBe('A');
    expect(columns.label('sku')).toBe('SKU');
    expect(columns.others).toEqual([3]);
  });
});

describe('keys', () => {
  it('differ although they are cut, and are the same in each import', () => {
    const long = 'a'.repeat(300);
    expect(parentSku(`${long}1`)).toHaveLength(64);
    expect(parentSku(`${long}1`)).not.toBe(parentSku(`${long}2`));
    expect(boundedKey('short')).toBe('short');
    expect(listingKey('Mug', 'x')).toBe(listingKey('Mug', 'x'));
    expect(listingKey('Mug', 'x')).not.toBe(listingKey('Mug', 'y'));
  });

  it('differ for option values that contain separators', () => {
    expect(variantKey('h', ['a/b', 'c'])).not.toBe(variantKey('h', ['a', 'b/c']));
    expect(variantKey('h', ['a'])).not.toBe(variantKey('h#a', []));
    fc.assert(
      fc.property(
        fc.array(fc.string(), { maxLength: 3 }),
        fc.array(fc.string(), { maxLength: 3 }),
        (one, two) => {
          fc.pre(JSON.stringify(one) !== JSON.stringify(two));
          fc.pre(one.length > 0 && two.length > 0);
          expect(variantKey('handle', one)).not.toBe(variantKey('handle', two));
        },
      ),
    );
  });
});
