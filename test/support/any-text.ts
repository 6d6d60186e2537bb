import fc from 'fast-check';

/** Any character except half a surrogate pair; ASCII, the first plane and the rest are equally likely. */
const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.oneof(fc.integer({ min: 0x80, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0xffff })),
    fc.integer({ min: 0x1_0000, max: 0x10_ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/**
 * Texts of any characters, and words that break programs. Like `fc.string({ unit: 'binary' })`, which takes a second in
 * each process to list all million characters first.
 *
 * @param size - `maxLength` in characters
 */
export function anyText(size: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(character, size).map((characters) => characters.join('')) },
    { weight: 1, arbitrary: fc.string(size) },
  );
}
