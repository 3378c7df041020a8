/** Resolves a call: which signature its arguments fit, what they are coerced to, and what it gives. */
import { coerceTo } from '../coerce.js'
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
} from '../coercion.js'
import type { Expr, LambdaExpr } from '../resolved.js'
import { SqlError } from '../sql-error.js'
import { arrayOf, INT64, STRING, shortTypeName, structOf, type Type } from '../types.js'
import type { FunctionEntry } from './catalogue.js'
import { signaturesOf, supportedBy, symbolOf } from './shown-signature.js'
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

export interface MatchedCall {
  /** By the signature's parameters; null for an optional one that was not given. */
  readonly args: (Expr | null)[]
  readonly type: Type
}

/** A parameter and what was given for it; null for nothing. */
interface Slot {
  readonly parameter: SignatureParameter
  readonly argument: ArgumentSource | null
}

interface Fit {
  readonly signature: Signature
  readonly slots: readonly Slot[]
  readonly variables: ReadonlyMap<string, Type>
  readonly lambdas: ReadonlyMap<ArgumentSource, LambdaExpr>
  readonly cost: Cost
}

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']
const DATE_PARTS: ReadonlySet<string> = new Set([
  ...[
    'NANOSECOND',
    'MICROSECOND',
    'MILLISECOND',
    'SECOND',
    'MINUTE',
    'HOUR',
    'DAY',
    'DAYOFWEEK',
    'DAYOFYEAR',
    'WEEK',
    'ISOWEEK',
  ],
  ...['MONTH', 'QUARTER', 'YEAR', 'ISOYEAR', 'DATE', 'DATETIME', 'TIME'],
  ...WEEKDAYS.map(day => `WEEK_${day}`),
])

/**
 * Takes the signature that needs the least coercion, the first of equals, and coerces the arguments to it.
 *
 * @throws SqlError in BigQuery's words when none fits, or the function itself refuses the arguments.
 */
export function matchCall(
  entry: FunctionEntry,
  args: readonly ArgumentSource[],
  at: number,
  source: string,
): MatchedCall {
  const signatures = signaturesOf(entry)
  for (const { name, at } of args) {
    if (name !== null && !signatures.some(s => s.parameters.some(p => p.name === name))) {
      throw new SqlError(`Named argument ${name} not found in signature for call to ${titleOf(entry)}`, source, at)
    }
  }
  const countable = signatures.flatMap(signature => {
    const slots = assign(signature, args)
    return slots ? [{ signature, slots }] : []
  })
  if (countable.length === 0) {
    throw new SqlError(wrongCount(entry, args), source, at)
  }
  const readable = countable.filter(({ slots }) => slots.every(slot => wordProblem(slot) === null))
  if (readable.length === 0) {
    const problem = countable.flatMap(({ slots }) => slots.flatMap(slot => wordProblem(slot) ?? []))[0]!
    throw new SqlError(problem.message, source, problem.at)
  }
  const fit = bestFit(readable)
  if (!fit) {
    throw new SqlError(noSignature(entry, readable[0]!.slots, args), source, at)
  }
  return finish(entry, fit, at, source)
}

function wrongCount(entry: FunctionEntry, args: readonly ArgumentSource[]): string {
  const signatures = signaturesOf(entry)
  if (signatures.length === 1) return `Number of arguments does not match for ${titleOf(entry)}. ${supportedBy(entry)}`
  if (args.length === 0) return `No matching signature for ${titleOf(entry)} with no arguments. ${supportedBy(entry)}`
  // Where one of the signatures has a word, the argument is one.
  const slots = args.flatMap((argument, i): Slot[] => {
    const parameter = signatures.flatMap(({ parameters }) => parameters[i] ?? []).find(takesWord)
    return parameter ? [{ parameter, argument }] : []
  })
  return noSignature(entry, slots, args)
}

const takesWord = ({ pattern }: SignatureParameter): boolean => pattern.kind === 'part' || pattern.kind === 'word'

