/** Advice for mistakes of authors who are new to SQL: a missing word, a word in the wrong place, or everyday language. */
import type { Token } from '../lex/tokenize.js'
import { type Adviser, type Found, isName, isText } from './found.js'

export const firstSteps: Adviser = found => {
  for (const [pattern, advise] of ADVICE) {
    const match = pattern.exec(found.reason)
    const advice = match && advise(found, match)
    if (advice) return advice
  }
  return null
}

const term = (tokens: readonly Token[], at: number): string => tokens.at(at)?.term ?? ''
const isWord = (token: Token | null | undefined): boolean => token?.kind === 'identifier'

/** Advice on an alias of several words without quotes, such as `AS number of sales`. All its words are on one line. */
export const wordsOfName: Adviser = ({ reason, before, token, after, source }) => {
  const first = before.at(-1)
  if (!reason.startsWith('Syntax error: Expected end of input but got ') || term(before, -2) !== 'AS') return null
  if (!isWord(token) || !isName(first) || source.slice(first!.end, token!.at).includes('\n')) return null
  const name = [before.at(-1)!, token!, ...after]
  const end = name.findIndex((one, i) => !isWord(one) || /^(?:FROM|WHERE|GROUP|ORDER)$/.test(one.term) || i > 4)
  const words = name.slice(0, end).map(one => source.slice(one.at, one.end))
  return words.length < 2 ? null : `a name is one word: ${words.join('_')}`
}

/** Each entry handles messages of one form; the first entry that returns advice is used. */
const ADVICE: readonly (readonly [RegExp, (found: Found, match: RegExpExecArray) => string | null])[] = [
  [
    /^Syntax error: Expected keyword FALSE or /,
    ({ token }) => (isText(token) ? null : 'IS is for NULL, TRUE and FALSE; write = for other values'),
  ],
  [
    /^Syntax error: Unexpected keyword (?:ASC|DESC)/,
    ({ before, token }) =>
      /^(?:BY|,)$/.test(term(before, -1)) ? `${token!.term} comes after its column: ORDER BY day ${token!.term}` : null,
  ],
  [
    /^Syntax error: Unexpected keyword (?:WHERE|GROUP|HAVING|QUALIFY|ORDER|LIMIT)/,
    ({ before, token, after }) =>
      term(before, -1) === ',' && (!/^(?:GROUP|ORDER)$/.test(token!.term) || term(after, 0) === 'BY')
        ? `delete the comma before ${token!.term}`
        : null,
  ],
  [
    /^Syntax error: Unexpected ","/,
    ({ before }) => (term(before, -2) === 'BETWEEN' ? 'write BETWEEN low AND high' : null),
  ],
  [
    /^Syntax error: Unexpected keyword (?:IN|LIKE|BETWEEN)/,
    ({ before, token }) =>
      /^(?:AND|OR|WHERE|NOT|ON)$/.test(term(before, -1))
        ? `the column stands before it: shop NOT ${token!.term} …`
        : null,
  ],
  [
    /^Syntax error: Unexpected end of (?:script|input)/,
    ({ before }) => (term(before, -1) === 'LIMIT' ? 'a number or a parameter stands after LIMIT: LIMIT 10' : null),
  ],
  [
    /^Syntax error: Unexpected keyword AS/,
    ({ before }) => (term(before, -1) === '*' && term(before, -2) === 'COUNT' ? 'write COUNT(*)' : null),
  ],
  [/^Syntax error: Expected keyword END but got /, () => 'CASE ends with END: CASE WHEN … THEN … ELSE … END'],
  [
    /^Syntax error: Expected end of input but got /,
    found => {
      const { token, before, after } = found
      if (token?.term === 'CONTAINS') return "write CONTAINS_SUBSTR(column, 'part')"
      if (token?.term === 'SORT' && term(after, 0) === 'BY') return 'write ORDER BY'
      if (token?.term === '@' && isName(before.at(-1)) && isName(after[0])) {
        const [name, argument] = [before.at(-1)!.text, after[0]!.text]
        return `an operator is missing before @${argument}, or the parentheses of a call: ${name}(@${argument})`
      }
      return null
    },
  ],
  [
    /^Argument \* can only be used in COUNT/,
    ({ token }) => `write COUNT(*) for the number of rows, or ${token?.term ?? 'SUM'}(column)`,
  ],
  [
    /^Number of arguments does not match for (?:aggregate )?function (\w+)/,
    ({ after }, [, name]) => {
      if (name === 'COUNT') {
        return term(after, 1) === ')'
          ? 'write COUNT(*)'
          : 'of several columns write COUNT(DISTINCT TO_JSON_STRING(STRUCT(a, b)))'
      }
      return name === 'IF' ? 'write IF(condition, value, other), where other may be NULL' : null
    },
  ],
  [
    /^No matching signature for aggregate function (SUM|AVG) for argument types: STRING/,
    (_, [, name]) => `write ${name}(SAFE_CAST(… AS NUMERIC)) for texts that are numbers`,
  ],
  [
    /^SELECT list expression references column (\w+) which is neither grouped nor aggregated/,
    ({ source }, [, column]) =>
      /\bGROUP\s+BY\b/i.test(source) ? `add ${column} to GROUP BY, or write MAX(${column})` : null,
  ],
  [
    /^Cannot access field (\w+) on a value with type/,
    ({ before }, [, field]) => {
      const [by, first] = [term(before, -3), before.at(-2)]
      return by === 'JOIN' && first
        ? `${first.text} is a column here; a table is quoted: \`${first.text}.${field}\``
        : null
    },
  ],
  [
    /^Table not found: (\w+)$/,
    ({ before }, [, name]) =>
      term(before, -1) === ',' ? `an array of the row before is written UNNEST(${name})` : null,
  ],
]
