/** Resolves the types that a query writes. */
import type { TypeNode } from '../ast/nodes.js'
import type { TypeParameters } from '../plan/nodes.js'
import { SqlError } from '../sql-error.js'
import { arrayOf, type ScalarKind, scalarType, structOf, type Type } from '../types/types.js'

/**
 * @throws SqlError for an unknown type, an array of arrays, and for type parameters as in STRING(10), which only casts accept
 */
export function resolveType(node: TypeNode, source: string): Type {
  const { type, parameters } = resolveParameterizedType(node, source)
  if (!parameters) return type
  throw new SqlError('Parameterized types are not supported in literal value construction', source, node.at)
}

export interface ParameterizedType {
  readonly type: Type
  /** Null where no parameters are written at any depth. */
  readonly parameters: TypeParameters | null
}

/** @throws SqlError for an unknown type, an array of arrays, and for parameters that the type does not have */
export function resolveParameterizedType(node: TypeNode, source: string): ParameterizedType {
  switch (node.kind) {
    case 'named': {
      const type = scalarType(node.name)
      if (!type) {
        const mistake = { code: 'unknown-type', name: node.name } as const
        throw new SqlError(`Type not found: ${node.name}`, source, node.at, mistake)
      }
      const numbers = node.parameters.map(Number)
      if (numbers.length === 0) return { type, parameters: null }
      const problem = parameterProblem(type.kind, numbers)
      if (problem !== null) throw new SqlError(problem, source, node.at)
      return { type, parameters: { numbers, parts: [] } }
    }
    case 'array': {
      const { type, parameters } = resolveParameterizedType(node.element, source)
      if (type.kind === 'ARRAY') throw new SqlError('Arrays of arrays are not supported', source, node.at)
      return { type: arrayOf(type), parameters: parameters && { numbers: [], parts: [parameters] } }
    }
    case 'struct': {
      const parts = node.fields.map(field => resolveParameterizedType(field.type, source))
      const type = structOf(node.fields.map((field, i) => ({ name: field.name, type: parts[i]!.type })))
      const parameters = parts.map(part => part.parameters)
      return { type, parameters: parameters.some(part => part !== null) ? { numbers: [], parts: parameters } : null }
    }
  }
}

/** The greatest number of digits before and after the decimal point. */
const DIGITS: Partial<Record<ScalarKind, readonly [number, number]>> = { NUMERIC: [29, 9], BIGNUMERIC: [38, 38] }

function parameterProblem(kind: ScalarKind, numbers: readonly number[]): string | null {
  const [first, second] = numbers
  if (kind === 'STRING' || kind === 'BYTES') {
    if (numbers.length > 1) return `${kind} type can only have one parameter. Found ${numbers.length} parameters`
    return first! > 0 ? null : `${kind} length must be greater than 0`
  }
  const digits = DIGITS[kind]
  if (!digits) return `${kind} does not support type parameters`
  if (numbers.length > 2) return `${kind} type can only have 1 or 2 parameters. Found ${numbers.length} parameters`
  const [whole, fraction] = digits
  if (second === undefined) {
    return first! >= 1 && first! <= whole ? null : `In ${kind}(P), P must be between 1 and ${whole}`
  }
  if (second > fraction) return `In ${kind}(P, S), S must be between 0 and ${fraction}`
  const minimum = Math.max(1, second)
  if (first! >= minimum && first! <= second + whole) return null
  return `In ${kind}(P, ${second}), P must be between ${minimum} and ${second + whole}`
}
