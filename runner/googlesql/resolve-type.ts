/** Types as written become types. */
import type { TypeNode } from './ast.js'
import { SqlError } from './sql-error.js'
import { arrayOf, scalarType, structOf, type Type } from './types.js'

/** @throws SqlError `Type not found: FOO`, or for an array of arrays. */
export function resolveType(node: TypeNode, source: string): Type {
  switch (node.kind) {
    case 'named': {
      const type = scalarType(node.name)
      if (!type) throw new SqlError(`Type not found: ${node.name}`, source, node.at)
      return type
    }
    case 'array': {
      refuseParameters(node.element, source)
      const element = resolveType(node.element, source)
      if (element.kind === 'ARRAY') throw new SqlError('Arrays of arrays are not supported', source, node.at)
      return arrayOf(element)
    }
    case 'struct':
      for (const field of node.fields) refuseParameters(field.type, source)
      return structOf(node.fields.map(field => ({ name: field.name, type: resolveType(field.type, source) })))
  }
}

/** A cast to `ARRAY<NUMERIC(5, 0)>` would have to round every element: it is refused rather than left undone. */
function refuseParameters(node: TypeNode, source: string): void {
  if (typeParameters(node).length === 0) return
  throw new SqlError('Type parameters inside ARRAY and STRUCT types are not supported', source, node.at)
}

/** The numbers of STRING(10) or NUMERIC(10, 2); empty when none are written. */
export function typeParameters(node: TypeNode): readonly number[] {
  return node.kind === 'named' ? node.parameters.map(Number) : []
}
