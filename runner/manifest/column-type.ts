/** Column types, as `columns:` declares them and as queries have them. `STRUCT` without fields means any fields. */
import { type ScalarType, scalarType } from '../../googlesql/data.js'

export type ColumnType =
  | { readonly kind: 'scalar'; readonly name: string }
  | { readonly kind: 'array'; readonly element: ColumnType }
  /** The fields; null for any fields. */
  | { readonly kind: 'struct'; readonly fields: readonly { readonly name: string; readonly type: ColumnType }[] | null }

const MAX_DEPTH = 20

/** Parses a type; null when the text is not a type. */
export function parseColumnType(text: string): ColumnType | null {
  const scalar = WORD.test(text) ? scalarType(text) : undefined
  return scalar ? { kind: 'scalar', name: scalar.kind } : parseWords(text)
}

const WORD = /^\w+$/

function parseWords(text: string): ColumnType | null {
  const tokens = text.match(/[A-Za-z_][A-Za-z0-9_]*|`[^`]*`|[<>,]|\S/g) ?? []
  let at = 0
  const take = (expected: string): boolean => tokens[at] === expected && ++at > 0
  const parse = (depth: number): ColumnType | null => {
    const word = tokens[at++]?.toUpperCase()
    if (word === undefined || depth > MAX_DEPTH) return null
    if (word === 'ARRAY') {
      const element = take('<') ? parse(depth + 1) : null
      return element !== null && element.kind !== 'array' && take('>') ? { kind: 'array', element } : null
    }
    if (word === 'STRUCT') return take('<') ? fields(depth) : { kind: 'struct', fields: null }
    const scalar = word === 'RANGE' ? rangeType() : scalarType(word)
    return scalar ? { kind: 'scalar', name: scalar.kind } : null
  }
  const rangeType = (): ScalarType | undefined => {
    const element = take('<') ? tokens[at++] : undefined
    return element !== undefined && take('>') ? scalarType(`RANGE<${element}>`) : undefined
  }
  const fields = (depth: number): ColumnType | null => {
    const list: { name: string; type: ColumnType }[] = []
    if (take('>')) return { kind: 'struct', fields: list }
    do {
      // An unnamed field is only a type, so the end of the field follows it.
      const isNamed = tokens[at + 1] !== undefined && !['<', '>', ','].includes(tokens[at + 1]!)
      const name = isNamed ? tokens[at++]!.replaceAll('`', '') : ''
      const type = parse(depth + 1)
      if (type === null) return null
      list.push({ name, type })
    } while (take(','))
    return take('>') ? { kind: 'struct', fields: list } : null
  }
  const type = parse(0)
  return at === tokens.length ? type : null
}

/** Whether a query's type matches the declared one; an open STRUCT matches any fields. */
export function fitsColumnType(declared: ColumnType, actual: ColumnType): boolean {
  if (declared.kind === 'array') return actual.kind === 'array' && fitsColumnType(declared.element, actual.element)
  if (declared.kind === 'scalar') return actual.kind === 'scalar' && actual.name === declared.name
  if (actual.kind !== 'struct') return false
  if (declared.fields === null || actual.fields === null) return true
  const { fields } = actual
  return (
    declared.fields.length === fields.length &&
    declared.fields.every(
      (field, i) =>
        field.name.toLowerCase() === fields[i]!.name.toLowerCase() && fitsColumnType(field.type, fields[i]!.type),
    )
  )
}
