/** Advice on what to write instead, for authors who know another SQL dialect or are new to SQL. */
import { isKeyword } from '../lex/keywords.js'
import type { MistakeData, SqlMistake, SyntaxForm } from '../mistakes.js'
import { offsetOf, type SqlProblem } from '../sql-error.js'
import { nearest } from '../suggest.js'
import { CHARACTERS } from './characters.js'
import {
  type Advice,
  type Adviser,
  type Context,
  callAround,
  clauseAround,
  contextAt,
  didYouMean,
  isText,
  type Proposal,
} from './context.js'
import * as firstSteps from './first-steps.js'
import { DATE_PARTS, FUNCTIONS, meantType, TYPE_NAMES } from './foreign-names.js'
import * as syntax from './syntax.js'
import { commonTypeAdvice, conditionAdvice, exampleAdvice, mismatchedTypes } from './types.js'

/** A message with advice, and what it proposes to write. */
export interface AdvisedMessage extends Omit<Proposal, 'text'> {
  readonly message: string
}

/** The message of a problem, followed by advice if there is any. `parameters` are the names of the declared parameters. */
export function withAdvice(problem: SqlProblem, source: string, parameters: Iterable<string> = []): AdvisedMessage {
  const { message, mistake } = problem
  const names = new Set([...parameters].map(name => name.toLowerCase()))
  const place = contextAt(mistake, source, offsetOf(source, problem), names)
  const advice =
    unclosedBracket(problem, source) ??
    (mistake && byCode(mistake, place)) ??
    syntax.reservedWord(place) ??
    syntax.textForNumber(place) ??
    (mistake?.code === 'syntax' ? syntaxAdvice(mistake, place) : null)
  if (advice === null) return { message, ...(mistake?.meant !== undefined && { meant: mistake.meant }) }
  // The hint, such as a similar name or a list of signatures, is left out: beside the advice it would mislead.
  const summary = message.slice(0, message.length - (mistake?.hint?.length ?? 0))
  const { text, ...proposal } = typeof advice === 'string' ? { text: advice } : advice
  return { message: `${summary}; ${text}`, ...proposal }
}

/**
 * The offset of the mistake. A missing closing bracket is reported at the token that follows; if that token is on a later line,
 * this function returns the offset of the opening bracket instead.
 */
export function blamedOffset(problem: SqlProblem, source: string): number {
  const { mistake } = problem
  const offset = offsetOf(source, problem)
  if (mistake?.code !== 'syntax' || (mistake.expected[0] !== ')' && mistake.expected[0] !== ']')) return offset
  const { preceding, token } = contextAt(mistake, source, offset, new Set())
  // A word that is not a keyword, such as FRMO, is itself the mistake.
  if (token?.kind !== 'end' && !(token?.kind === 'identifier' && isKeyword(token.term))) return offset
  const last = preceding.at(-1)
  if (last === undefined || !source.slice(last.end, offset).includes('\n')) return offset
  const openBrackets: number[] = []
  for (const { term, at } of preceding) {
    if (term === '(' || term === '[') openBrackets.push(at)
    else if (term === ')' || term === ']') openBrackets.pop()
  }
  return openBrackets.at(-1) ?? offset
}

function unclosedBracket(problem: SqlProblem, source: string): string | null {
  const at = blamedOffset(problem, source)
  return at === offsetOf(source, problem) ? null : `this "${source[at]}" is never closed`
}

/** The advice on each code. */
const BY_CODE: { [Code in keyof MistakeData]?: (mistake: MistakeOf<Code>, place: Context) => Advice } = {
  syntax: ({ form, expected }, place) =>
    form === 'expected' ? firstSteps.expectedInstead(place, expected[0]) : (BY_FORM[form]?.(place) ?? null),
  'star-argument': (_, { token }) => `write COUNT(*) for the number of rows, or ${token?.term ?? 'SUM'}(column)`,
  'argument-count': ({ name }, place) => firstSteps.argumentCount(name, place),
  'ungrouped-column': ({ name }, { source }) =>
    /\bGROUP\s+BY\b/i.test(source) ? `add ${name} to GROUP BY, or write MAX(${name})` : null,
  'no-fields': ({ field, isArrayOfStructs }, place) =>
    firstSteps.fieldAsTable(field, place) ?? syntax.noFields(field, isArrayOfStructs, place),
  'unknown-table': ({ name, hint }, place) => (hint === undefined ? firstSteps.arrayAsTable(name, place) : null),
  'unknown-function': ({ name }) => foreignFunction(name.toUpperCase()),
  'unknown-type': ({ name, meant }) => (meant === undefined ? foreignType(name) : null),
  'unknown-name': ({ name, meant }, place) => unknownName(name, meant, place),
  'no-date-part': ({ word: part }, place) => datePart(part, place),
  'unsupported-date-part': ({ name, part, type }) => partOfDate(name, part, type),
  'interval-value': (_, place) => interval(place),
  'extract-from-text': () => "write the type before the text: TIMESTAMP '2026-01-31 12:00:00'",
  'null-operand': ({ operator }) => syntax.nullOperand(operator),
  'ambiguous-column': (_, { token }) => token && `write its table, or the alias of that, before it: t.${token.text}`,
  'duplicate-alias': () => 'give one of the two another name with AS',
  'no-signature': mismatchedTypes,
  'no-common-type': ({ types: typeNames }) => commonTypeAdvice(typeNames),
  'not-a-condition': ({ type }) => conditionAdvice(type),
  literal: ({ type }, place) => exampleAdvice(type, place),
  'misplaced-aggregate': ({ clause }) =>
    clause === 'WHERE clause' ? 'conditions on groups stand in HAVING, after GROUP BY' : null,
  'second-query': (_, { preceding }) =>
    preceding.at(-1)?.term === ';' ? 'delete what is after the semicolon, or make it an endpoint of its own' : null,
}
const BY_FORM: Partial<Record<SyntaxForm, Adviser>> = { ...CHARACTERS, unexpected: firstSteps.misplaced }

