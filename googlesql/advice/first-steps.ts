/** Advice for mistakes of authors who are new to SQL: a missing word, a word in the wrong place, or everyday language. */
import type { Token } from '../lex/tokenize.js'
import { type Adviser, type Context, isName, isText } from './context.js'

const termAt = (tokens: readonly Token[], at: number): string => tokens.at(at)?.term ?? ''
const isWord = (token: Token | null | undefined): boolean => token?.kind === 'identifier'

/** Advice on an alias of several words without quotes, such as `AS number of sales`. All its words are on one line. */
export const wordsOfName: Adviser = ({ preceding, token, following, source }) => {
  const first = preceding.at(-1)
  if (termAt(preceding, -2) !== 'AS' || !isWord(token) || !isName(first)) return null
  if (source.slice(first!.end, token!.at).includes('\n')) return null
  const name = [first!, token!, ...following]
  const end = name.findIndex((part, i) => !isWord(part) || /^(?:FROM|WHERE|GROUP|ORDER)$/.test(part.term) || i > 4)
  const words = name.slice(0, end).map(part => source.slice(part.at, part.end))
  return words.length < 2 ? null : `a name is one word: ${words.join('_')}`
}

/** Advice on a token that cannot stand at its place. */
export const misplaced: Adviser = ({ token, preceding, following }) => {
  const [last, word] = [termAt(preceding, -1), token?.term ?? '']
  if (/^(?:ASC|DESC)$/.test(word) && /^(?:BY|,)$/.test(last)) {
    return `${word} comes after its column: ORDER BY day ${word}`
  }
  const isClause =
    /^(?:WHERE|HAVING|QUALIFY|LIMIT)$/.test(word) || (/^(?:GROUP|ORDER)$/.test(word) && termAt(following, 0) === 'BY')
  if (isClause && last === ',') return `delete the comma before ${word}`
  if (/^(?:IN|LIKE|BETWEEN)$/.test(word) && /^(?:AND|OR|WHERE|NOT|ON)$/.test(last)) {
    return `the column stands before it: shop NOT ${word} …`
  }
  switch (token?.kind === 'end' ? 'end' : word) {
    case ',':
      return termAt(preceding, -2) === 'BETWEEN' ? 'write BETWEEN low AND high' : null
    case 'end':
      return last === 'LIMIT' ? 'a number or a parameter stands after LIMIT: LIMIT 10' : null
    case 'AS':
      return last === '*' && termAt(preceding, -2) === 'COUNT' ? 'write COUNT(*)' : null
    case 'UNNEST':
      return last === '(' && termAt(preceding, -2) === 'IN'
        ? 'write IN UNNEST(array), without parentheses around UNNEST'
        : null
    default:
      return null
  }
}

/** Advice on a token that stands in the place of another. */
export function expectedInstead({ token, preceding, following }: Context, expected: string | undefined): string | null {
  if (expected === 'FALSE') return isText(token) ? null : 'IS is for NULL, TRUE and FALSE; write = for other values'
  if (expected === 'END') return 'CASE ends with END: CASE WHEN … THEN … ELSE … END'
  if (expected !== 'end of input') return null
  if (token?.term === 'CONTAINS') return "write CONTAINS_SUBSTR(column, 'part')"
  if (token?.term === 'SORT' && termAt(following, 0) === 'BY') return 'write ORDER BY'
  if (token?.term !== '@' || !isName(preceding.at(-1)) || !isName(following[0])) return null
  const [name, argument] = [preceding.at(-1)!.text, following[0]!.text]
  return `an operator is missing before @${argument}, or the parentheses of a call: ${name}(@${argument})`
}

export function argumentCount(name: string, { following }: Context): string | null {
  if (name === 'IF') return 'write IF(condition, value, other), where other may be NULL'
  if (name !== 'COUNT') return null
  return termAt(following, 1) === ')'
    ? 'write COUNT(*)'
    : 'of several columns write COUNT(DISTINCT TO_JSON_STRING(STRUCT(a, b)))'
}

/** Advice on a path where a table is expected: in `JOIN shop.orders` without backticks, `shop` can be a column. */
export function fieldAsTable(field: string, { preceding }: Context): string | null {
  const first = termAt(preceding, -3) === 'JOIN' && preceding.at(-2)
  return first ? `${first.text} is a column here; a table is quoted: \`${first.text}.${field}\`` : null
}

/** Advice on an unknown table after a comma: in `FROM orders, lines`, `lines` may be an array of `orders`. */
export const arrayAsTable = (name: string, { preceding }: Context): string | null =>
  termAt(preceding, -1) === ',' && /^\w+$/.test(name) ? `an array of the row before is written UNNEST(${name})` : null
