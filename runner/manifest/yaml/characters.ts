/** Finds characters that are refused in manifests and partials: they hide what a text says, or are not valid characters. */

import type { TextMistake } from '../report.js'

// Controls, line separators that editors and YAML count differently, direction overrides ("Trojan Source",
// CVE-2021-42574), invisible characters, halves of surrogate pairs, and a carriage return that ends no line.
const ODD =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|\p{Cs}|\r(?!\n)/u

/** The first refused character, as `U+202E`, with the message for the author of the text; null for none. */
export function findOddCharacter(text: string): (TextMistake & { readonly name: string }) | null {
  const match = ODD.exec(text)
  if (match === null) return null
  const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  const name = `U+${code}`
  const message = `the character ${name} is not allowed; delete it or write what is meant`
  return { offset: match.index, rule: 'yaml/odd-character', message, name }
}

/** The same in a value that begins at `offset` of the file: escapes can write characters that the file itself may not have. */
export function findOddEscape(text: string, offset: number): TextMistake | null {
  const odd = findOddCharacter(text)
  return odd && { offset, rule: odd.rule, message: `the text holds the character ${odd.name}, which is not allowed` }
}
