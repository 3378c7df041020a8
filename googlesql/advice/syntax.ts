/** Advice for syntax of another dialect, and for syntax that is nearly right. */
import { isKeyword, RESERVED_KEYWORDS } from '../lex/keywords.js'
import type { Token } from '../lex/tokenize.js'
import type { SyntaxForm } from '../mistakes.js'
import { nearest } from '../suggest.js'
import {
  type Advice,
  type Adviser,
  type Context,
  callAround,
  clauseAround,
  isName,
  isText,
  QUOTED_NAME,
} from './context.js'

const NO_ILIKE = 'BigQuery has no ILIKE: write LOWER(text) LIKE LOWER(pattern)'

/** Where a name is expected, these keywords show that an expression is missing; any other keyword is a name without quotes. */
const CONNECTIVES = new Set('AND OR FROM WHERE ON THEN WHEN ELSE BY JOIN HAVING IN IS LIKE USING BETWEEN AS'.split(' '))
const NAME_FOLLOWS = new Set(
  ['SELECT', ',', '(', 'BY', 'WHERE', 'AND', 'OR', 'ON', '=', '<', '>', '.', 'DISTINCT'].concat('FROM', 'JOIN'),
)

/** Advice on reserved words that have another meaning in another dialect, or in another place of a query. */
const RESERVED_CALLS: Readonly<
  Record<string, (place: Pick<Context, 'preceding' | 'following'> & { readonly token: Token }) => string | null>
> = {
  ANY: ({ following }) =>
    following[0]?.term === '(' ? 'write value IN UNNEST(array) for the values of an array' : null,
  CONTAINS: ({ following }) =>
    following[0]?.term === '(' ? 'write STRPOS(text, part) > 0, or CONTAINS_SUBSTR(text, part) in any case' : null,
  DISTINCT: ({ preceding }) =>
    preceding.at(-1)?.term === ','
      ? 'DISTINCT stands directly after SELECT, or in a function: COUNT(DISTINCT value)'
      : null,
  SELECT: ({ preceding }) => {
    const last = preceding.at(-1)?.term
    if (last === ',' && preceding[0]?.term === 'WITH' && preceding.at(-2)?.term === ')') {
      return 'delete the comma before SELECT: it stands only between table expressions'
    }
    return last === 'AS' && ['WITH', ',', 'RECURSIVE'].includes(preceding.at(-3)?.term ?? '')
      ? 'the query after AS stands in parentheses: WITH name AS (SELECT …)'
      : null
  },
}

/** Advice on a reserved word where the syntax expects a name. */
export const reservedWord: Adviser = ({ mistake, token, preceding, following }) => {
  if (token !== null && Object.hasOwn(RESERVED_CALLS, token.term)) {
    const advice = RESERVED_CALLS[token.term]!({ token, preceding, following })
    if (advice !== null) return advice
  }
  if (token?.kind !== 'identifier' || !RESERVED_KEYWORDS.has(token.term)) return null
  if (mistake?.code !== 'syntax' || (mistake.form !== 'unexpected' && mistake.form !== 'expected')) return null
  const word = token.term
  const last = preceding.at(-1)?.term ?? ''
  const isMissing = CONNECTIVES.has(word) && !['FROM', 'AS'].includes(following[0]?.term ?? '')
  const isClause = following[0]?.term === 'BY' || (word === 'END' && isInCase(preceding))
  const isAName = last === 'AS' || (mistake.form === 'unexpected' && !isMissing && !isClause && NAME_FOLLOWS.has(last))
  return isAName ? `${word} is a reserved word: as a name it is quoted with backticks, \`${token.text}\`` : null
}

const isInCase = (preceding: readonly Token[]): boolean =>
  preceding.filter(({ term }) => term === 'CASE').length > preceding.filter(({ term }) => term === 'END').length

/** Advice on an operand that is a literal NULL. */
export function nullOperand(operator: string): string | null {
  if (operator === '=') return 'write IS NULL'
  return operator === '!=' || operator === '<>' ? 'write IS NOT NULL' : null
}

/** Advice on a number in quotes after LIMIT or OFFSET. */
export const textForNumber: Adviser = ({ token, preceding }) =>
  ['LIMIT', 'OFFSET'].includes(preceding.at(-1)?.term ?? '') && isText(token) && /^\d+$/.test(token!.text)
    ? `write the number without quotes: ${token!.text}`
    : null

