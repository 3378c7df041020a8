import fc from 'fast-check'

/**
 * Every Unicode character except surrogates. fast-check's unit `binary` has the same characters, but takes a second to build a
 * table of them.
 */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map(n => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))

/** Texts of any characters, without half surrogate pairs. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...constraints })
