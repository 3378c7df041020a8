/** Matches the arguments of a call with signatures: finds the types of their letters, and the cost of coercion. */

import { memo } from '../memo.js'
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

/** An argument as written; its meaning depends on the signature that it is matched with. */
export interface ArgumentSource {
  /** The name of a named argument `name => value`, in lower case; null for an argument by position. */
  readonly name: string | null
  readonly at: number
  /** The argument as an ordinary expression; every call returns the same object. */
  resolve(): Expr
  /** True for a lambda, which is not an ordinary expression: `resolve` throws an SqlError. */
  readonly isLambda: boolean
  /** The lambda over parameters of these types; null when the argument is not a lambda with as many parameters. */
  resolveLambda(parameterTypes: readonly Type[]): LambdaExpr | null
  /** The argument as one word in upper case: a name without quotes, or `WEEK(MONDAY)` as WEEK_MONDAY; otherwise null. */
  word(): string | null
}

/** A parameter of a signature and its argument; null for an optional parameter without an argument. */
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

/** The operand of an argument that is not a lambda; every call for an argument returns the same object. */
type OperandFor = (argument: ArgumentSource) => Operand

/** An OperandFor that all candidates of one call share, so that each argument is resolved once. */
function operandReader(): OperandFor {
  const operands = new Map<ArgumentSource, Operand>()
  return argument => memo(operands, argument, () => operandOf(argument.resolve()))
}

/** The match with the smallest cost of coercion, the first of several with equal cost; null when no signature matches. */
export function bestCandidate(
  candidates: readonly { signature: Signature; slots: readonly Slot[] }[],
  decimalsNeedAll = false,
): Candidate | null {
  let best: Candidate | null = null
  const operandFor = operandReader()
  for (const { signature, slots } of candidates) {
    const candidate = candidateOf(signature, slots, operandFor, decimalsNeedAll)
    if (candidate && (!best || isCheaper(candidate.cost, best.cost))) best = candidate
    // No later candidate can be cheaper than one without coercion, and the first of equal candidates wins.
    if (best?.cost.every(part => part === 0)) break
  }
  return best
}

/**
 * A signature of decimals matches only calls with an argument of that type: `1 / 2` is FLOAT64, although NUMERIC is nearer to
 * INT64. With `decimalsNeedAll`, one FLOAT64 argument makes the result FLOAT64. Source: the constraints
 * HasNumericTypeArgument, HasBigNumericTypeArgument and AllArgumentsHaveNumericOrBigNumericType of the reference
 * implementation.
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
  const operands = new Map<string, Operand[]>()
  for (const { parameter, argument } of slots) {
    if (!argument || takesWord(parameter) || parameter.pattern.kind === 'lambda') continue
    if (argument.isLambda || !collect(parameter.pattern, operandFor(argument), operands)) return null
  }
  if (lacksDecimal(slots, operandFor, decimalsNeedAll)) return null
  const lambdas = matchLambdas(slots, operands)
  const variables = lambdas && typesOfLetters(operands)
  if (!variables) return null
  let cost = NO_COST
  for (const slot of slots) {
    const part = costOf(slot, variables, lambdas, operandFor)
    if (part === null) return null
    if (part !== NO_COST) cost = sumOfCosts([cost, part])!
  }
  return { signature, slots, variables, lambdas, cost }
}

/**
 * Whether the signature has a parameter of a decimal type but the call has no argument of that type or, with `needAll`, has
 * an argument that is not a decimal.
 */
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

/** The lambdas among the arguments; null when one does not match its parameter. Adds the results' types to `operands`. */
function matchLambdas(slots: readonly Slot[], operands: Map<string, Operand[]>): Candidate['lambdas'] | null {
  if (!slots.some(({ parameter, argument }) => argument && parameter.pattern.kind === 'lambda')) return NO_LAMBDAS
  const lambdas = new Map<ArgumentSource, LambdaExpr>()
  for (const { parameter, argument } of slots) {
    const { pattern } = parameter
    if (!argument || pattern.kind !== 'lambda') continue
    const types = typesOfLetters(operands)
    const parameterTypes = types && pattern.parameters.map(parameter => typeOfPattern(parameter, types))
    if (!parameterTypes?.every(type => type !== null)) return null
    const lambda = argument.resolveLambda(parameterTypes as Type[])
    if (!lambda || !collect(pattern.result, operandOf(lambda.body), operands)) return null
    lambdas.set(argument, lambda)
  }
  return lambdas
}

/** The cost of coercing the argument to the parameter's type; null where the language does not coerce it. */
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
  const type = typeOfPattern(pattern.kind === 'lambda' ? pattern.result : pattern, variables)
  if (!type) return NO_COST
  const cost = coercionCost(operand, type)
  // The type of a letter is the common type of the arguments themselves, so a NULL among them costs nothing.
  return cost && operand.kind === 'null' && pattern.kind !== 'type' ? NO_COST : cost
}

/** Collects the argument's type for each letter of the pattern; false when the argument does not match the pattern. */
function collect(pattern: Pattern, operand: Operand, into: Map<string, Operand[]>): boolean {
  switch (pattern.kind) {
    case 'variable':
      into.set(pattern.letter, [...(into.get(pattern.letter) ?? []), operand])
      return true
    case 'array': {
      if (operand.kind === 'null' || operand.kind === 'empty-array') {
        return collect(pattern.element, { type: INT64, kind: 'null', fields: null }, into)
      }
      const element = elementOf(operand)
      if (element === null) return false
      if (pattern.element.kind !== 'variable') return collect(pattern.element, element, into)
      // The element goes first, because arrays are not converted: the common type takes the names of struct fields from it.
      into.set(pattern.element.letter, [element, ...(into.get(pattern.element.letter) ?? [])])
      return true
    }
    case 'struct': {
      if (operand.kind === 'null') return true
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

/** The type of each letter: the common type of the operands collected for it; null when one letter has no common type. */
function typesOfLetters(operandsByLetter: ReadonlyMap<string, readonly Operand[]>): Map<string, Type> | null {
  const types = new Map<string, Type>()
  for (const [letter, operands] of operandsByLetter) {
    const type = supertypeOf(operands)
    if (!type) return null
    types.set(letter, type)
  }
  return types
}

/** The pattern's type; null for ANY, for a letter that no argument determines, and for a struct with unnamed fields. */
export function typeOfPattern(pattern: Pattern, variables: ReadonlyMap<string, Type>): Type | null {
  switch (pattern.kind) {
    case 'type':
      return pattern.type
    case 'variable':
      return variables.get(pattern.letter) ?? null
    case 'array': {
      const element = typeOfPattern(pattern.element, variables)
      return element && arrayOf(element)
    }
    case 'struct': {
      const fields = pattern.fields.flatMap(field => {
        const type = field.name === '' ? null : typeOfPattern(field.pattern, variables)
        return type ? [{ name: field.name, type }] : []
      })
      return fields.length === pattern.fields.length ? structOf(fields) : null
    }
    default:
      return null
  }
}