const REGEXP = "write REGEXP_CONTAINS(text, r'pattern')"
const JSON_MEMBER = "write JSON_VALUE(json, '$.name')"
/** Advice on words and symbols of other dialects, whatever tokens are around them. */
const BY_TOKEN: Readonly<Record<string, string>> = {
  '!': 'write NOT before a condition, and != between values',
  '->': JSON_MEMBER,
  '->>': JSON_MEMBER,
  '=>': 'at least is written >=',
  '~': REGEXP,
  ASCENDING: 'write ASC',
  AT: "write DATETIME(timestamp, 'zone'), or a zone as the last argument of the function",
  DESCENDING: 'write DESC',
  FETCH: 'write LIMIT n',
  ILIKE: NO_ILIKE,
  REGEXP,
  RLIKE: REGEXP,
}

export function foreignSyntax(place: Context, form: SyntaxForm, expected: string | undefined): Advice {
  const { token, preceding, following } = place
  if (!token) return null
  const [last, last2, last3] = [preceding.at(-1), preceding.at(-2), preceding.at(-3)]
  // In a SELECT list, the word is taken for an alias.
  if (last?.term === 'ILIKE') return NO_ILIKE
  if (Object.hasOwn(BY_TOKEN, token.term)) return BY_TOKEN[token.term]!
  switch (token.term) {
    case 'NOT':
      return following[0]?.term === 'ILIKE' ? NO_ILIKE : null
    case ':':
      if (following[0]?.term === ':') return 'write CAST(value AS type)'
      return following[0]?.at === token.end && isName(following[0])
        ? `write @${following[0].text} for a parameter`
        : null
    case '{':
      if (isName(following[0]) && following[1]?.term === '.' && isName(following[2])) {
        const table = following[0]!.text
        return { text: `write {{${table}.${following[2]!.text}}} for a field of a lookup table`, table }
      }
      return isName(following[0]) ? `write @${following[0]!.text} for a parameter` : null
    case '&':
      return last?.term === '&' ? 'write AND between conditions' : null
    case '=':
      return last?.term === '=' ? 'equality is written with one =' : null
    case 'OFFSET':
      return following[0]?.kind === 'int' || following[0]?.term === '@'
        ? 'OFFSET stands after a LIMIT: LIMIT count OFFSET skipped'
        : null
    case ',':
      if (following[0]?.term === 'AND' || following[0]?.term === 'OR') return 'delete the comma'
      return last2?.term === 'LIMIT' ? 'write LIMIT count OFFSET skipped' : null
    case '(':
      return last?.term === 'FILTER'
        ? 'FILTER is written in the function: COUNTIF(condition), or SUM(IF(condition, value, NULL))'
        : null
    case '[':
      return last?.term === 'FROM' || last?.term === 'JOIN' ? QUOTED_NAME : null
    case 'ON':
      return last?.term === 'DISTINCT'
        ? 'write QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY time DESC) = 1'
        : null
    case '-':
      return last2?.term === 'AS'
        ? 'a name with other characters than letters, digits and _ is quoted with backticks'
        : null
    case ')':
      return expected === 'end of input' ? 'there is one ")" too many' : null
    default:
  }
  if (last?.term === 'TOP' && last2?.term === 'SELECT') return 'write LIMIT n at the end of the query'
  if (isText(token) && (last?.term === 'FROM' || last?.term === 'JOIN')) return QUOTED_NAME
  if (isText(token) && last?.term === 'AS') return `a name is quoted with backticks: \`${token.text}\``
  if (isText(token) && last?.term === '(' && last2?.term === 'EXTRACT') return partInQuotes(token)
  if (isText(token) && last?.term === 'IS') return `write = '${token.text}'`
  if (last?.term === 'IN' && expected === '(') {
    return token.term === '@'
      ? 'write IN UNNEST(@name) for the values of an array'
      : 'write the values in parentheses: IN (a, b)'
  }
  if (token.kind === 'end' && last && form === 'unexpected') return `something is missing after ${last.text}`
  return last3?.term === 'INTERVAL' || last2?.term === 'INTERVAL' ? 'write INTERVAL 1 DAY' : null
}

