/** Advice where types do not fit each other: which CAST, function or literal makes them fit. */
import type { Token } from '../lex/tokenize.js'
import type { SqlMistake } from '../mistakes.js'
import { type Context, isText } from './context.js'

type Mismatch = Extract<SqlMistake, { readonly code: 'no-signature' }>

const COMPARISONS = new Set('= != <> < > <= >= BETWEEN IN'.split(' '))
const NUMBERS = new Set('INT64 FLOAT64 NUMERIC BIGNUMERIC'.split(' '))
const TIMES = new Set('DATE DATETIME TIMESTAMP TIME'.split(' '))

/** Advice on arguments that no signature of an operator or a function takes. */
export function mismatchedTypes({ kind, name, types: typeNames, takesAny }: Mismatch, place: Context): string | null {
  if (kind === 'operator') return operatorAdvice(name, typeNames, place)
  return kind === 'window' ? null : functionAdvice(name, typeNames, takesAny)
}

function operatorAdvice(name: string, typeNames: readonly string[], place: Context): string | null {
  const [left = '', right = ''] = typeNames
  if (name === 'AND' || name === 'OR' || name === 'NOT') {
    const other = typeNames.find(type => type !== 'BOOL')
    return other === undefined ? null : conditionAdvice(other)
  }
  if (name === 'IN UNNEST') return pairAdvice(left, /^ARRAY<(.*)>$/.exec(right)?.[1] ?? right)
  if (name === 'IN' && right.startsWith('ARRAY<')) return 'write IN UNNEST(array) for the values of an array'
  if (name === '||' && left === 'BOOL') return 'write OR between conditions'
  if (name === 'LIKE') {
    const other = typeNames.find(type => type !== 'STRING' && type !== 'BYTES')
    return other === undefined ? null : `write CAST(… AS STRING) around the ${other}`
  }
  if (COMPARISONS.has(name)) {
    const [[first, ...more]] = operands(name, place)
    if (
      first &&
      more.length === 0 &&
      isText(first) &&
      place.source[first.at] === '"' &&
      /^[a-z_]\w*$/i.test(first.text)
    ) {
      return `double quotes make a text: write ${first.text} without quotes for the column`
    }
    const date = dateWithoutQuotes(name, place)
    if (date !== null && typeNames.some(type => TIMES.has(type))) return `a date is written in quotes: '${date}'`
    const other = typeNames.find(type => type !== left)
    const literal = literalBeside(name, place)
    return other === undefined ? null : (literalAdvice(left, other, literal) ?? operandAdvice(left, other, name, place))
  }
  return name === '+' || name === '-' ? arithmeticAdvice(name, left, right) : numberAdvice(typeNames)
}

/** Advice on operands of two types; if one operand is a parameter, also on the declaration of that parameter. */
function operandAdvice(left: string, right: string, operator: string, place: Context): string {
  const advice = pairAdvice(left, right)
  const parameter = parameterBeside(operator, place)
  const wanted = parameter === null ? null : parameter.isLeft ? right : left
  return wanted === null || !DECLARABLE.has(wanted)
    ? advice
    : `${advice}; or declare @${parameter!.name} as ${wanted.toLowerCase()}`
}
const DECLARABLE = new Set('STRING INT64 FLOAT64 BOOL DATE DATETIME TIMESTAMP'.split(' '))

