/** Advice on what to write instead, for authors who know another SQL dialect or are new to SQL. */
import { nearest } from '../suggest.js'
import { characters } from './characters.js'
import { firstSteps, wordsOfName } from './first-steps.js'
import { DATE_PARTS, FUNCTIONS, meantType, TYPE_NAMES } from './foreign-names.js'
import { type Adviser, callAround, clauseAround, findTokens, isText } from './found.js'
import { missingBetween, mistypedClause, ofPart, reservedWord, syntaxOfOthers } from './syntax.js'
import { types } from './types.js'

/**
 * The reason, followed by advice on what to write instead where an adviser has any. `offset` is the place of the mistake in
 * `source`; `parameters` are the names of the declared parameters.
 */
export function withAdvice(reason: string, source: string, offset: number, parameters: Iterable<string> = []): string {
  const names = new Set([...parameters].map(name => name.toLowerCase()))
  const found = findTokens(reason, source, offset, names)
  for (const advise of ADVISERS) {
    const advice = advise(found)
    // Beside the advice, a suggestion of a similar function name and the list of signatures would mislead.
    if (advice !== null) return `${reason.replace(BESIDES, '')}; ${advice}`
  }
  return reason
}

/**
 * The offset of the mistake. A missing closing bracket is reported at the token that follows; if that token is on a later line,
 * this function returns the offset of the opening bracket instead.
 */
export function blamedOffset(reason: string, source: string, offset: number): number {
  // A word that is not a keyword, such as FRMO, is itself the mistake.
  if (!/^Syntax error: Expected "[)\]]".* but got (?:keyword|end of)/.test(reason)) return offset
  const { before } = findTokens(reason, source, offset, new Set())
  const last = before.at(-1)
  if (last === undefined || !source.slice(last.end, offset).includes('\n')) return offset
  const opened: number[] = []
  for (const { term, at } of before) {
    if (term === '(' || term === '[') opened.push(at)
    else if (term === ')' || term === ']') opened.pop()
  }
  return opened.at(-1) ?? offset
}

const unclosedBracket: Adviser = ({ reason, source, offset }) => {
  const at = blamedOffset(reason, source, offset)
  return at === offset ? null : `this "${source[at]}" is never closed`
}

const unnestInParentheses: Adviser = ({ reason, before }) =>
  /^Syntax error: Unexpected keyword UNNEST/.test(reason) && before.at(-1)?.term === '(' && before.at(-2)?.term === 'IN'
    ? 'write IN UNNEST(array), without parentheses around UNNEST'
    : null

const BESIDES = /; Did you mean [^?]*\?$|\. Supported signatures?: .*$/

const foreignFunction: Adviser = ({ reason }) => {
  const name = /^Function not found: ([\w.]+)/.exec(reason)?.[1]?.toUpperCase() ?? ''
  return Object.hasOwn(FUNCTIONS, name) ? `write ${FUNCTIONS[name]}` : null
}

const foreignType: Adviser = ({ reason }) => {
  const name = /^Type not found: (\w+)/.exec(reason)?.[1]?.toUpperCase()
  if (name === undefined || reason.includes('Did you mean')) return null
  const meant = meantType(name)
  return meant === undefined ? `the types are ${TYPE_NAMES.join(', ')}` : `did you mean ${meant}?`
}

const partOfDate: Adviser = ({ reason }) => {
  const [, name = '', part = '', type] =
    /^(\w+) does not support the (\w+).* date part when the argument is (\w+) type/.exec(reason) ?? []
  if (type === 'DATE') {
    return /SECOND|MINUTE|HOUR/.test(part)
      ? `a DATE has no time of day: write ${name.startsWith('TIMESTAMP') ? 'TIMESTAMP' : 'DATETIME'}(…) around it`
      : null
  }
  const isSum = /_(ADD|SUB)$/.test(name)
  if (type !== 'TIMESTAMP' || !isSum) return null
  return `write TIMESTAMP(DATETIME_${name.slice(-3)}(DATETIME(…), INTERVAL 1 ${part}))`
}

const interval: Adviser = ({ reason, token, after, parameters }) => {
  if (!/^Invalid interval literal\. Expected INTERVAL keyword/.test(reason)) return null
  const isParameter =
    token?.term === 'INTERVAL' && after[0]?.term === '@' && parameters.has(after[1]?.text.toLowerCase() ?? '')
  return isParameter ? `declare @${after[1]!.text} as int64` : 'write CAST(… AS INT64) around the STRING'
}