/** Advice on a field of a value that has no fields. */
export function noFields(field: string, isArrayOfStructs: boolean, { preceding, token }: Context): string | null {
  const [last, last2] = [preceding.at(-1), preceding.at(-2)]
  if (!token) return null
  if (last?.term === '.' && isText(last2)) return QUOTED_NAME
  if (!isArrayOfStructs || !isName(last2)) return null
  return `the array has many: write FROM …, UNNEST(${last2!.text}) AS one, and one.${field}`
}

export const partInQuotes = ({ text }: Token): string =>
  `the part stands without quotes: ${text.toUpperCase().replace(/S$/, '')}`

/** Advice on an interval that is written as a text, such as `INTERVAL '7 days'`. */
export function intervalInQuotes({ text }: Token): string {
  const [, count = '1', unit = 'DAY'] = /^\s*(-?\d+)\s*([A-Za-z]+?)s?\s*$/i.exec(text) ?? []
  return `the part stands after the value, without quotes: INTERVAL ${count} ${unit.toUpperCase()}`
}

/** For each keyword that may be misspelt: whether the next token can follow it. If not, the word is a name, not the keyword. */
const CLAUSES: Readonly<Record<string, (next: Token | undefined) => boolean>> = {
  FROM: next => isName(next) || isText(next) || next?.term === '(',
  JOIN: next => isName(next) || next?.term === '(',
  WHERE: next => next !== undefined && next.kind !== 'end' && next.term !== ',',
  HAVING: next => next !== undefined && next.kind !== 'end' && next.term !== ',',
  GROUP: next => next?.term === 'BY',
  ORDER: next => next?.term === 'BY',
  LIMIT: next => next?.kind === 'int' || next?.term === '@',
  LEFT: next => next?.term === 'JOIN' || next?.term === 'OUTER',
  INNER: next => next?.term === 'JOIN',
  WINDOW: next => isName(next),
  QUALIFY: next => next !== undefined && next.kind !== 'end' && next.term !== ',',
  UNION: next => next?.term === 'ALL' || next?.term === 'DISTINCT',
}
const BEGINNINGS = ['SELECT', 'WITH', 'FROM']

/** Advice on the first word of a text that does not begin as a query does. */
export function mistypedBeginning({ token, preceding }: Context): string | null {
  if (preceding.length > 0 || !isName(token) || isKeyword(token!.term)) return null
  const meant = nearest(token!.text, BEGINNINGS)
  return meant === undefined ? null : `did you mean ${meant} in the place of ${token!.text}?`
}

export const mistypedClause: Adviser = ({ token, preceding, following }) => {
  for (const [word, next] of [
    [preceding.at(-1), token],
    [token, following[0]],
  ] as const) {
    if (word?.kind !== 'identifier' || isKeyword(word.term)) continue
    const clauses = Object.keys(CLAUSES).filter(clause => CLAUSES[clause]!(next ?? undefined))
    const meant = nearest(word.text, clauses) ?? (word.term.length === 4 ? nearest(word.text, ['DESC']) : undefined)
    if (meant !== undefined) return `did you mean ${meant} in the place of ${word.text}?`
  }
  return null
}

/** Advice on two expressions in a row: an operator, a comma or a keyword is missing between them. */
export const missingBetween: Adviser = place => {
  const { token, preceding } = place
  const last = preceding.at(-1)
  if (!token || !last) return null
  const opensCall = token.term === '(' && isName(last)
  const isExpression = opensCall || isText(token) || ['int', 'float', 'quoted'].includes(token.kind) || isWord(token)
  if (token.term === 'AND' || token.term === 'OR') {
    return clauseAround(place) === 'FROM' ? 'conditions begin with WHERE' : null
  }
  if (!isExpression) return null
  const { source } = place
  const shown = opensCall ? source.slice(last.at, last.end) : source.slice(token.at, token.end)
  const clause = clauseAround(place)
  if (clause === null) return callAround(place) ? `a comma or an operator is missing before ${shown}` : null
  if (clause === 'SELECT' && last.term === '*') return `FROM is missing before ${shown}`
  if (clause === 'SELECT' && isText(token) && (isName(last) || last.term === ')'))
    return `write AS and the name without quotes for an alias`
  if (['SELECT', 'ORDER', 'GROUP', 'PARTITION'].includes(clause)) return `a comma is missing before ${shown}`
  return ['WHERE', 'HAVING', 'ON', 'QUALIFY'].includes(clause) ? `AND or OR is missing before ${shown}` : null
}

const isWord = ({ kind, term }: Token): boolean => kind === 'identifier' && !RESERVED_KEYWORDS.has(term)