function pairAdvice(left: string, right: string): string {
  const pair = [left, right]
  const other = (type: string): string => (left === type ? right : left)
  if (pair.some(type => type.startsWith('STRUCT<')))
    return 'a STRUCT, as a whole row is, is compared by one of its fields: write row.field'
  const array = pair.find(type => type.startsWith('ARRAY<'))
  if (array !== undefined) return 'write value IN UNNEST(array) for the values of an array'
  if (pair.includes('JSON')) return "write JSON_VALUE(json, '$.name'), which gives a STRING"
  if (pair.includes('DATE') && TIMES.has(other('DATE'))) return `write DATE(…) around the ${other('DATE')}`
  if (pair.includes('TIMESTAMP') && pair.includes('DATETIME')) {
    return 'write TIMESTAMP(…) around the DATETIME, which takes it as UTC'
  }
  if (pair.includes('BOOL')) return `a BOOL is compared with TRUE or FALSE, not with ${article(other('BOOL'))}`
  const number = pair.find(type => NUMBERS.has(type))
  if (number !== undefined && TIMES.has(other(number))) {
    return other(number) === 'DATE'
      ? "write a date as '2026-01-31'"
      : `write TIMESTAMP_SECONDS(…) or TIMESTAMP_MILLIS(…) around the ${number}`
  }
  if (number !== undefined && pair.includes('STRING')) {
    return `write CAST(… AS STRING) around the ${number}, or SAFE_CAST(… AS ${number}) around the STRING`
  }
  if (pair.includes('BYTES') && pair.includes('STRING')) {
    return 'write SAFE_CONVERT_BYTES_TO_STRING(…) around the BYTES'
  }
  return pair.includes('STRING')
    ? `write SAFE_CAST(… AS ${other('STRING')}) around the STRING`
    : `write CAST(… AS ${left}) around the ${right}`
}

const article = (type: string): string => `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}`

/** Advice to write a literal of the right type instead of a cast; null where that is not possible. */
function literalAdvice(left: string, right: string, literal: Token | null): string | null {
  if (literal === null) return null
  const pair = [left, right]
  if (!pair.includes('STRING')) return null
  const number = pair.find(type => NUMBERS.has(type))
  if (isText(literal) && number !== undefined) {
    return /^\s*-?\d+(\.\d+)?\s*$/.test(literal.text) ? `write the number without quotes: ${literal.text.trim()}` : null
  }
  if (isText(literal) && pair.includes('BOOL') && /^(true|false)$/i.test(literal.text)) {
    return `write ${literal.text.toUpperCase()} without quotes`
  }
  return literal.kind === 'int' || literal.kind === 'float' ? `write the text in quotes: '${literal.text}'` : null
}

/** The tokens from the mistake to the operator, and the tokens after the operator. */
function operands(operator: string, { token, following }: Context): readonly [left: Token[], right: readonly Token[]] {
  const tokens = token ? [token, ...following] : following
  let depth = 0
  const index = tokens.findIndex(({ term }) => {
    if (term === '(') depth++
    if (term === ')') depth--
    return depth === 0 && term === operator
  })
  return index < 0 ? [[], []] : [tokens.slice(0, index), tokens.slice(index + 1)]
}

/**
 * A date without quotes after the operator, such as `2026-01-31`, which SQL reads as a subtraction; null for any other text.
 */
function dateWithoutQuotes(operator: string, place: Context): string | null {
  const [, right] = operands(operator, place)
  const first = right[0]
  return (first && /^\d{4}-\d{1,2}-\d{1,2}\b/.exec(place.source.slice(first.at))?.[0]) ?? null
}

function literalBeside(operator: string, place: Context): Token | null {
  const [left, right] = operands(operator, place)
  const isLiteral = (token: Token | undefined): boolean => ['string', 'int', 'float'].includes(token?.kind ?? '')
  const first = right.find(({ term }) => term !== '(')
  if (isLiteral(first)) return first!
  return left.length === 1 && isLiteral(left[0]) ? left[0]! : null
}

function parameterBeside(operator: string, place: Context): { readonly name: string; readonly isLeft: boolean } | null {
  const [left, right] = operands(operator, place)
  const isDeclared = (name: Token | undefined): name is Token => place.parameters.has(name?.text.toLowerCase() ?? '')
  if (right[0]?.term === '@' && isDeclared(right[1])) return { name: right[1].text, isLeft: false }
  if (left.length === 2 && left[0]!.term === '@' && isDeclared(left[1])) return { name: left[1].text, isLeft: true }
  return null
}

