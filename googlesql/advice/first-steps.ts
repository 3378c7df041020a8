/** Advice for mistakes of authors who are new to SQL: a missing word, a word in the wrong place, or everyday language. */
import type { Token } from '../lex/tokenize.js'
import { type Adviser, type Found, isName, isText } from './found.js'

const term = (tokens: readonly Token[], at: number): string => tokens.at(at)?.term ?? ''
const isWord = (token: Token | null | undefined): boolean => token?.kind === 'identifier'

/** Advice on an alias of several words without quotes, such as `AS number of sales`. All its words are on one line. */
export const wordsOfName: Adviser = ({ before, token, after, source }) => {
  const first = before.at(-1)
  if (term(before, -2) !== 'AS' || !isWord(token) || !isName(first)) return null
  if (source.slice(first!.end, token!.at).includes('\n')) return null
  const name = [first!, token!, ...after]
  const end = name.findIndex((one, i) => !isWord(one) || /^(?:FROM|WHERE|GROUP|ORDER)$/.test(one.term) || i > 4)
  const words = name.slice(0, end).map(one => source.slice(one.at, one.end))
  return words.length < 2 ? null : `a name is one word: ${words.join('_')}`
}

/** Advice on a token that cannot stand at its place. */
export const misplaced: Adviser = ({ token, before, after }) => {
  const [last, word] = [term(before, -1), token?.term ?? '']
  if (/^(?:ASC|DESC)$/.test(word) && /^(?:BY|,)$/.test(last)) {
    return `${word} comes after its column: ORDER BY day ${word}`
  }
  const isClause =
    /^(?:WHERE|HAVING|QUALIFY|LIMIT)$/.test(word) || (/^(?:GROUP|ORDER)$/.test(word) && term(after, 0) === 'BY')
  if (isClause && last === ',') return `delete the comma before ${word}`
  if (/^(?:IN|LIKE|BETWEEN)$/.test(word) && /^(?:AND|OR|WHERE|NOT|ON)$/.test(last)) {
    return `the column stands before it: shop NOT ${word} …`
  }
  switch (token?.kind === 'end' ? 'end' : word) {
    case ',':
      return term(before, -2) === 'BETWEEN' ? 'write BETWEEN low AND high' : null
    case 'end':
      return last === 'LIMIT' ? 'a number or a parameter stands after LIMIT: LIMIT 10' : null
    case 'AS':
      return last === '*' && term(before, -2) === 'COUNT' ? 'write COUNT(*)' : null
    case 'UNNEST':
      return last === '(' && term(before, -2) === 'IN'
        ? 'write IN UNNEST(array), without parentheses around UNNEST'
        : null
    default:
      return null
  }
}

/** Advice on a token that stands in the place of another. */
export function expectedInstead({ token, before, after }: Found, expected: string | undefined): string | null {
  if (expected === 'FALSE') return isText(token) ? null : 'IS is for NULL, TRUE and FALSE; write = for other values'
  if (expected === 'END') return 'CASE ends with END: CASE WHEN … THEN … ELSE … END'
  if (expected !== 'end of input') return null
  if (token?.term === 'CONTAINS') return "write CONTAINS_SUBSTR(column, 'part')"
  if (token?.term === 'SORT' && term(after, 0) === 'BY') return 'write ORDER BY'
  if (token?.term !== '@' || !isName(before.at(-1)) || !isName(after[0])) return null
  const [name, argument] = [before.at(-1)!.text, after[0]!.text]
  return `an operator is missing before @${argument}, or the parentheses of a call: ${name}(@${argument})`
}

export function argumentCount(name: string, { after }: Found): string | null {
  if (name === 'IF') return 'write IF(condition, value, other), where other may be NULL'
  if (name !== 'COUNT') return null
  return term(after, 1) === ')'
    ? 'write COUNT(*)'
    : 'of several columns write COUNT(DISTINCT TO_JSON_STRING(STRUCT(a, b)))'
}

/** A column where a table stands: `JOIN shop.orders` is the field of a row, unless it is quoted. */
export function fieldAsTable(field: string, { before }: Found): string | null {
  const [by, first] = [term(before, -3), before.at(-2)]
  return by === 'JOIN' && first ? `${first.text} is a column here; a table is quoted: \`${first.text}.${field}\`` : null
}

/** A name of one word after a comma that is not a table: `FROM orders, lines`. */
export const arrayAsTable = (name: string, { before }: Found): string | null =>
  term(before, -1) === ',' && /^\w+$/.test(name) ? `an array of the row before is written UNNEST(${name})` : null