function noSignature(entry: FunctionEntry, slots: readonly Slot[], args: readonly ArgumentSource[]): string {
  if (entry.name === '$in') return noSignatureOfIn(args.map(argument => argument.resolve()))
  const types = `argument types: ${shownTypes(slots, args)}`
  // Of some operators the reference implementation names no signature.
  const supported = entry.name === '$in_array' ? '' : `. ${supportedBy(entry)}`
  return `No matching signature for ${titleOf(entry)} for ${types}${supported}`
}

function noSignatureOfIn([operand, ...items]: readonly Expr[]): string {
  const types = [...new Set(items.map(shownType))].sort().join(', ')
  const isLiteral = operandOf(operand!).standing === 'literal'
  return `No matching signature for operator IN for argument types ${isLiteral ? 'literal ' : ''}${shownType(operand!)} and {${types}}`
}

function bestFit(candidates: readonly { signature: Signature; slots: readonly Slot[] }[]): Fit | null {
  let best: Fit | null = null
  for (const { signature, slots } of candidates) {
    const fit = fitTo(signature, slots)
    if (fit && (!best || isCheaper(fit.cost, best.cost))) best = fit
    // The first of equals is taken, and none is cheaper than one that coerces nothing.
    if (best?.cost.every(part => part === 0)) break
  }
  return best
}

function finish(entry: FunctionEntry, fit: Fit, at: number, source: string): MatchedCall {
  const args = fit.slots.map(({ parameter, argument }): Expr | null => {
    if (!argument) return null
    const { pattern } = parameter
    if (pattern.kind === 'part' || pattern.kind === 'word') {
      return { kind: 'word', type: STRING, word: argument.word()!, at: argument.at }
    }
    if (pattern.kind === 'lambda') {
      const lambda = fit.lambdas.get(argument)!
      const type = concrete(pattern.result, fit.variables)
      return type ? { ...lambda, type, body: coerceTo(lambda.body, type, source)! } : lambda
    }
    const expr = argument.resolve()
    const type = concrete(pattern, fit.variables)
    return type ? coerceTo(expr, type, source) : expr
  })
  const declared = concrete(fit.signature.result, fit.variables)
  const problem = entry.check?.(args) ?? null
  if (problem !== null) throw new SqlError(problem, source, at)
  const type = entry.resultType ? entry.resultType(args, declared) : declared
  if (!type) throw new SqlError(`${titleOf(entry)} has no result type for these arguments`, source, at)
  return { args, type }
}

/** What each parameter is given: by position, then by name. Null when there are too few or too many. */
function assign(signature: Signature, args: readonly ArgumentSource[]): Slot[] | null {
  const { parameters } = signature
  const firstNamed = args.findIndex(argument => argument.name !== null)
  const positional = firstNamed < 0 ? args : args.slice(0, firstNamed)
  const named = new Map(args.slice(positional.length).map(argument => [argument.name, argument]))
  if (named.has(null) || named.size < args.length - positional.length) return null

  const repeated = parameters.filter(parameter => parameter.isRepeated).length
  const single = parameters.filter(parameter => !parameter.isRepeated && !parameter.isOptional).length
  const slots: Slot[] = []
  let next = 0
  for (const parameter of parameters) {
    if (parameter.name !== null && named.has(parameter.name)) {
      slots.push({ parameter, argument: named.get(parameter.name)! })
      named.delete(parameter.name)
    } else if (parameter.isRepeated) {
      // Groups of several repeated parameters do not occur; what the others do not need is this one's.
      const count = repeated === 1 ? positional.length - single : 0
      if (count < (parameter.isOptional ? 0 : 1)) return null
      for (let taken = 0; taken < count; taken++) slots.push({ parameter, argument: positional[next++]! })
    } else if (next < positional.length) {
      slots.push({ parameter, argument: positional[next++]! })
    } else if (parameter.isOptional) {
      slots.push({ parameter, argument: null })
    } else return null
  }
  return next === positional.length && named.size === 0 ? slots : null
}

function wordProblem({ parameter, argument }: Slot): { message: string; at: number } | null {
  const { pattern } = parameter
  if (!argument || (pattern.kind !== 'part' && pattern.kind !== 'word')) return null
  const word = argument.word()
  const { at } = argument
  if (pattern.kind === 'word') {
    if (word !== null && pattern.words.includes(word)) return null
    return { message: `Argument must be one of ${pattern.words.join(', ')}`, at }
  }
  if (word === null) return { message: 'A valid date part name is required', at }
  return DATE_PARTS.has(word) ? null : { message: `A valid date part name is required but found ${word}`, at }
}

