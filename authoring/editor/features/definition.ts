/** Go to definition: the file of a partial, a table schema or a function, the key of a parameter, a lookup or a constant. */

import { type FilePlace, placeAt } from '../../../runner/manifest/source.js'
import { lineStartsOf } from '../../../runner/model/line-starts.js'
import type { SqlCursor } from '../cursor.js'
import type { NamedThing } from './named-thing.js'

/** A place in a file, 1-based; null where the name is defined in no file. */
export function definitionOf(thing: NamedThing, { view }: SqlCursor): FilePlace | null {
  const { workspace, manifest } = view
  const source = manifest?.source ?? null
  switch (thing.kind) {
    case 'parameter':
      return thing.parameter && source ? source.keyAt(['parameters', thing.name]) : null
    case 'lookup': {
      if (source === null) return null
      const [row] = Object.keys(thing.lookup.rows)
      const isField = thing.field !== null && row !== undefined && thing.field in thing.lookup.rows[row]!
      return source.keyAt(isField ? ['lookups', thing.name, 'rows', row, thing.field!] : ['lookups', thing.name])
    }
    case 'constant':
      return source ? source.keyAt(['constants', thing.name]) : null
    case 'partial': {
      const partial = workspace.texts.partial(thing.name)
      return partial ? { file: partial.file, line: 1, column: 1 } : null
    }
    case 'table':
      return workspace.tables.get(thing.name)?.placeOf([]) ?? null
    case 'column': {
      const { origin } = thing.column
      return origin ? (workspace.tables.get(origin.table)?.placeOf(origin.path) ?? null) : null
    }
    case 'cte': {
      // Its offset is that of the rendered SQL, so the name is looked for in the template.
      const name = thing.cte.name.replace(/\W/g, '\\$&')
      const beginning = new RegExp(`(?<!\\w)\`?${name}\`?(?!\\w)\\s*(?:\\([^()]*\\)\\s*)?AS\\s*\\(`, 'i')
      const at = view.sql!.template.search(beginning)
      return at < 0 ? null : placeAt(view.file, lineStartsOf(view.text), view.sql!.toDocument(at))
    }
    case 'function':
      return null
    case 'stored-function':
      return { file: thing.source.file, line: 1, column: 1 }
    default:
      return thing satisfies never
  }
}
