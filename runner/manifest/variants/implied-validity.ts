/** Recognises a query whose validity follows from another one: it lacks some conditions, or has `DAY` in place of `HOUR`. */
import {
  type Call,
  type Expression,
  type Query,
  type QueryBody,
  type Script,
  type Select,
  type Token,
  volatilityOf,
} from '../../../googlesql/index.js'

/** A valid query, prepared for comparison with others. */
export interface ValidQuery {
  readonly tokens: readonly Token[]
  /** The tokens that may be replaced by another word of the same kind, with their kinds. */
  readonly words: ReadonlyMap<number, WordKind>
  /** The WHERE clauses whose conditions may be left out, by the index of their token WHERE. */
  readonly wheres: ReadonlyMap<number, Where>
}

type WordKind = 'bucket' | 'part' | 'count'

interface Where {
  readonly conditions: readonly Condition[]
  /** The index of the first token after the clause. */
  readonly end: number
}

/** One operand of AND: a range of tokens, without the AND. */
interface Condition {
  readonly from: number
  readonly to: number
  readonly expressions: readonly Expression[]
}

/**
 * Whether the query of these tokens must be valid and have the same columns as the valid one. That is so when both are equal,
 * token by token, except for differences that nothing else depends on:
 *
 * - Operands of AND in a WHERE that only the valid query has. Each is resolved by itself and adds no column. This excludes
 *   conditions with a subquery or a volatile call, and conditions inside an expression subquery: other rules may depend on
 *   them.
 * - The parts and counts of TIMESTAMP_TRUNC(t, part) and TIMESTAMP_ADD(t, INTERVAL count part) and the like, from SECOND to
 *   DAY: what is valid with one is valid with all. Where two of them are equal (as a key has to be in SELECT and in GROUP
 *   BY) they must be so in both queries.
 *
 * A script with functions or variables never qualifies, since their bodies and values may hold anything.
 */
export function followsFrom(tokens: readonly Token[], valid: ValidQuery): boolean {
  return new Comparison(tokens, valid).isFollowing()
}

/** Prepares a valid query; `script` is the parsed form of `tokens`. Null where only an equal text would follow from it. */
export function validQuery({ functions, variables, query }: Script, tokens: readonly Token[]): ValidQuery | null {
  if (functions.length + variables.length > 0) return null
  const words = new Map<number, WordKind>()
  collectWords(query, tokens, words)
  const wheres = new Map<number, Where>()
  collectWheres(query, tokens, wheres)
  return { tokens, words, wheres }
}

/** Functions whose second argument is a date part, and functions where it is `INTERVAL count part`. */
const TRUNCATING: ReadonlySet<string> = new Set(['TIMESTAMP_TRUNC'])
const ADDING: ReadonlySet<string> = new Set(['TIMESTAMP_ADD', 'TIMESTAMP_SUB'])
const PARTS: ReadonlySet<string> = new Set(['SECOND', 'MINUTE', 'HOUR', 'DAY'])
/** Counts that are too small to overflow. */
const COUNT = /^[0-9]{1,6}$/
/** The keywords that may follow a WHERE clause. */
const AFTER_WHERE: ReadonlySet<string> = new Set(
  '; ) |> GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION INTERSECT EXCEPT'.split(' '),
)

class Comparison {
  readonly #tokens: readonly Token[]
  readonly #valid: ValidQuery
  /** The position of the comparison in each of the two queries. */
  #here = 0
  #there = 0
  /** Which word replaces which in the other query, per kind of word, in both directions. */
  #standing = new Map<string, string>()

  constructor(tokens: readonly Token[], valid: ValidQuery) {
    this.#tokens = tokens
    this.#valid = valid
  }

