/** SQL in one layout: two texts are printed alike if they differ only in white space, comments, case of keywords and quotes. */
import { RESERVED_KEYWORDS, type Token, tokenize } from '../../googlesql/index.js'

/** The text line by line. A text that is not SQL is returned as it is written. */
export function printSql(sql: string): readonly string[] {
  try {
    return new Printer().print(tokenize(sql))
  } catch {
    return sql.split('\n').map(line => line.trimEnd())
  }
}

/** Words that begin a line where they belong to a query. */
const CLAUSES: ReadonlySet<string> = new Set(
  'SELECT FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION INTERSECT EXCEPT JOIN ON USING AND OR'.split(' '),
)
const BEFORE_JOIN: ReadonlySet<string> = new Set('INNER LEFT RIGHT FULL OUTER CROSS'.split(' '))

/** An open bracket. A query in brackets is laid out in several lines, anything else stays on one line. */
interface Bracket {
  readonly isQuery: boolean
  /** Whether it is CASE, which END closes. */
  readonly isCase: boolean
  /** Whether the next AND belongs to a BETWEEN. */
  isBetween: boolean
}

class Printer {
  readonly #lines: string[] = []
  #line = ''
  #depth = 0
  #isInList = false
  readonly #brackets: Bracket[] = [{ isQuery: true, isCase: false, isBetween: false }]

  print(tokens: readonly Token[]): readonly string[] {
    const last = tokens.findLastIndex(({ kind, term }) => kind !== 'end' && term !== ';')
    for (const [i, token] of tokens.slice(0, last + 1).entries()) this.#add(token, tokens[i - 1], tokens[i + 1])
    this.#break()
    return this.#lines
  }

  #add(token: Token, before: Token | undefined, after: Token | undefined): void {
    const { term } = token
    const bracket = this.#brackets.at(-1)!
    if (term === ')' || term === ']' || (term === 'END' && bracket.isCase)) this.#close()
    else if (this.#beginsLine(term, before, bracket)) this.#break()
    if (term === 'BETWEEN') bracket.isBetween = true
    else if (term === 'AND') bracket.isBetween = false
    this.#line += (this.#line !== '' && needsSpace(before, token) ? ' ' : '') + textOf(token)
    if (term === '(' || term === '[' || term === 'CASE') this.#open(term, after)
    else if (term === ',' && bracket.isQuery) this.#break({ isInList: true })
  }

  #beginsLine(term: string, before: Token | undefined, { isQuery, isBetween }: Bracket): boolean {
    if (!isQuery) return false
    if (term === '|>') return true
    if (BEFORE_JOIN.has(term)) return !BEFORE_JOIN.has(before?.term ?? '')
    if (!CLAUSES.has(term) || before?.term === '|>') return false
    if (term === 'JOIN') return !BEFORE_JOIN.has(before?.term ?? '')
    return !(term === 'AND' && isBetween)
  }

  #open(term: string, after: Token | undefined): void {
    const isQuery = term === '(' && (after?.term === 'SELECT' || after?.term === 'WITH')
    this.#brackets.push({ isQuery, isCase: term === 'CASE', isBetween: false })
    if (!isQuery) return
    this.#break()
    this.#depth++
  }

  #close(): void {
    const bracket = this.#brackets.length > 1 ? this.#brackets.pop()! : null
    if (bracket?.isQuery !== true) return
    this.#break()
    this.#depth--
  }

  /** @param options.isInList whether the next line continues a list */
  #break({ isInList = false } = {}): void {
    if (this.#line !== '') this.#lines.push('  '.repeat(this.#depth + (this.#isInList ? 1 : 0)) + this.#line)
    this.#line = ''
    this.#isInList = isInList
  }
}

function needsSpace(before: Token | undefined, { term }: Token): boolean {
  if (before === undefined || CLOSING.has(term) || OPENING.has(before.term)) return false
  if (term !== '(' && term !== '[') return true
  // The bracket of a call, of ARRAY[…] or of an index follows its name without a space.
  const isCalled = before.kind === 'quoted' || before.term === ')' || before.term === ']' || before.term === '>'
  const isName =
    before.kind === 'identifier' && (!RESERVED_KEYWORDS.has(before.term) || CALLED_KEYWORDS.has(before.term))
  return !isCalled && !isName
}

const CLOSING: ReadonlySet<string> = new Set([',', ')', ']', '.', ';'])
const OPENING: ReadonlySet<string> = new Set(['(', '[', '.', '@', '@@'])
const CALLED_KEYWORDS: ReadonlySet<string> = new Set(
  'IF CAST UNNEST EXTRACT ARRAY STRUCT ROLLUP CUBE GROUPING'.split(' '),
)

function textOf({ kind, term, text, bytes }: Token): string {
  switch (kind) {
    case 'string':
      return JSON.stringify(text)
    case 'bytes':
      return `b${JSON.stringify(Buffer.from(bytes!).toString('latin1'))}`
    case 'quoted':
      return `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
    case 'identifier':
      return RESERVED_KEYWORDS.has(term) ? term : text
    default:
      return text
  }
}