/**
 * A signature of decimals is for calls with such an argument: `1 / 2` is FLOAT64, although NUMERIC is nearer to INT64.
 * Source: the constraints HasNumericTypeArgument and HasBigNumericTypeArgument of the reference implementation.
 */
const DECIMALS = ['NUMERIC', 'BIGNUMERIC'] as const

const numberKind = (type: Type): Type['kind'] => (type.kind === 'ARRAY' ? numberKind(type.element) : type.kind)

function fitTo(signature: Signature, slots: readonly Slot[]): Fit | null {
  const collected = new Map<string, Operand[]>()
  const operands = new Map<ArgumentSource, Operand>()
  const given = slots.flatMap(({ parameter: { pattern }, argument }) => (argument ? [{ pattern, argument }] : []))
  for (const { pattern, argument } of given) {
    if (pattern.kind === 'part' || pattern.kind === 'word' || pattern.kind === 'lambda') continue
    if (argument.isLambda) return null
    const operand = operandOf(argument.resolve())
    operands.set(argument, operand)
    if (!collect(pattern, operand, collected)) return null
  }
  const types = given.flatMap(({ pattern }) => (pattern.kind === 'type' ? [numberKind(pattern.type)] : []))
  const kinds = [...operands.values()].map(operand => numberKind(operand.type))
  if (DECIMALS.some(kind => types.includes(kind) && !kinds.includes(kind))) return null
  const lambdas = new Map<ArgumentSource, LambdaExpr>()
  for (const { pattern, argument } of given) {
    if (pattern.kind !== 'lambda') continue
    const known = settle(collected)
    const parameterTypes = known && pattern.parameters.map(parameter => concrete(parameter, known))
    if (!parameterTypes?.every(type => type !== null)) return null
    const lambda = argument.resolveLambda(parameterTypes as Type[])
    if (!lambda || !collect(pattern.result, operandOf(lambda.body), collected)) return null
    lambdas.set(argument, lambda)
  }
  const variables = settle(collected)
  if (!variables) return null
  const cost = sumOfCosts(
    given.map(({ pattern, argument }) => {
      if (pattern.kind === 'part' || pattern.kind === 'word') return NO_COST
      const lambda = lambdas.get(argument)
      const operand = lambda ? operandOf(lambda.body) : operands.get(argument)!
      const type = concrete(pattern.kind === 'lambda' ? pattern.result : pattern, variables)
      if (!type) return NO_COST
      const cost = coercionCost(operand, type)
      // What a letter stands for was made of the arguments themselves; a NULL among them costs nothing.
      return cost && operand.standing === 'null' && pattern.kind !== 'type' ? NO_COST : cost
    }),
  )
  return cost && { signature, slots, variables, lambdas, cost }
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
function concrete(pattern: Pattern, variables: ReadonlyMap<string, Type>): Type | null {
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

function shownTypes(slots: readonly Slot[], args: readonly ArgumentSource[]): string {
  return args
    .map(argument => {
      const kind = slots.find(slot => slot.argument === argument)?.parameter.pattern.kind
      if (kind === 'part') return 'DATE_TIME_PART'
      if (kind === 'word') return argument.word() ?? shownType(argument.resolve())
      if (kind === 'lambda' || argument.isLambda) return 'LAMBDA'
      return shownType(argument.resolve())
    })
    .join(', ')
}

/** The type of an expression as messages name it: NULL has none. */
export function shownType(expr: Expr): string {
  const { standing, type } = operandOf(expr)
  if (standing === 'null') return 'NULL'
  return standing === 'empty-array' ? 'ARRAY<>' : shortTypeName(type)
}

function titleOf(entry: FunctionEntry): string {
  if (entry.name.startsWith('$')) return `operator ${symbolOf(entry)}`
  const kind = entry.kind === 'scalar' ? '' : entry.kind === 'aggregate' ? 'aggregate ' : 'analytic '
  return `${kind}function ${entry.name}`
}
