/** Makes descriptions and names from manifests safe to write into generated code. */

/**
 * The lines of a text, trimmed, without the empty ones. Every character that ends a line in some language ends a line here. Control
 * characters, and those that show text in another order than a compiler reads it, such as U+202A, become blanks.
 */
export function linesOf(text: string): readonly string[] {
  return text
    .split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/)
    .map(line => line.replace(UNPRINTABLE, ' ').toWellFormed().trim())
    .filter(line => line !== '')
}

/** The text as a JSON string in printable characters: a string literal of TypeScript and of Python, too. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(UNPRINTABLE, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The text as a literal in single quotes of JavaScript and TypeScript, in printable characters. */
export const singleQuoted = (text: string): string =>
  `'${quoted(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** The name of a member, in quotes where it is not an identifier. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : singleQuoted(name))

/** Control characters, and those that change the order in which text is shown. */
export const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
