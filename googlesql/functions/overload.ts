/** Resolves a call: the signature that its arguments match, their coerced expressions, and the type of the result. */

import type { Expr } from '../plan/nodes.js'
import { SqlError } from '../sql-error.js'
import { coerceTo } from '../types/apply-coercion.js'
import { operandOf } from '../types/coercion-rules.js'
import { STRING, shortTypeName } from '../types/types.js'
import type { ArgRefusal, FunctionEntry } from './catalogue.js'
import { DATE_PARTS } from './definitions/date-parts.js'
import { isVolatileCall } from './facts.js'
import {
  type ArgumentSource,
  bestCandidate,
  type Candidate,
  type Slot,
  takesWord,
  typeOfPattern,
} from './overload-candidate.js'
import { signaturesOf, supportedBy, symbolOf } from './shown-signature.js'
import type { Pattern, Signature } from './signature.js'

/**
 * Selects the signature that needs the least coercion (the first of several with equal cost), and coerces the arguments to it.
 *
 * @throws SqlError in BigQuery's words when no signature matches, or the function's own check refuses the arguments
 */
export function resolveOverload(entry: FunctionEntry, args: readonly ArgumentSource[], at: number, source: string) {
  const signatures = signaturesOf(entry)
  for (const { name, at } of args) {
    if (name !== null && !signatures.some(s => s.parameters.some(p => p.name === name))) {
      throw new SqlError(`Named argument ${name} not found in signature for call to ${titleOf(entry)}`, source, at)
    }
  }
  const withRightCount = signatures.flatMap(signature => {
    const slots = assignArguments(signature, args)
    return slots ? [{ signature, slots }] : []
  })
  if (withRightCount.length === 0) {
    throw wrongCount(entry, args, source, at)
  }
  const isByName = (slot: Slot): boolean => namedOnlyProblem(slot) === null
  const unnamed = withRightCount.find(({ slots }) => !slots.every(isByName))?.slots.find(slot => !isByName(slot))
  if (unnamed) throw new SqlError(namedOnlyProblem(unnamed)!, source, unnamed.argument!.at)
  const withKnownWords = withRightCount.filter(({ slots }) => slots.every(slot => wordProblem(slot) === null))
  if (withKnownWords.length === 0) {
    const problem = withRightCount.flatMap(({ slots }) => slots.flatMap(slot => wordProblem(slot) ?? []))[0]!
    throw new SqlError(problem.reason, source, problem.at, problem.mistake)
  }
  const candidate = bestCandidate(withoutTextConstants(entry, withKnownWords), entry.decimalsNeedAll)
  if (!candidate) {
    throw noSignature(entry, withKnownWords[0]!.slots, args, source, at)
  }
  return coerceArguments(entry, candidate, at, source)
}

function withoutTextConstants(
  { notForTextLiterals = [], notForTextConstants = [] }: FunctionEntry,
  candidates: readonly { signature: Signature; slots: readonly Slot[] }[],
): readonly { signature: Signature; slots: readonly Slot[] }[] {
  return candidates.filter(({ signature: { text }, slots }) => {
    if (notForTextConstants.includes(text)) return !slots.some(slot => isText(slot, ['literal', 'parameter']))
    return !notForTextLiterals.includes(text) || !slots.some(slot => isText(slot, ['literal']))
  })
}

function isText({ parameter, argument }: Slot, kinds: readonly Expr['kind'][]): boolean {
  if (takesWord(parameter)) return false
  const expr = argument?.resolve()
  return expr !== undefined && kinds.includes(expr.kind) && expr.type.kind === 'STRING'
}

const COUNT_DIFFERS = ['Number of arguments does not match', '']
const NO_ARGUMENTS = ['No matching signature', ' with no arguments']

function wrongCount(entry: FunctionEntry, args: readonly ArgumentSource[], source: string, at: number): SqlError {
  const signatures = signaturesOf(entry)
  const hint = `. ${supportedBy(entry)}`
  if (signatures.length === 1 || args.length === 0) {
    const [begin, end] = signatures.length === 1 ? COUNT_DIFFERS : NO_ARGUMENTS
    const mistake = { code: 'argument-count', name: entry.name, hint } as const
    return new SqlError(`${begin} for ${titleOf(entry)}${end}${hint}`, source, at, mistake)
  }
  // If any signature has a date part or keyword at this position, the message shows the argument as such a word.
  const slots = args.flatMap((argument, i): Slot[] => {
    const parameter = signatures.flatMap(({ parameters }) => parameters[i] ?? []).find(takesWord)
    return parameter ? [{ parameter, argument }] : []
  })
  return noSignature(entry, slots, args, source, at)
}

function noSignature(
  entry: FunctionEntry,
  slots: readonly Slot[],
  args: readonly ArgumentSource[],
  source: string,
  at: number,
): SqlError {
  const isIn = entry.name === '$in'
  const types = isIn ? typesOfIn(args) : shownTypes(slots, args)
  const list = isIn ? ` ${listOfIn(args, types)}` : `: ${types.join(', ')}`
  // The reference implementation lists no signatures for IN and IN UNNEST.
  const hint = isIn || entry.name === '$in_array' ? '' : `. ${supportedBy(entry)}`
  const reason = `No matching signature for ${titleOf(entry)} for argument types${list}${hint}`
  const isOperator = entry.name.startsWith('$')
  return new SqlError(reason, source, at, {
    code: 'no-signature',
    kind: isOperator ? 'operator' : entry.kind,
    name: isOperator ? symbolOf(entry) : entry.name,
    types,
    takesAny: signaturesOf(entry).some(({ parameters }) => parameters.some(({ pattern }) => takesAny(pattern))),
    hint,
  })
}

