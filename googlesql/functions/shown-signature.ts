/** Signatures as BigQuery's messages write them: `Supported signatures: SUM(INT64); SUM(FLOAT64)`. */
import { memo } from '../memo.js'
import { typeName } from '../types/types.js'
import type { FunctionEntry } from './catalogue.js'
import { OPERATOR_SYMBOLS } from './definitions/operators.js'
import { type Pattern, parseSignature, type Signature, type SignatureParameter } from './signature.js'

const parsedSignatures = new WeakMap<FunctionEntry, readonly Signature[]>()

/** The signatures of an entry, parsed once. */
export const signaturesOf = (entry: FunctionEntry): readonly Signature[] =>
  memo(parsedSignatures, entry, () => entry.signatures.map(parseSignature))

/** The symbol that authors write for an operator: `+`, `NOT`. */
export const symbolOf = (entry: FunctionEntry): string =>
  OPERATOR_SYMBOLS[entry.name] ?? entry.name.slice(1).toUpperCase().replaceAll('_', ' ')

/** The end of a message about a call that no signature matches: `Supported signature: NOT (BOOL)`. */
export function supportedBy(entry: FunctionEntry): string {
  const signatures = Object.hasOwn(SPECIAL, entry.name) ? [SPECIAL[entry.name]!] : shownSignatures(entry)
  return `Supported signature${signatures.length === 1 ? '' : 's'}: ${signatures.join('; ')}`
}

/** Operators whose signatures messages write in a special way. */
const SPECIAL: Readonly<Record<string, string>> = {
  $and: 'BOOL AND ([BOOL, ...])',
  $or: 'BOOL OR ([BOOL, ...])',
  $not: 'NOT (BOOL)',
  $between: '(ANY) BETWEEN (ANY) AND (ANY)',
  $is_true: '(BOOL) IS TRUE',
  $is_false: '(BOOL) IS FALSE',
}

function shownSignatures(entry: FunctionEntry): string[] {
  const all = signaturesOf(entry)
  // A signature of ANY beside other signatures is not shown: it only lets the entry's check refuse the call in its own words.
  const typed = all.filter(({ parameters }) => !parameters.every(({ pattern }) => pattern.kind === 'any'))
  const shown = floatsBeforeDecimals(entry, typed.length > 0 ? typed : all)
  return shown.map(({ parameters }) => {
    const types = parameters.map(shownParameter)
    if (!entry.name.startsWith('$')) return `${entry.name}(${types.join(', ')})`
    return types.length === 2 ? `${types[0]} ${symbolOf(entry)} ${types[1]}` : `${symbolOf(entry)}(${types.join(', ')})`
  })
}

/** Puts FLOAT64 ahead of NUMERIC, as the reference implementation lists them for all operators and functions except `-`. */
function floatsBeforeDecimals(entry: FunctionEntry, signatures: readonly Signature[]): readonly Signature[] {
  if (entry.name === '$subtract') return signatures
  const takesFirst =
    (kind: string) =>
    (signature: Signature): boolean =>
      signature.parameters[0]?.pattern.kind === 'type' && signature.parameters[0].pattern.type.kind === kind
  const floats = signatures.filter(takesFirst('FLOAT64'))
  const decimals = signatures.findIndex(takesFirst('NUMERIC'))
  if (decimals < 0) return signatures
  const leading = signatures.slice(0, decimals).filter(signature => !floats.includes(signature))
  const trailing = signatures.slice(decimals).filter(signature => !floats.includes(signature))
  return [...leading, ...floats, ...trailing]
}

function shownParameter({ name, pattern, isOptional, isRepeated }: SignatureParameter): string {
  const type = shownPattern(pattern)
  if (isRepeated) return pattern.kind === 'type' && !isOptional ? `${type}, [${type}, ...]` : `[${type}, ...]`
  if (name !== null) return `[${name} => ${type}]`
  return isOptional ? `[${type}]` : type
}

function shownPattern(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'type':
      return typeName(pattern.type)
    case 'array':
      return pattern.element.kind === 'variable' ? 'ARRAY' : `ARRAY<${shownPattern(pattern.element)}>`
    case 'struct':
      return 'STRUCT'
    case 'part':
      return 'DATE_TIME_PART'
    case 'word':
      return pattern.words.join('|')
    case 'lambda':
      return 'LAMBDA'
    default:
      return 'ANY'
  }
}
