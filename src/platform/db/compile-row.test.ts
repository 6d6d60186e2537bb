import { expect, test } from 'vitest';
import { compileRow } from './compile-row.ts';

const TEXT = 25;
const INT4 = 23;
const INT8 = 20;
const JSONB = 3802;

test('each column becomes a member, read by its type; null stays null', () => {
  const read = compileRow([
    { name: 'title', dataTypeID: TEXT },
    { name: 'quantity', dataTypeID: INT4 },
    { name: 'price_minor', dataTypeID: INT8 },
    { name: 'attributes', dataTypeID: JSONB },
  ]);
  expect(read(['Mug', '7', '9007199254740993', '{"colour": "Blue"}'])).toEqual({
    title: 'Mug',
    quantity: 7,
    price_minor: 9_007_199_254_740_993n,
    attributes: { colour: 'Blue' },
  });
  expect(read([null, null, null, null])).toEqual({
    title: null,
    quantity: null,
    price_minor: null,
    attributes: null,
  });
});

test('empty lists and maps of two rows are objects of their own', () => {
  const read = compileRow([{ name: 'images', dataTypeID: JSONB }]);
  expect(read(['[]'])).toEqual({ images: [] });
  expect(read(['{}'])).toEqual({ images: {} });
  expect(read(['[]'])['images']).not.toBe(read(['[]'])['images']);
});

test.each(['?column?', 'a"b', "it's", 'a\\b', 'a\u2028b', '$' + '{x}', 'constructor', 'values'])(
  'the column name %j cannot become code',
  (name) => {
    const row = compileRow([{ name, dataTypeID: TEXT }])(['x']);
    expect(Object.keys(row)).toEqual([name]);
    expect(Object.getOwnPropertyDescriptor(row, name)?.value).toBe('x');
  },
);

test('of two columns with one name the later counts', () => {
  const read = compileRow([
    { name: 'v', dataTypeID: TEXT },
    { name: 'v', dataTypeID: INT4 },
  ]);
  expect(read(['x', '2'])).toEqual({ v: 2 });
});

test('the same columns share a reader', () => {
  const columns = () => [{ name: 'shared', dataTypeID: TEXT }];
  expect(compileRow(columns())).toBe(compileRow(columns()));
});
