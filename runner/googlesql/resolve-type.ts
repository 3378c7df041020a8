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
      const element = resolveType(node.element, source)
      if (element.kind === 'ARRAY') throw new SqlError('Arrays of arrays are not supported', source, node.at)
      return arrayOf(element)
    }
    case 'struct':
      return structOf(node.fields.map(field => ({ name: field.name, type: resolveType(field.type, source) })))
  }
}

/** The numbers of STRING(10) or NUMERIC(10, 2); empty when none are written. */
export function typeParameters(node: TypeNode): readonly number[] {
  return node.kind === 'named' ? node.parameters.map(Number) : []
}
