/** Selects from the catalogue the functions that return a value of a type, and the types of their arguments. */
import { allFunctions } from '../../googlesql/functions/all.js'
import type { FunctionEntry } from '../../googlesql/functions/catalogue.js'
import { isVolatileCall } from '../../googlesql/functions/facts.js'
import { type Pattern, parseSignature, type Signature } from '../../googlesql/functions/signature.js'
import type { Expr } from '../../googlesql/plan/nodes.js'
import { arrayOf, INT64, sameType, structOf, type Type, typeName } from '../../googlesql/types/types.js'
import { type Random, randomOf } from './random.js'
import { randomScalar, randomType } from './random-values.js'

export interface Overload {
  readonly entry: FunctionEntry
  readonly signature: Signature
}
/**
 * Functions that the reference lacks and cannot express otherwise. They are rarely called: their values cannot be compared,
 * only internal errors and time-outs can be found.
 */
export const UNBUILT: ReadonlySet<string> = new Set([
  'ADD_MONTHS',
  'BOOL_ARRAY',
  'EDIT_DISTANCE',
  'FLOAT64_ARRAY',
  'FROM_BASE32',
  'INT64_ARRAY',
  'JSON_CONTAINS',
  'JSON_FLATTEN',
  'JSON_KEYS',
  'LAX_BOOL_ARRAY',
  'LAX_FLOAT64_ARRAY',
  'LAX_INT64_ARRAY',
  'LAX_STRING_ARRAY',
  'MONTHS_BETWEEN',
  'NET.IP_IN_NET',
  'NET.MAKE_NET',
  'NEXT_DAY',
  'SEARCH',
  'STRING_ARRAY',
  'TO_BASE32',
  'APPROX_QUANTILES',
  'APPROX_TOP_COUNT',
  'APPROX_TOP_SUM',
])

/** Functions that the reference does not finish for decimals. */
const isEndless = ({ entry, signature }: Overload): boolean =>
  /^(LN|LOG|LOG10|EXP|POW|SQRT)$/.test(entry.name) &&
  signature.result.kind === 'type' &&
  signature.result.type.kind !== 'FLOAT64'

/** The types of the letters of a signature. */
export type Bindings = Map<string, Type>

export const OVERLOADS: readonly Overload[] = allFunctions().flatMap(entry =>
  entry.signatures.map(text => ({ entry, signature: parseSignature(text) })),
)
export const SCALAR_OVERLOADS = OVERLOADS.filter(one => one.entry.kind === 'scalar' && !isEndless(one))
export const AGGREGATE_OVERLOADS = OVERLOADS.filter(({ entry }) => entry.kind === 'aggregate')
export const WINDOW_OVERLOADS = OVERLOADS.filter(({ entry }) => entry.kind === 'window')

/** Whether a value of `type` matches the pattern; binds the letters of the pattern. */
function fits(pattern: Pattern, type: Type, bindings: Bindings): boolean {
  switch (pattern.kind) {
    case 'type':
      return sameType(pattern.type, type)
    case 'variable': {
      const bound = bindings.get(pattern.letter)
      if (bound) return sameType(bound, type)
      bindings.set(pattern.letter, type)
      return true
    }
    case 'array':
      return type.kind === 'ARRAY' && fits(pattern.element, type.element, bindings)
    default:
      return false
  }
}

const producing = new Map<string, readonly Overload[]>()

/** The scalar overloads whose result can have the type, without those in UNBUILT. */
export function scalarsThatGive(type: Type): readonly Overload[] {
  const name = typeName(type)
  const known = producing.get(name)
  if (known) return known
  const found = SCALAR_OVERLOADS.filter(
    ({ entry, signature }) => !UNBUILT.has(entry.name) && fits(signature.result, type, new Map()),
  )
  producing.set(name, found)
  return found
}

/** The type of a parameter; letters that are not bound yet are bound to random types. */
export function typeOfPattern(pattern: Pattern, bindings: Bindings, random: Random): Type {
  switch (pattern.kind) {
    case 'type':
      return pattern.type
    case 'variable': {
      const bound = bindings.get(pattern.letter)
      if (bound) return bound
      const type = randomType(random)
      bindings.set(pattern.letter, type)
      return type
    }
    case 'any':
      return randomType(random)
    case 'array': {
      const element = typeOfPattern(pattern.element, bindings, random)
      // The language has no arrays of arrays.
      if (element.kind !== 'ARRAY') return arrayOf(element)
      if (pattern.element.kind === 'variable') bindings.set(pattern.element.letter, element.element)
      return element
    }
    case 'struct':
      return structOf(
        pattern.fields.map(field => ({ name: field.name, type: typeOfPattern(field.pattern, bindings, random) })),
      )
    default:
      return INT64
  }
}

/**
 * Binds the letters to types that the entry's own check accepts (MAX refuses an ARRAY). After several attempts any types are
 * taken, because a refusal can be compared too.
 */
export function boundTypes({ entry, signature }: Overload, wanted: Type | null, random: Random): Bindings {
  for (let attempt = 0; ; attempt++) {
    const bindings: Bindings = new Map()
    if (wanted) fits(signature.result, wanted, bindings)
    const types = signature.parameters.map(({ pattern }) => typeOfPattern(pattern, bindings, random))
    if (attempt === 6 || !isRefused(entry, types, signature)) return bindings
  }
}

/** Whether a call that returns this type passes the entry's own check; rarely also true for a call that does not pass. */
export function mayGive(overload: Overload, wanted: Type, random: Random): boolean {
  const bindings: Bindings = new Map()
  fits(overload.signature.result, wanted, bindings)
  const isArrayOfArrays = overload.signature.parameters.some(
    ({ pattern }) =>
      pattern.kind === 'array' &&
      pattern.element.kind === 'variable' &&
      bindings.get(pattern.element.letter)?.kind === 'ARRAY',
  )
  if (isArrayOfArrays) return false
  const types = overload.signature.parameters.map(({ pattern }) => typeOfPattern(pattern, bindings, random))
  return !isRefused(overload.entry, types, overload.signature) || random.chance(0.02)
}

function isRefused(entry: FunctionEntry, types: readonly Type[], signature: Signature): boolean {
  if (!entry.check) return false
  const args = types.map((type, i) =>
    signature.parameters[i]!.pattern.kind === 'part' ? null : ({ kind: 'parameter', type } as unknown as Expr),
  )
  try {
    const refused = entry.check(args, isVolatileCall, args) ?? ''
    const reason = typeof refused === 'string' ? refused : refused.reason
    return /not defined|(?:must|does not) support|must not be an array/.test(reason)
  } catch {
    return false
  }
}

/** The type of an overload's result with these bindings; a random scalar type for ANY. */
export const resultOf = ({ signature }: Overload, bindings: Bindings, random: Random = randomOf(0)): Type =>
  signature.result.kind === 'any' ? randomScalar(random) : typeOfPattern(signature.result, bindings, random)
