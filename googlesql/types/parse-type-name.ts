/** Parses the text of a type, as `typeName` writes it. */
import { arrayOf, type StructField, type StructType, scalarType, structOf, type Type } from './types.js'

/** The type; undefined for a text that is not a type, or has parameters as in `NUMERIC(10, 2)`. Case does not matter. */
export const parseTypeName = (text: string): Type | undefined => parseTypeText(text)

/** Like parseTypeName, but `STRUCT` alone, also within a type, is ANY_STRUCT. */
export const parseOpenTypeName = (text: string): Type | undefined => parseTypeText(text, ANY_STRUCT)

/** Stands for a STRUCT with any fields. */
export const ANY_STRUCT: StructType = Object.freeze(structOf([]))

/** @param bareStruct the type that `STRUCT` without fields stands for; undefined: such a text is not a type */
function parseTypeText(text: string, bareStruct?: StructType): Type | undefined {
  const words = text.match(/[A-Za-z_]\w*|`[^`]+`|[<>,]|[^\s]/g) ?? []
  let at = 0
  const accept = (word: string): boolean => {
    if (words[at]?.toUpperCase() !== word) return false
    at++
    return true
  }

  const parseType = (): Type | undefined => {
    if (accept('ARRAY')) {
      if (!accept('<')) return undefined
      const element = parseType()
      return element && element.kind !== 'ARRAY' && accept('>') ? arrayOf(element) : undefined
    }
    if (accept('STRUCT')) return parseStruct()
    if (accept('RANGE')) {
      const word = accept('<') ? words[at++] : undefined
      return word !== undefined && accept('>') ? scalarType(`RANGE<${word}>`) : undefined
    }
    const word = words[at++]
    return word === undefined ? undefined : scalarType(word)
  }
  const parseStruct = (): Type | undefined => {
    if (!accept('<')) return bareStruct
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

/** Whether the word is a field's name: the next token is a word, not `<`, `>` or `,`. */
function isFieldName(words: readonly string[], at: number): boolean {
  const [word, next] = [words[at], words[at + 1]]
  return word !== undefined && next !== undefined && /^[\w`]/.test(word) && /^\w/.test(next)
}
