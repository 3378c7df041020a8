/** Holds the arguments of a call against signatures: what their letters stand for, and what coercion costs. */

import type { Expr, LambdaExpr } from '../plan/nodes.js'
import {
  type Cost,
  coercionCost,
  elementOf,
  expressionOf,
  isCheaper,
  NO_COST,
  type Operand,
  operandOf,
  sumOfCosts,
  supertypeOf,
} from '../types/coercion-rules.js'
import { arrayOf, INT64, structOf, type Type } from '../types/types.js'
import type { Pattern, Signature, SignatureParameter } from './signature.js'

/** An argument as written; what it means depends on the signature that it is held against. */
export interface ArgumentSource {
  /** Of `name => value`, in lower case. */
  readonly name: string | null
  readonly at: number
  /** As an ordinary expression; the same one each time. */
  resolve(): Expr
  /** Written as a lambda: it is no ordinary expression. */
  readonly isLambda: boolean
  /** Null when it is not written as a lambda of so many parameters. */
  resolveLambda(parameterTypes: readonly Type[]): LambdaExpr | null
  /** In upper case, when it is a bare name or `WEEK(MONDAY)`, which is WEEK_MONDAY; else null. */
  word(): string | null
}

/** A parameter and what was given for it; null for nothing. */
export interface Slot {
  readonly parameter: SignatureParameter
  readonly argument: ArgumentSource | null
}

export interface Candidate {
  readonly signature: Signature
  readonly slots: readonly Slot[]
  readonly variables: ReadonlyMap<string, Type>
  readonly lambdas: ReadonlyMap<ArgumentSource, LambdaExpr>
  readonly cost: Cost
}

export const takesWord = ({ pattern }: SignatureParameter): boolean =>
  pattern.kind === 'part' || pattern.kind === 'word'

/** What coercion looks at in an argument that is no lambda; the same one each time. */
type OperandFor = (argument: ArgumentSource) => Operand

/** Of all signatures that arguments are held against. */
function operandReader(): OperandFor {
  const known = new Map<ArgumentSource, Operand>()
  return argument => {
    const operand = known.get(argument) ?? operandOf(argument.resolve())
    known.set(argument, operand)
    return operand
  }
}

/** Of the signature that coerces least, the first of equals; null when none fits. */
export function bestCandidate(
  candidates: readonly { signature: Signature; slots: readonly Slot[] }[],
  decimalsNeedAll = false,
): Candidate | null {
  let best: Candidate | null = null
  const operandFor = operandReader()
  for (const { signature, slots } of candidates) {
    const candidate = candidateOf(signature, slots, operandFor, decimalsNeedAll)
    if (candidate && (!best || isCheaper(candidate.cost, best.cost))) best = candidate
    // The first of equals is taken, and none is cheaper than one that coerces nothing.
    if (best?.cost.every(part => part === 0)) break
  }
  return best
}

/**
 * A signature of decimals is for calls with such an argument: `1 / 2` is FLOAT64, although NUMERIC is nearer to INT64.
 * Where all have to be, a FLOAT64 literal makes the call one of FLOAT64. Source: the constraints HasNumericTypeArgument,
 * HasBigNumericTypeArgument and AllArgumentsHaveNumericOrBigNumericType of the reference implementation.
 */
const DECIMALS: ReadonlySet<Type['kind']> = new Set(['NUMERIC', 'BIGNUMERIC'])
const NO_LAMBDAS: Candidate['lambdas'] = new Map()

const numberKind = (type: Type): Type['kind'] => (type.kind === 'ARRAY' ? numberKind(type.element) : type.kind)

function candidateOf(
  signature: Signature,
  slots: readonly Slot[],
  operandFor: OperandFor,
  decimalsNeedAll: boolean,
): Candidate | null {
  const collected = new Map<string, Operand[]>()
  for (const { parameter, argument } of slots) {
    if (!argument || takesWord(parameter) || parameter.pattern.kind === 'lambda') continue
    if (argument.isLambda || !collect(parameter.pattern, operandFor(argument), collected)) return null
  }
  if (lacksDecimal(slots, operandFor, decimalsNeedAll)) return null
  const lambdas = fitLambdas(slots, collected)
  const variables = lambdas && settle(collected)
  if (!variables) return null
  let cost = NO_COST
  for (const slot of slots) {
    const part = costOf(slot, variables, lambdas, operandFor)
    if (part === null) return null
    if (part !== NO_COST) cost = sumOfCosts([cost, part])!
  }
  return { signature, slots, variables, lambdas, cost }
}

