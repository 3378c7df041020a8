/** A path such as `metadata.project_ref` in the columns of a table; it may lead through repeated records. */
import type { StructField } from '../types/types.js'

/** Where the path leads: the index of its column, and the rest as in `ValuePath`: `[].1`. */
export interface ColumnPath {
  readonly column: number
  readonly rest: string
  /** The names of the path up to each array that it leads through, and the names after the last array: `hits`, `marks.name`. */
  readonly parts: readonly string[]
}

/** The first name of a path that does not exist, and the names that exist there; no names where the value before has no fields. */
export interface BrokenPath {
  readonly name: string
  readonly among: readonly string[]
}

/** Follows the path. Names are matched without regard to case; the path must end at a scalar. */
export function findColumnPath(columns: readonly StructField[], path: string): ColumnPath | BrokenPath {
  const names = path.split('.')
  let fields = columns
  let steps = ''
  const parts: string[][] = [[]]
  for (const name of names) {
    const index = fields.findIndex(field => field.name.toLowerCase() === name.toLowerCase())
    if (index < 0) return { name, among: fields.map(field => field.name) }
    let { type } = fields[index]!
    steps += `.${index}`
    parts.at(-1)!.push(name)
    if (type.kind === 'ARRAY') {
      type = type.element
      steps += '[]'
      parts.push([])
    }
    fields = type.kind === 'STRUCT' ? type.fields : []
  }
  // A record itself has no value to compare.
  if (fields.length > 0) return { name: '', among: fields.map(field => field.name) }
  const [, column = '', rest = ''] = /^\.(\d+)(.*)$/.exec(steps) ?? []
  return { column: Number(column), rest, parts: parts.map(names => names.join('.')) }
}