  isFollowing(): boolean {
    const { tokens, wheres } = this.#valid
    while (this.#there < tokens.length) {
      const where = tokens[this.#there]!.term === 'WHERE' ? wheres.get(this.#there) : undefined
      if (!(where ? this.#isWhere(where) : this.#isToken())) return false
    }
    return this.#here === this.#tokens.length
  }

  /** Advances past the next token where both queries have the same. */
  #isToken(): boolean {
    const [a, b] = [this.#tokens[this.#here], this.#valid.tokens[this.#there]!]
    if (a === undefined || a.kind !== b.kind) return false
    const word = this.#valid.words.get(this.#there)
    const isSame =
      word === undefined ? a.text === b.text && a.term === b.term && isSameBytes(a, b) : this.#isWord(word, a, b)
    if (!isSame) return false
    const isAsJoined = isJoined(this.#tokens, this.#here) === isJoined(this.#valid.tokens, this.#there)
    this.#here += 1
    this.#there += 1
    return isAsJoined || b.kind === 'end'
  }

  /** Whether the conditions here are a subsequence of the conditions there. */
  #isWhere({ conditions, end }: Where): boolean {
    const hasSome = this.#tokens[this.#here]?.term === 'WHERE'
    let kept = 0
    for (const condition of conditions) {
      if (hasSome && this.#isCondition(condition, kept === 0 ? 'WHERE' : 'AND')) kept += 1
      else if (!condition.expressions.every(isPlain)) return false
    }
    this.#there = end
    // The token after the clause belongs to no condition, in both queries.
    return hasSome === kept > 0
  }

  /**
   * Advances past a condition where both queries have the same. A condition that differs leaves the replacements unchanged.
   */
  #isCondition({ from, to }: Condition, before: string): boolean {
    if (this.#tokens[this.#here]?.term !== before) return false
    const [here, standing] = [this.#here, new Map(this.#standing)]
    this.#here += 1
    this.#there = from
    while (this.#there < to && this.#isToken());
    const next = this.#tokens[this.#here]
    if (this.#there === to && next !== undefined && (next.term === 'AND' || isAfterWhere(next))) return true
    this.#here = here
    this.#standing = standing
    return false
  }

  #isWord(kind: WordKind, a: Token, b: Token): boolean {
    if (kind === 'count') return COUNT.test(a.text) && this.#stands(kind, a.text, b.text)
    return PARTS.has(a.term) && this.#stands(kind, a.term, b.term)
  }

  /** Whether one word can replace the other throughout the query. */
  #stands(kind: string, a: string, b: string): boolean {
    const [from, to] = [`${kind} a ${a}`, `${kind} b ${b}`]
    const isFree = (this.#standing.get(from) ?? b) === b && (this.#standing.get(to) ?? a) === a
    if (isFree) this.#standing.set(from, b).set(to, a)
    return isFree
  }
}

const isAfterWhere = ({ kind, term }: Token): boolean => kind === 'end' || AFTER_WHERE.has(term)

/** Whether the token follows the previous one without white space: `a-b` may be a name. */
const isJoined = (tokens: readonly Token[], index: number): boolean =>
  index > 0 && tokens[index - 1]!.end === tokens[index]!.at

const isSameBytes = (a: Token, b: Token): boolean =>
  a.bytes === b.bytes || (a.bytes !== null && b.bytes !== null && String(a.bytes) === String(b.bytes))

/** The index of the token at this offset. */
function indexAt(tokens: readonly Token[], offset: number): number {
  let [low, high] = [0, tokens.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (tokens[middle]!.at <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Collects the replaceable words of all calls below the node. */
function collectWords(node: object, tokens: readonly Token[], words: Map<number, WordKind>): void {
  if ((node as { readonly kind?: unknown }).kind === 'call') {
    for (const [kind, at] of wordsOf(node as Call)) words.set(indexAt(tokens, at), kind)
  }
  for (const key in node) {
    const child: unknown = node[key as keyof object]
    if (typeof child === 'object' && child !== null && !(child instanceof Uint8Array))
      collectWords(child, tokens, words)
  }
}

/** The replaceable words in the second argument of such a call, with their kinds and offsets. */
function wordsOf(call: Call): readonly (readonly [kind: WordKind, at: number])[] {
  const second = call.arguments[1]
  if (call.path.length !== 1 || call.arguments.length !== 2 || second!.name !== null || second!.alias !== null)
    return []
  const name = call.path[0]!.name.toUpperCase()
  const { expression } = second!
  if (TRUNCATING.has(name)) {
    const isPart = expression.kind === 'name' && !expression.isQuoted && PARTS.has(expression.name.toUpperCase())
    return isPart ? [['bucket', expression.at]] : []
  }
  if (!ADDING.has(name) || expression.kind !== 'interval') return []
  const { value, part, to } = expression
  if (value.kind !== 'int' || !COUNT.test(value.value) || !PARTS.has(part.part) || to !== null) return []
  return [
    ['count', value.at],
    ['part', part.at],
  ]
}

function collectWheres(body: QueryBody | Query, tokens: readonly Token[], wheres: Map<number, Where>): void {
  if (body.kind === 'query') {
    for (const { query } of body.ctes) collectWheres(query, tokens, wheres)
    collectWheres(body.body, tokens, wheres)
  } else if (body.kind === 'set-operation') {
    // A mode such as LEFT would come between the WHERE and the operator.
    const isPlainOperator = body.mode === null && !body.isStrict && body.match === 'position'
    if (isPlainOperator) for (const input of body.inputs) collectWheres(input, tokens, wheres)
  } else if (body.kind === 'select') {
    if (body.from?.kind === 'subquery') collectWheres(body.from.query, tokens, wheres)
    addWhere(body, tokens, wheres)
  }
}

function addWhere({ where }: Select, tokens: readonly Token[], wheres: Map<number, Where>): void {
  if (where === null) return
  const parts = [...chainOf(where)]
  let start = indexAt(tokens, firstOffset(where))
  while (tokens[start]!.term !== 'WHERE') start -= 1
  const joints = new Set(parts.map(part => part.and))
  const conditions: Condition[] = []
  let [from, at, depth] = [start + 1, start + 1, 0]
  const endCondition = (): void => {
    const joint = tokens[at]!.at
    const last = parts.findIndex(part => part.and === joint)
    const ended = parts.splice(0, last < 0 ? parts.length : last + 1)
    conditions.push({ from, to: at, expressions: ended.map(part => part.expression) })
    from = at + 1
  }
  for (; depth > 0 || !isAfterWhere(tokens[at]!); at += 1) {
    const { term } = tokens[at]!
    if (term === '(' || term === '[' || term === '{') depth += 1
    else if (term === ')' || term === ']' || term === '}') depth -= 1
    else if (depth === 0 && joints.has(tokens[at]!.at)) endCondition()
  }
  endCondition()
  wheres.set(start, { conditions, end: at })
}

interface ChainPart {
  readonly expression: Expression
  /** The offset of the AND that follows; -1 for the last operand. */
  readonly and: number
}

/** The operands of a chain of ANDs, with or without parentheses, in the order of the text. */
function chainOf(expression: Expression, and = -1): readonly ChainPart[] {
  if (expression.kind !== 'binary' || expression.operator !== 'AND') return [{ expression, and }]
  return [...chainOf(expression.left, expression.at), ...chainOf(expression.right, and)]
}

/** The least offset in a tree. */
function firstOffset(node: object): number {
  let first = Number.POSITIVE_INFINITY
  for (const key in node) {
    const child: unknown = node[key as keyof object]
    if (key === 'at' && typeof child === 'number') first = Math.min(first, child)
    else if (typeof child === 'object' && child !== null && !(child instanceof Uint8Array)) {
      first = Math.min(first, firstOffset(child))
    }
  }
  return first
}

/** Whether the expression has no subquery and no volatile call. */
function isPlain(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true
  if (Array.isArray(node)) return node.every(isPlain)
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: Call['path'] }
  if (kind === 'query') return false
  if (kind === 'call' && path?.some(({ name }) => volatilityOf(name.toUpperCase()) === 'volatile')) return false
  return Object.values(node).every(isPlain)
}
