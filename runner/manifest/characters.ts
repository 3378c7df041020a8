/** Characters that have no place in a manifest or a partial: they hide what a text says, or are none. */

const ALLOWED_CONTROLS = new Set(['\t', '\n', '\r'])

// Controls, line separators that editors and YAML count differently, direction overrides ("Trojan Source",
// CVE-2021-42574), invisible characters, and halves of surrogate pairs.
const ODD =
  /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|\p{Cs}|\r(?!\n)/gu

export interface OddCharacter {
  readonly offset: number
  /** `U+202E`. */
  readonly name: string
}

/** The first odd character at or after `from`, or null. */
export function findOddCharacter(text: string): OddCharacter | null {
  for (const match of text.matchAll(ODD)) {
    const character = match[0]
    if (ALLOWED_CONTROLS.has(character) && !(character === '\r' && text[match.index + 1] !== '\n')) continue
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return { offset: match.index, name: `U+${code}` }
  }
  return null
}
