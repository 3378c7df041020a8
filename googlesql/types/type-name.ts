/** From the text of a type, as `typeName` writes it, to the type. */
import { arrayOf, type StructField, scalarType, structOf, type Type } from './types.js'

/** Undefined when the text is no type. Words are matched in any case, precision such as `NUMERIC(10, 2)` is refused. */
export function parseTypeName(text: string): Type | undefined {
  return WORD.test(text) ? scalarType(text) : parseWords(text)
}

const WORD = /^\w+$/

function parseWords(text: string): Type | undefined {
  const words = text.match(/[A-Za-z_]\w*|`[^`]+`|[<>,]|[^\s]/g) ?? []
  let at = 0
  const accept = (word: string): boolean => words[at]?.toUpperCase() === word && ++at > 0

  const parseType = (): Type | undefined => {
    if (accept('ARRAY')) {
      if (!accept('<')) return undefined
      const element = parseType()
      return element && element.kind !== 'ARRAY' && accept('>') ? arrayOf(element) : undefined
    }
    if (accept('STRUCT')) return parseStruct()
    const word = words[at++]
    return word === undefined ? undefined : scalarType(word)
  }
  const parseStruct = (): Type | undefined => {
    if (!accept('<')) return undefined
    const fields: StructField[] = []
    if (accept('>')) return structOf(fields)
    do {
      const name = isFieldName(words, at) ? words[at++]!.replaceAll('`', '') : ''
      const type = parseType()
      if (!type) return undefined
      fields.push({ name, type })
    } while (accept(','))
    return accept('>') ? structOf(fields) : undefined
  }

  const type = parseType()
  return at === words.length ? type : undefined
}

/** A name is a word that another word, not `<`, `>` or `,`, follows. */
function isFieldName(words: readonly string[], at: number): boolean {
  const [word, next] = [words[at], words[at + 1]]
  return word !== undefined && next !== undefined && /^[\w`]/.test(word) && /^\w/.test(next)
}
