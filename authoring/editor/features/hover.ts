/** Hover: the type of the name at the cursor, and what is documented of it. */

import type { DocumentView } from '../document-view.js'
import {
  columnText,
  constantText,
  functionText,
  lookupText,
  parameterText,
  partialText,
  storedFunctionText,
  tableText,
} from '../documentation.js'
import type { NamedThing } from './named-thing.js'

/** Markdown; null where nothing is known. */
export function hoverText(thing: NamedThing, { workspace }: DocumentView): string | null {
  switch (thing.kind) {
    case 'parameter':
      if (thing.parameter === null && thing.name !== 'now') return null
      return parameterText(thing.name, thing.parameter ?? { type: 'timestamp' })
    case 'lookup':
      return lookupText(thing.name, thing.field, thing.lookup)
    case 'constant':
      return constantText(thing.name, thing.value)
    case 'partial': {
      const partial = workspace.texts.partial(thing.name)
      return partial ? partialText(thing.name, partial.text) : null
    }
    case 'table': {
      const table = workspace.tables.get(thing.name)
      const found = table ?? workspace.catalogue?.find(thing.name)
      return found ? tableText(found) : null
    }
    case 'cte': {
      const columns = thing.cte.columns.map(column => `- \`${column.name}\``)
      return [`Common table expression \`${thing.cte.name}\``, columns.join('\n')].join('\n\n')
    }
    case 'column':
      return columnText(thing.column, workspace.tables)
    case 'function':
      return thing.functions.map(functionText).join('\n\n')
    case 'stored-function':
      return storedFunctionText(thing.source)
    default:
      return thing satisfies never
  }
}
