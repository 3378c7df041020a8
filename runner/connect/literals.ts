/** Texts as string literals of other languages: a text never ends its own literal. */
import { quoted } from '../client/program-text.js'
import { wellFormed } from './address.js'

/** In double quotes and printable characters, for Python and JSON. */
export const pythonText = (text: string): string => quoted(wellFormed(text))

/** In single quotes and printable characters, for JavaScript and TypeScript. */
export const javascriptText = (text: string): string =>
  `'${pythonText(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