function arithmeticAdvice(name: '+' | '-', left: string, right: string): string | null {
  if (name === '+' && (left === 'STRING' || right === 'STRING')) return 'join texts with || or CONCAT'
  if ((left === 'TIMESTAMP' || left === 'DATETIME') && NUMBERS.has(right)) {
    return `write ${left}_${name === '+' ? 'ADD' : 'SUB'}(…, INTERVAL 7 DAY)`
  }
  if (TIMES.has(left) && TIMES.has(right)) return left === right ? null : pairAdvice(left, right)
  return numberAdvice([left, right])
}

/** Advice on an operator of numbers that has a STRING operand. */
const numberAdvice = (typeNames: readonly string[]): string | null =>
  typeNames.includes('STRING') && typeNames.every(type => type === 'STRING' || NUMBERS.has(type))
    ? 'write SAFE_CAST(… AS INT64) around the STRING'
    : null

function functionAdvice(name: string, typeNames: readonly string[], takesAny: boolean): string | null {
  if ((name === 'SUM' || name === 'AVG') && typeNames[0] === 'STRING') {
    return `write ${name}(SAFE_CAST(… AS NUMERIC)) for texts that are numbers`
  }
  if (/^(DATE|DATETIME|TIMESTAMP|TIME)_(ADD|SUB)$/.test(name) && NUMBERS.has(typeNames[1] ?? '')) {
    return `write an interval: ${name}(…, INTERVAL 7 DAY)`
  }
  if (/_DIFF$/.test(name)) return differenceAdvice(name, typeNames)
  if (name === 'IF' && typeNames[0] !== 'BOOL')
    return `the first argument is a condition: ${conditionAdvice(typeNames[0] ?? '')}`
  return takesAny ? commonTypeAdvice(name === 'IF' ? typeNames.slice(1) : typeNames) : null
}

/** Advice on a function such as DATE_DIFF, whose operands have the type in its name. */
function differenceAdvice(name: string, typeNames: readonly string[]): string | null {
  const type = name.replace('_DIFF', '')
  const other = typeNames.slice(0, 2).find(operand => operand !== type) ?? ''
  if (other === 'STRING') return `write CAST(… AS ${type}) around the STRING`
  // A TIME has no date, and a DATE no time.
  const canCast = [type, other].includes('TIME') ? other === 'DATETIME' || other === 'TIMESTAMP' : TIMES.has(other)
  return canCast ? `write ${type}(…) around the ${other}` : null
}

/** Advice on expressions that must all have one type. */
export function commonTypeAdvice(typeNames: readonly string[]): string | null {
  const [first, second] = new Set(typeNames.filter(type => type !== 'NULL'))
  if (first === undefined || second === undefined) return null
  const advice = NUMBERS.has(first) && second === 'STRING' ? `write CAST(… AS STRING) around the ${first}` : null
  if (advice !== null) return `the values must have one type: ${advice}`
  if (first === 'STRING') return `the values must have one type: write CAST(… AS STRING) around the ${second}`
  return `the values must have one type: ${pairAdvice(first, second)}`
}

export function conditionAdvice(type: string): string {
  if (NUMBERS.has(type)) return `compare the ${type}, as in x != 0`
  return type === 'STRING' ? "compare the STRING, as in x = 'text'" : `compare the ${type}, or test it with IS NOT NULL`
}

const EXAMPLES: Readonly<Record<string, string>> = {
  DATE: "'2026-01-31'",
  DATETIME: "'2026-01-31 12:00:00'",
  TIME: "'12:00:00'",
  TIMESTAMP: "'2026-01-31 12:00:00'",
}

/** Advice on a literal that its type cannot have. */
export function exampleAdvice(type: string, { token, following }: Context): string | null {
  if (token && following[0]?.term === '+') return 'join texts with || or CONCAT'
  const example = EXAMPLES[type]
  return example === undefined ? null : `${article(type)} is written ${example}`
}