type MistakeOf<Code extends keyof MistakeData> = Extract<SqlMistake, { readonly code: Code }>

const byCode = <Code extends keyof MistakeData>(mistake: MistakeOf<Code>, place: Context): Advice =>
  (BY_CODE[mistake.code as Code] as ((mistake: MistakeOf<Code>, place: Context) => Advice) | undefined)?.(
    mistake,
    place,
  ) ?? null

/** Advice on syntax that neither the form of the mistake nor a reserved word explains. */
function syntaxAdvice({ form, expected: [expected] }: MistakeOf<'syntax'>, place: Context): Advice {
  const isExpected = form === 'expected'
  const ends = expected === 'end of input'
  return (
    syntax.foreignSyntax(place, form, expected) ??
    (form === 'unexpected' ? syntax.mistypedBeginning(place) : null) ??
    (isExpected ? syntax.mistypedClause(place) : null) ??
    (ends ? firstSteps.wordsOfName(place) : null) ??
    (ends || expected === ')' ? syntax.missingBetween(place) : null)
  )
}

const foreignFunction = (name: string): string | null =>
  Object.hasOwn(FUNCTIONS, name) ? `write ${FUNCTIONS[name]}` : null

function foreignType(name: string): Advice {
  const meant = meantType(name)
  return meant === undefined ? `the types are ${TYPE_NAMES.join(', ')}` : didYouMean(meant)
}

function partOfDate(name: string, part: string, type: string): string | null {
  if (type === 'DATE') {
    return /SECOND|MINUTE|HOUR/.test(part)
      ? `a DATE has no time of day: write ${name.startsWith('TIMESTAMP') ? 'TIMESTAMP' : 'DATETIME'}(…) around it`
      : null
  }
  const isSum = /_(ADD|SUB)$/.test(name)
  if (type !== 'TIMESTAMP' || !isSum) return null
  return `write TIMESTAMP(DATETIME_${name.slice(-3)}(DATETIME(…), INTERVAL 1 ${part}))`
}

const interval: Adviser = ({ token, following, parameters }) => {
  const isParameter =
    token?.term === 'INTERVAL' && following[0]?.term === '@' && parameters.has(following[1]?.text.toLowerCase() ?? '')
  return isParameter ? `declare @${following[1]!.text} as int64` : 'write CAST(… AS INT64) around the STRING'
}

const isPart = (word: string): boolean => DATE_PARTS.includes(word.toUpperCase().replace(/S$/, ''))

/** Advice on a date part that is misspelt, in quotes, or before the values. */
function datePart(part: string | null, place: Context): Advice {
  const { token, preceding } = place
  if (preceding.at(-1)?.term === 'INTERVAL') return token && syntax.intervalInQuotes(token)
  const call = callAround(place)
  if (call && call.first !== token && isPart(call.first.text))
    return 'the part comes last, without quotes: (value, DAY)'
  if (token && isText(token)) return syntax.partInQuotes(token)
  if (part === null) return null
  const meant = nearest(part, DATE_PARTS)
  return meant === undefined ? `the parts are ${DATE_PARTS.join(', ')}` : didYouMean(meant)
}

/**
 * Advice on an unknown name that is a parameter, a date part, the alias of a column, or the first half of a name with a dash.
 */
function unknownName(name: string, similar: string | undefined, place: Context): Advice {
  const { token, preceding, following, parameters, source } = place
  if (!token) return null
  if (isPart(name) && callAround(place)) {
    const isSum = /_(ADD|SUB)$/.test(callAround(place)!.name)
    return isSum
      ? `write INTERVAL 7 ${name.toUpperCase()}`
      : 'the part comes last, after both values: (later, earlier, DAY)'
  }
  if (parameters.has(name.toLowerCase())) return `write @${name} for the parameter`
  const [dash, rest] = following
  if (dash?.term === '-' && dash.at === token.end && rest?.kind === 'identifier' && rest.at === dash.end) {
    return `a name with "-" is quoted with backticks: \`${source.slice(token.at, rest.end)}\``
  }
  if (![token, ...preceding, ...following].some(({ term }) => term === 'FROM')) return 'the query has no FROM'
  const clause = clauseAround(place)
  const aliases = preceding.flatMap(({ term }, i) => (term === 'AS' ? [preceding[i + 1]?.text ?? ''] : []))
  if (clause === 'GROUP' && similar === undefined) {
    const meant = nearest(name, aliases)
    return meant === undefined ? null : { text: `Did you mean ${meant}?`, meant }
  }
  const isAlias = aliases.some(alias => alias.toLowerCase() === name.toLowerCase())
  if (!isAlias || (clause !== 'WHERE' && clause !== 'SELECT')) return null
  return clause === 'WHERE'
    ? `WHERE does not know the columns that SELECT names: repeat the expression of ${name}`
    : `a column cannot use the name that another column gets: repeat the expression of ${name}`
}
