import { expect, test } from 'vitest';
import { integer, nullable, text } from './columns.ts';
import {
  allOf,
  command,
  join,
  oneOf,
  type Part,
  param,
  part,
  raw,
  shapeProblem,
  statement,
} from './statement.ts';

test('values become parameters in their order, with parts between them', () => {
  const filter = part`status = ${'open'} and ${part`kind = any(${['a']})`}`;
  const made = statement({ id: text })`select id from thing where seller = ${'s'} and ${filter} limit ${5}`;
  expect(made.text).toBe(
    'select id from thing where seller = $1 and status = $2 and kind = any($3) limit $4',
  );
  expect(made.values).toEqual(['s', 'open', ['a'], 5]);
});

test('a value used in several places is sent once', () => {
  const seller = param('s');
  const made = command`delete from a where seller = ${seller} and b in (select b from c where seller = ${seller} and d = ${1})`;
  expect(made.values).toEqual(['s', 1]);
  expect(made.text).toContain('select b from c where seller = $1 and d = $2');
});

test('text that looks like SQL stays a value', () => {
  const made = command`delete from thing where name = ${"x'; drop table thing; --"}`;
  expect(made).toMatchObject({ text: 'delete from thing where name = $1' });
});

test('a template accepts a value in one call and a part in the next', () => {
  const make = (hole: unknown) => command`delete from thing where ${hole}`;
  expect(make(undefined)).toMatchObject({ text: 'delete from thing where $1', values: [undefined] });
  expect(make(raw('true'))).toMatchObject({ text: 'delete from thing where true', values: [] });
});

test('a template without parts is put together once', () => {
  const make = (id: string) => command`delete from thing where id = ${id}`;
  expect(make('a').text).toBe(make('b').text);
  expect(make('b').values).toEqual(['b']);
});

test('a template with constant parts is put together once for the same parts, and anew for others', () => {
  const list = raw('a, b');
  const make = (columns: Part, id: string) => command`select ${columns} from thing where id = ${id}`;
  expect(make(list, 'x')).toEqual({ text: 'select a, b from thing where id = $1', values: ['x'] });
  expect(make(list, 'y')).toEqual({ text: 'select a, b from thing where id = $1', values: ['y'] });
  expect(make(raw('c'), 'z')).toEqual({ text: 'select c from thing where id = $1', values: ['z'] });
  expect(make(part`${1} as n`, 'z')).toEqual({
    text: 'select $1 as n from thing where id = $2',
    values: [1, 'z'],
  });
  expect(make(list, 'x').text).toBe('select a, b from thing where id = $1');
  const twice = param('p');
  const any = (value: unknown) => command`select ${value}, ${value}`;
  expect(any('p')).toEqual({ text: 'select $1, $2', values: ['p', 'p'] });
  expect(any(twice)).toEqual({ text: 'select $1, $1', values: ['p'] });
  expect(any(list)).toEqual({ text: 'select a, b, a, b', values: [] });
});

test('a template with parts that have values is put together once for the same parts', () => {
  const of = (condition: Part) => command`select 1 where ${condition} and b = ${2}`;
  const small = (value: unknown) => part`a < ${value}`;
  const list = (value: unknown, column: string) => part`(${raw(column)} = ${value} or ${small(value)})`;
  const first = of(list(1, 'c'));
  expect(first).toEqual({ text: 'select 1 where (c = $1 or a < $2) and b = $3', values: [1, 1, 2] });
  expect(of(list(9, 'c'))).toEqual({ text: first.text, values: [9, 9, 2] });
  expect(of(list(9, 'd'))).toEqual({
    text: 'select 1 where (d = $1 or a < $2) and b = $3',
    values: [9, 9, 2],
  });
  expect(of(small(5))).toEqual({ text: 'select 1 where a < $1 and b = $2', values: [5, 2] });
  const one = param(7);
  expect(of(part`a < ${one} and c > ${one}`)).toEqual({
    text: 'select 1 where a < $1 and c > $1 and b = $2',
    values: [7, 2],
  });
  expect(of(small(one)).values).toEqual([7, 2]);
});

test('a few values have a place each, and many are an array', () => {
  const of = (values: readonly string[]) => command`select 1 where ${oneOf(raw('a'), values)} and b = ${0}`;
  expect(of(['x'])).toEqual({ text: 'select 1 where a in ($1) and b = $2', values: ['x', 0] });
  expect(of(['x', 'y', 'z'])).toEqual({
    text: 'select 1 where a in ($1, $2, $3, $4) and b = $5',
    values: ['x', 'y', 'z', 'z', 0],
  });
  const many = Array.from({ length: 9 }, (_, index) => String(index));
  expect(of([])).toEqual({ text: 'select 1 where false and b = $1', values: [0] });
  expect(of(many)).toEqual({ text: 'select 1 where a = any($1::text[]) and b = $2', values: [many, 0] });
});

test('unused conditions are left out', () => {
  const where = (kind?: string) => allOf(part`a = ${1}`, kind !== undefined && part`kind = ${kind}`);
  expect(command`delete from t where ${where()}`).toMatchObject({ text: 'delete from t where (a = $1)' });
  expect(command`delete from t where ${where('x')}`.text).toBe(
    'delete from t where (a = $1) and (kind = $2)',
  );
  expect(command`delete from t where ${allOf(undefined)}`.text).toBe('delete from t where true');
  expect(command`select ${join([raw('a'), raw('b')], ', ')}`.text).toBe('select a, b');
});

test('rows are compared with their declared shape', () => {
  const made = statement({ id: text, size: nullable(integer) })`select id, size from thing`;
  const described = (fields: Record<string, number>) =>
    shapeProblem(
      made,
      Object.entries(fields).map(([name, dataTypeID]) => ({ name, dataTypeID })),
    );
  expect(described({ id: 25, size: 23 })).toBeUndefined();
  expect(described({ id: 25 })).toContain('size is missing');
  expect(described({ id: 25, size: 23, more: 25 })).toContain('more is not declared');
  expect(described({ id: 25, size: 20 })).toContain('size is of type 20, not integer');
});
