import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteFinder } from './byte-finder.ts';

test('finds the same as a new search, while the position moves forward and the bytes move to the front', () => {
  const bytes = fc.array(fc.constantFrom(0x61, 0x61, 0x2c), { minLength: 1, maxLength: 40 });
  const steps = fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 8 }), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(bytes, steps, (codes, walk) => {
      const all = Buffer.from(codes);
      const finder = new ByteFinder(0x2c);
      let base = 0;
      let from = 0;
      let end = 0;
      for (const [ahead, more, move] of walk) {
        end = Math.min(all.length, end + more);
        from = Math.min(end, from + ahead);
        if (move) {
          finder.moved(from - base);
          base = from;
        }
        const view = all.subarray(base, end);
        expect(finder.find(view, from - base)).toBe(view.indexOf(0x2c, from - base));
      }
    }),
    { numRuns: 500 },
  );
});
