import fc from 'fast-check';

/** Any character but half of one, those of ASCII and of the first plane as often as all the others. */
const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.oneof(fc.integer({ min: 0x80, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0xffff })),
    fc.integer({ min: 0x1_0000, max: 0x10_ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/**
 * Texts of any characters, and words that trip programs up. What `fc.string({ unit: 'binary' })` is, which lists
 * all million characters before it makes the first text: a second for each process.
 *
 * @param size - `maxLength` in characters
 */
export function anyText(size: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(character, size).map((characters) => characters.join('')) },
    { weight: 1, arbitrary: fc.string(size) },
  );
}