const takesAny = ({ kind }: Pattern): boolean => kind === 'any' || kind === 'variable'

/** The type of the operand, then the distinct types of the list. */
function typesOfIn([operand, ...items]: readonly ArgumentSource[]): readonly string[] {
  return [shownType(operand!.resolve()), ...new Set(items.map(item => shownType(item.resolve())).sort())]
}

function listOfIn([operand]: readonly ArgumentSource[], [type, ...types]: readonly string[]): string {
  const isLiteral = operandOf(operand!.resolve()).kind === 'literal'
  return `${isLiteral ? 'literal ' : ''}${type} and {${types.join(', ')}}`
}

/** The arguments, coerced, in the order of the signature's parameters, and the type of the result. */
function coerceArguments(entry: FunctionEntry, candidate: Candidate, at: number, source: string) {
  const args = candidate.slots.map(({ parameter, argument }): Expr | null => {
    if (!argument) return null
    const { pattern } = parameter
    if (pattern.kind === 'part' || pattern.kind === 'word') {
      return { kind: 'word', type: STRING, word: argument.word()!, at: argument.at }
    }
    if (pattern.kind === 'lambda') {
      const lambda = candidate.lambdas.get(argument)!
      const type = typeOfPattern(pattern.result, candidate.variables)
      return type ? { ...lambda, type, body: coerceTo(lambda.body, type, source)! } : lambda
    }
    const expr = argument.resolve()
    const type = typeOfPattern(pattern, candidate.variables)
    return type ? coerceTo(expr, type, source) : expr
  })
  const declared = typeOfPattern(candidate.signature.result, candidate.variables)
  const uncoerced = (): readonly (Expr | null)[] =>
    candidate.slots.map(({ argument }, i) =>
      argument && args[i]!.kind !== 'word' && args[i]!.kind !== 'lambda' ? argument.resolve() : null,
    )
  const problem = entry.check?.(args, isVolatileCall, uncoerced()) ?? null
  if (typeof problem === 'string') throw new SqlError(problem, source, at)
  if (problem !== null) throw new SqlError(problem.reason, source, at, problem.mistake)
  const type = entry.resultType ? entry.resultType(args, declared) : declared
  if (!type) throw new SqlError(`${titleOf(entry)} has no result type for these arguments`, source, at)
  return { args, type }
}

/** Shared by all calls without named arguments; it stays empty. */
const NO_NAMED = new Map<string | null, ArgumentSource>()

/** The argument of each parameter: by position, then by name. Null when there are too few or too many arguments. */
function assignArguments(signature: Signature, args: readonly ArgumentSource[]): Slot[] | null {
  const { parameters } = signature
  const firstNamed = args.findIndex(argument => argument.name !== null)
  const positional = firstNamed < 0 ? args : args.slice(0, firstNamed)
  const named = firstNamed < 0 ? NO_NAMED : new Map(args.slice(firstNamed).map(argument => [argument.name, argument]))
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
      // No signature has several repeated parameters: this one takes every argument that the others do not need.
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

function namedOnlyProblem({ parameter: { name, isNamedOnly }, argument }: Slot): string | null {
  if (!isNamedOnly || !argument || argument.name !== null) return null
  return `Positional argument is invalid because this function restricts that this argument is referred to by name "${name}" only`
}

function wordProblem({ parameter, argument }: Slot): (Partial<ArgRefusal> & { reason: string; at: number }) | null {
  const { pattern } = parameter
  if (!argument || (pattern.kind !== 'part' && pattern.kind !== 'word')) return null
  const word = argument.word()
  const { at } = argument
  if (pattern.kind === 'word') {
    if (word !== null && pattern.words.includes(word)) return null
    return { reason: `Argument must be one of ${pattern.words.join(', ')}`, at }
  }
  if (word !== null && DATE_PARTS.has(word)) return null
  const reason = `A valid date part name is required${word === null ? '' : ` but found ${word}`}`
  return { reason, at, mistake: { code: 'no-date-part', word } }
}

function shownTypes(slots: readonly Slot[], args: readonly ArgumentSource[]): readonly string[] {
  return args.map(argument => {
    const kind = slots.find(slot => slot.argument === argument)?.parameter.pattern.kind
    if (kind === 'part') return 'DATE_TIME_PART'
    if (kind === 'word') return argument.word() ?? shownType(argument.resolve())
    if (kind === 'lambda' || argument.isLambda) return 'LAMBDA'
    return shownType(argument.resolve())
  })
}

/** The type of an expression as messages name it: `NULL` for an untyped NULL, `ARRAY<>` for an untyped empty array. */
export function shownType(expr: Expr): string {
  const { kind, type } = operandOf(expr)
  if (kind === 'null') return 'NULL'
  return kind === 'empty-array' ? 'ARRAY<>' : shortTypeName(type)
}

function titleOf(entry: FunctionEntry): string {
  if (entry.name.startsWith('$')) return `operator ${symbolOf(entry)}`
  const kind = entry.kind === 'scalar' ? '' : entry.kind === 'aggregate' ? 'aggregate ' : 'analytic '
  return `${kind}function ${entry.name}`
}
