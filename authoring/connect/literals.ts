/** Writes texts as string literals of other languages, with every character escaped that would end the literal. */
import { quoted, singleQuoted, UNPRINTABLE } from '../client/program-text.js'
import { wellFormed } from './address.js'

/** In double quotes and printable characters, for Python and JSON. */
export const pythonText = (text: string): string => quoted(wellFormed(text))

/** In single quotes and printable characters, for JavaScript and TypeScript. */
export const javascriptText = (text: string): string => singleQuoted(wellFormed(text))

/** In single quotes, for DuckDB. */
export const sqlText = (text: string): string => `'${withoutNul(text).replaceAll("'", "''")}'`

/** A name of a column in double quotes, for DuckDB. */
export const sqlName = (name: string): string => `"${withoutNul(name).replaceAll('"', '""')}"`

/** A NUL ends a text in programs written in C. */
const withoutNul = (text: string): string => wellFormed(text).replaceAll('\0', '\ufffd')

/**
 * A literal of M, the language of Power Query. `#(` begins an escape, so `#` itself is escaped, as are unprintable characters.
 */
export const powerQueryText = (text: string): string =>
  `"${wellFormed(text)
    .replaceAll('#', '#(#)')
    .replaceAll('"', '""')
    .replace(UNPRINTABLE, character => `#(${character.charCodeAt(0).toString(16).padStart(4, '0')})`)}"`

/** The name of a record's field in M. */
export const powerQueryName = (name: string): string => (IDENTIFIER.test(name) ? name : `#${powerQueryText(name)}`)

const IDENTIFIER =
  /^(?!(?:and|as|each|else|error|false|if|in|is|let|meta|not|null|or|otherwise|section|shared|then|true|try|type)$)[A-Za-z_]\w*$/
