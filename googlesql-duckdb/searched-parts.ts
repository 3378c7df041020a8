/** What SEARCH reads of a value; its SQL passes this to the scalar function. */
import type { Type } from '../googlesql/types/types.js'

/**
 * The parts of a value that SEARCH reads, by the value's type: a text, a JSON document, the elements of an array or the fields
 * of a struct; null for a type that SEARCH does not read.
 */
export type SearchedParts = 'text' | 'json' | { readonly each: SearchedParts } | readonly SearchedParts[] | null

export function searchedParts(type: Type): SearchedParts {
  switch (type.kind) {
    case 'STRING':
      return 'text'
    case 'JSON':
      return 'json'
    case 'STRUCT': {
      const fields = type.fields.map(field => searchedParts(field.type))
      return fields.some(parts => parts !== null) ? fields : null
    }
    case 'ARRAY': {
      const each = type.element.kind === 'JSON' ? null : searchedParts(type.element)
      return each && { each }
    }
    default:
      return null
  }
}