/** A parameter of decimals, and no argument of that type, or one of another where all have to be decimals. */
function lacksDecimal(slots: readonly Slot[], operandFor: OperandFor, needAll: boolean): boolean {
  const isDecimal = (slot: Slot): boolean => DECIMALS.has(numberKind(operandFor(slot.argument!).type))
  return slots.some(({ parameter: { pattern }, argument }) => {
    if (!argument || pattern.kind !== 'type') return false
    const kind = numberKind(pattern.type)
    if (!DECIMALS.has(kind)) return false
    if (needAll && !slots.filter(isOrdinary).every(isDecimal)) return true
    return !slots.some(other => isOrdinary(other) && numberKind(operandFor(other.argument!).type) === kind)
  })
}

const isOrdinary = ({ parameter, argument }: Slot): boolean =>
  argument !== null && !takesWord(parameter) && parameter.pattern.kind !== 'lambda'

/** Null when one of them fits no parameter. `collected` learns what they give. */
function fitLambdas(slots: readonly Slot[], collected: Map<string, Operand[]>): Candidate['lambdas'] | null {
  if (!slots.some(({ parameter, argument }) => argument && parameter.pattern.kind === 'lambda')) return NO_LAMBDAS
  const lambdas = new Map<ArgumentSource, LambdaExpr>()
  for (const { parameter, argument } of slots) {
    const { pattern } = parameter
    if (!argument || pattern.kind !== 'lambda') continue
    const known = settle(collected)
    const parameterTypes = known && pattern.parameters.map(parameter => concrete(parameter, known))
    if (!parameterTypes?.every(type => type !== null)) return null
    const lambda = argument.resolveLambda(parameterTypes as Type[])
    if (!lambda || !collect(pattern.result, operandOf(lambda.body), collected)) return null
    lambdas.set(argument, lambda)
  }
  return lambdas
}

/** Null where the argument does not become what the parameter is. */
function costOf(
  { parameter, argument }: Slot,
  variables: Candidate['variables'],
  lambdas: Candidate['lambdas'],
  operandFor: OperandFor,
): Cost | null {
  if (!argument || takesWord(parameter)) return NO_COST
  const { pattern } = parameter
  const lambda = lambdas.get(argument)
  const operand = lambda ? operandOf(lambda.body) : operandFor(argument)
  const type = concrete(pattern.kind === 'lambda' ? pattern.result : pattern, variables)
  if (!type) return NO_COST
  const cost = coercionCost(operand, type)
  // What a letter stands for was made of the arguments themselves; a NULL among them costs nothing.
  return cost && operand.standing === 'null' && pattern.kind !== 'type' ? NO_COST : cost
}

/** Notes what the argument says of the letters in the pattern; false when it cannot fit whatever they are. */
function collect(pattern: Pattern, operand: Operand, into: Map<string, Operand[]>): boolean {
  switch (pattern.kind) {
    case 'variable':
      into.set(pattern.letter, [...(into.get(pattern.letter) ?? []), operand])
      return true
    case 'array': {
      if (operand.standing === 'null' || operand.standing === 'empty-array') {
        return collect(pattern.element, { type: INT64, standing: 'null', fields: null }, into)
      }
      const element = elementOf(operand)
      if (element === null) return false
      if (pattern.element.kind !== 'variable') return collect(pattern.element, element, into)
      // First, since arrays are not converted: the others take the names of the fields from it.
      into.set(pattern.element.letter, [element, ...(into.get(pattern.element.letter) ?? [])])
      return true
    }
    case 'struct': {
      if (operand.standing === 'null') return true
      const { type } = operand
      if (type.kind !== 'STRUCT' || type.fields.length !== pattern.fields.length) return false
      return pattern.fields.every((field, index) =>
        collect(field.pattern, operand.fields?.[index] ?? expressionOf(type.fields[index]!.type), into),
      )
    }
    default:
      return true
  }
}

/** A type for each letter; null when what it has to stand for has no common type. */
function settle(collected: ReadonlyMap<string, readonly Operand[]>): Map<string, Type> | null {
  const types = new Map<string, Type>()
  for (const [letter, operands] of collected) {
    const type = supertypeOf(operands)
    if (!type) return null
    types.set(letter, type)
  }
  return types
}

/** Null for ANY, for a letter that no argument says anything of, and for a struct whose fields may have any names. */
export function concrete(pattern: Pattern, variables: ReadonlyMap<string, Type>): Type | null {
  switch (pattern.kind) {
    case 'type':
      return pattern.type
    case 'variable':
      return variables.get(pattern.letter) ?? null
    case 'array': {
      const element = concrete(pattern.element, variables)
      return element && arrayOf(element)
    }
    case 'struct': {
      const fields = pattern.fields.flatMap(field => {
        const type = field.name === '' ? null : concrete(field.pattern, variables)
        return type ? [{ name: field.name, type }] : []
      })
      return fields.length === pattern.fields.length ? structOf(fields) : null
    }
    default:
      return null
  }
}
