import { describe, expect, it } from 'vitest';
import { type CursorScope, createCursors } from './cursor.ts';

const cursors = createCursors(Buffer.alloc(32, 1));
const scope: CursorScope = { seller_id: 'slr_a', route: 'products.list', filters: { status: 'active' } };
const cursor = cursors.encode(scope, ['prd_1', 7]);

describe('a cursor', () => {
  it('continues after the row that it was made for, with any page size', () => {
    expect(cursors.decode({ ...scope, filters: { ...scope.filters, limit: 3 } }, cursor)).toEqual([
      'prd_1',
      7,
    ]);
  });

  it.each([
    ['another seller', { ...scope, seller_id: 'slr_b' }],
    ['another list', { ...scope, route: 'products.inventory' }],
    ['other filters', { ...scope, filters: {} }],
  ])('of %s is refused', (_whose, other) => {
    expect(() => cursors.decode(other, cursor)).toThrow('validation_error');
  });

  it('with any letter changed, left out or added is refused', () => {
    for (let at = 0; at <= cursor.length; at += 1) {
      const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)];
      const other = cursor[at] === 'A' ? 'B' : 'A';
      for (const forged of [before, `${before}${other}${after}`, `${before}=${cursor.slice(at)}`])
        if (forged !== cursor)
          expect(() => cursors.decode(scope, forged), forged).toThrow('validation_error');
    }
  });
});