const textInExtract: Adviser = ({ reason }) =>
  /^EXTRACT does not support literal STRING/.test(reason)
    ? "write the type before the text: TIMESTAMP '2026-01-31 12:00:00'"
    : null

const isPart = (word: string): boolean => DATE_PARTS.includes(word.toUpperCase().replace(/S$/, ''))

/** Advice on a date part that is misspelt, in quotes, or before the values. */
const datePart: Adviser = found => {
  const { reason, token } = found
  const match = /^A valid date part name is required(?: but found (\w+))?/.exec(reason)
  if (match === null || found.before.at(-1)?.term === 'INTERVAL') return null
  const call = callAround(found)
  if (call && call.first !== token && (isText(call.first) || isPart(call.first.text)) && isPart(call.first.text)) {
    return 'the part comes last, without quotes: (value, DAY)'
  }
  if (token && isText(token)) return ofPart(token)
  const part = match[1]
  if (part === undefined) return null
  const meant = nearest(part, DATE_PARTS)
  return meant === undefined ? `the parts are ${DATE_PARTS.join(', ')}` : `did you mean ${meant}?`
}

/**
 * Advice on an unknown name that is a parameter, a date part, the alias of a column, or the first half of a name with a dash.
 */
const unknownName: Adviser = found => {
  const { reason, token, before, after, parameters, source } = found
  const name = /^Unrecognized name: (\w+)/.exec(reason)?.[1]
  if (name === undefined || !token) return null
  if (isPart(name) && callAround(found)) {
    const isSum = /_(ADD|SUB)$/.test(callAround(found)!.name)
    return isSum
      ? `write INTERVAL 7 ${name.toUpperCase()}`
      : 'the part comes last, after both values: (later, earlier, DAY)'
  }
  if (parameters.has(name.toLowerCase())) return `write @${name} for the parameter`
  const [dash, rest] = after
  if (dash?.term === '-' && dash.at === token.end && rest?.kind === 'identifier' && rest.at === dash.end) {
    return `a name with "-" is quoted with backticks: \`${source.slice(token.at, rest.end)}\``
  }
  if (![token, ...before, ...after].some(({ term }) => term === 'FROM')) return 'the query has no FROM'
  const clause = clauseAround(found)
  const aliases = before.flatMap(({ term }, i) => (term === 'AS' ? [before[i + 1]?.text ?? ''] : []))
  if (clause === 'GROUP' && !reason.includes('Did you mean')) {
    const meant = nearest(name, aliases)
    return meant === undefined ? null : `Did you mean ${meant}?`
  }
  const isAlias = aliases.some(alias => alias.toLowerCase() === name.toLowerCase())
  if (!isAlias || (clause !== 'WHERE' && clause !== 'SELECT')) return null
  return clause === 'WHERE'
    ? `WHERE does not know the columns that SELECT names: repeat the expression of ${name}`
    : `a column cannot use the name that another column gets: repeat the expression of ${name}`
}

const aggregateInWhere: Adviser = ({ reason }) =>
  /^Aggregate function \w+ not allowed in WHERE clause/.test(reason)
    ? 'conditions on groups stand in HAVING, after GROUP BY'
    : null

const secondQuery: Adviser = ({ reason, before }) =>
  /^Only one query /.test(reason) && before.at(-1)?.term === ';'
    ? 'delete what is after the semicolon, or make it an endpoint of its own'
    : null

/** Each adviser handles one kind of mistake; the first that returns advice is used. */
const ADVISERS: readonly Adviser[] = [
  unclosedBracket,
  unnestInParentheses,
  firstSteps,
  characters,
  foreignFunction,
  foreignType,
  datePart,
  partOfDate,
  interval,
  textInExtract,
  reservedWord,
  syntaxOfOthers,
  types,
  unknownName,
  aggregateInWhere,
  secondQuery,
  ({ reason, token, after }) =>
    /^Could not cast literal "/.test(reason) && token !== null && after[0]?.term === '+'
      ? 'join texts with || or CONCAT'
      : null,
  mistypedClause,
  wordsOfName,
  missingBetween,
]
