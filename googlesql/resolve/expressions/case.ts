/** CASE, with and without an operand to compare. */
import type * as ast from '../../ast/nodes.js'
import { shownType } from '../../functions/overload.js'
import type { Computed, Expr } from '../../plan/nodes.js'
import { coerceTo, commonSupertype } from '../../types/apply-coercion.js'
import { BOOL } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'
import { operatorCall } from './arguments.js'

export function resolveCase(node: ast.Case, env: ExpressionEnv): Expr {
  const value = node.operand && env.expression(node.operand, env)
  const whens = node.branches.map(branch => env.expression(branch.when, env))
  const thens = node.branches.map(branch => env.expression(branch.then, env))
  const otherwise = node.otherwise && env.expression(node.otherwise, env)
  const parts: CaseParts = { value, whens, thens, otherwise, at: node.at }
  const type = commonSupertype([...thens, ...(otherwise ? [otherwise] : [])])
  if (!type) return noCommonType(parts, env)
  const { conditions, binding } = value ? comparisons(value, parts, env) : tests(parts, env)
  const coerce = (expr: Expr): Expr => coerceTo(expr, type, env.source)!
  const expr: Expr = {
    kind: 'case',
    type,
    branches: conditions.map((when, i) => ({ when, then: coerce(thens[i]!) })),
    otherwise: otherwise && coerce(otherwise),
    at: node.at,
  }
  return binding ? { kind: 'let', type, bindings: [binding], result: expr, at: node.at } : expr
}

interface CaseParts {
  readonly value: Expr | null
  readonly whens: readonly Expr[]
  readonly thens: readonly Expr[]
  readonly otherwise: Expr | null
  readonly at: number
}

interface Conditions {
  readonly conditions: readonly Expr[]
  /** The operand, if it is bound to a column so that it is evaluated once for all comparisons; otherwise null. */
  readonly binding: Computed | null
}

/** The conditions of `CASE x WHEN y`: each is `x = y`. */
function comparisons(value: Expr, parts: CaseParts, env: ExpressionEnv): Conditions {
  if (!commonSupertype([value, ...parts.whens])) {
    return noSignature(parts, env)
  }
  const isCheap = value.kind === 'column' || value.kind === 'literal' || value.kind === 'parameter'
  const binding = isCheap ? null : { column: env.newColumn('case', value.type), expr: value }
  const subject = binding ? readableExpr(binding.column, false, value.at) : value
  return { conditions: parts.whens.map(when => operatorCall('$eq', [subject, when], when.at, env)), binding }
}

function tests(parts: CaseParts, context: ResolveContext): Conditions {
  const conditions = parts.whens.map(when => {
    const test = coerceTo(when, BOOL, context.source)
    if (test) return test
    return noCommonTypeOf('all WHEN argument types must be BOOL but found', parts.whens, parts, context)
  })
  return { conditions, binding: null }
}

function noCommonType(parts: CaseParts, context: ResolveContext): never {
  if (parts.value) return noSignature(parts, context)
  const complaint = 'all THEN/ELSE arguments must be coercible to a common type but found'
  return noCommonTypeOf(complaint, [...parts.thens, ...(parts.otherwise ? [parts.otherwise] : [])], parts, context)
}

function noCommonTypeOf(complaint: string, values: readonly Expr[], parts: CaseParts, context: ResolveContext): never {
  const types = values.map(shownType)
  const detail = `${complaint}: ${types.join(', ')}; ${actualTypes(parts)}`
  return context.fail(`No matching signature for operator CASE; ${detail}`, parts.at, { code: 'no-common-type', types })
}

function noSignature(parts: CaseParts, context: ResolveContext): never {
  const types = allTypes(parts)
  const reason = `No matching signature for operator CASE for argument types: ${types.join(', ')}`
  const mistake = { code: 'no-signature', kind: 'operator', name: 'CASE', types, takesAny: false } as const
  return context.fail(reason, parts.at, mistake)
}

const elseType = ({ otherwise }: CaseParts): string => (otherwise ? shownType(otherwise) : 'NULL')

/** The types of all parts, in the order in which they are written: `INT64, STRING, INT64, NULL`. */
const allTypes = (parts: CaseParts): readonly string[] => [
  shownType(parts.value!),
  ...parts.whens.flatMap((when, i) => [when, parts.thens[i]!]).map(shownType),
  elseType(parts),
]

const actualTypes = (parts: CaseParts): string => {
  const pairs = parts.whens.map((when, i) => `(${shownType(when)} ${shownType(parts.thens[i]!)})`)
  return `actual argument types (WHEN THEN) ELSE: ${pairs.join(' ')} ${elseType(parts)}`
}
