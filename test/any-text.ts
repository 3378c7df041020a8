import fc from 'fast-check'

/** Every character of Unicode. The unit `binary` has the same, and takes a second to build a table of them. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map(n => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))

/** Texts of any characters, without half surrogate pairs. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...constraints })
