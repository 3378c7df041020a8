/** Tells a query that must be valid because another one is: it lacks some conditions, or says `DAY` where that says `HOUR`. */
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

/** A valid query, as others are held against it. */
export interface ValidQuery {
  readonly tokens: readonly Token[]
  /** Of each token that may be another word: what it is. */
  readonly words: ReadonlyMap<number, WordKind>
  /** By the index of their WHERE: those whose conditions may be left out. */
  readonly wheres: ReadonlyMap<number, Where>
}

type WordKind = 'bucket' | 'part' | 'count'

interface Where {
  readonly conditions: readonly Condition[]
  /** The index of the token behind it. */
  readonly end: number
}

/** One of those that AND joins: a range of tokens, the AND not among them. */
interface Condition {
  readonly from: number
  readonly to: number
  readonly expressions: readonly Expression[]
}

/**
 * Whether the query of these tokens is valid and has the columns of the other one. It is when they are the same, token by
 * token, but for what nothing else depends on:
 *
 * - Conditions that the other has and this one has not, of those that a WHERE joins by AND. Each is read by itself and gives
 *   no column. Not told of conditions with a query or a random value in them, nor of those in a subquery that stands in an
 *   expression: there other rules may depend on them.
 * - The parts and counts of TIMESTAMP_TRUNC(t, part) and TIMESTAMP_ADD(t, INTERVAL count part) and the like, from SECOND to
 *   DAY: what is valid with one is valid with all. Where two of them are equal (as a key has to be in SELECT and in GROUP
 *   BY) they must be so in both queries.
 *
 * Never where there are functions, whose bodies may hold anything.
 */
export function followsFrom(tokens: readonly Token[], valid: ValidQuery): boolean {
  return new Comparison(tokens, valid).isFollowing()
}

/** `script` is the tree of these tokens; null where nothing but the same text would follow from it. */
export function validQuery({ functions, query }: Script, tokens: readonly Token[]): ValidQuery | null {
  if (functions.length > 0) return null
  const words = new Map<number, WordKind>()
  collectWords(query, tokens, words)
  const wheres = new Map<number, Where>()
  collectWheres(query, tokens, wheres)
  return { tokens, words, wheres }
}

/** Functions whose second argument is a part, and those where it is `INTERVAL count part`. */
const TRUNCATING: ReadonlySet<string> = new Set(['TIMESTAMP_TRUNC'])
const ADDING: ReadonlySet<string> = new Set(['TIMESTAMP_ADD', 'TIMESTAMP_SUB'])
const PARTS: ReadonlySet<string> = new Set(['SECOND', 'MINUTE', 'HOUR', 'DAY'])
/** Counts that overflow nothing. */
const COUNT = /^[0-9]{1,6}$/
/** What may stand behind a WHERE. */
const AFTER_WHERE: ReadonlySet<string> = new Set(
  '; ) |> GROUP HAVING QUALIFY WINDOW ORDER LIMIT UNION INTERSECT EXCEPT'.split(' '),
)

class Comparison {
  readonly #tokens: readonly Token[]
  readonly #valid: ValidQuery
  /** Where the comparison stands, in the one and in the other. */
  #here = 0
  #there = 0
  /** What stands for what in the other query, by what it is, in both directions. */
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

  /** Goes on behind the next token, where it is the same. */
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

  /** The conditions here are some of those there, in the same order. */
  #isWhere({ conditions, end }: Where): boolean {
    const hasSome = this.#tokens[this.#here]?.term === 'WHERE'
    let kept = 0
    for (const condition of conditions) {
      if (hasSome && this.#isCondition(condition, kept === 0 ? 'WHERE' : 'AND')) kept += 1
      else if (!condition.expressions.every(isPlain)) return false
    }
    this.#there = end
    // What stands behind is no part of a condition, here as there.
    return hasSome === kept > 0
  }

  /** Goes on behind the condition, where it is the same. One that is not has not said what stands for what. */
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

  /** Whether the one word can stand for the other everywhere. */
  #stands(kind: string, a: string, b: string): boolean {
    const [from, to] = [`${kind} a ${a}`, `${kind} b ${b}`]
    const isFree = (this.#standing.get(from) ?? b) === b && (this.#standing.get(to) ?? a) === a
    if (isFree) this.#standing.set(from, b).set(to, a)
    return isFree
  }
}

const isAfterWhere = ({ kind, term }: Token): boolean => kind === 'end' || AFTER_WHERE.has(term)

/** Whether nothing stands between the token and the one before: `a-b` may be a name. */
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

/** Of all calls below the node. */
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

/** What may be another in the second argument of such a function, by what it is, with its offset. */
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
    // LEFT and its like would stand between a WHERE and the operator.
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
  /** The offset of the AND behind it; -1 behind the last. */
  readonly and: number
}

/** What AND joins, parentheses or not, in the order of the text. */
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

/** Holds no query and calls no volatile function. */
function isPlain(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true
  if (Array.isArray(node)) return node.every(isPlain)
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: Call['path'] }
  if (kind === 'query') return false
  if (kind === 'call' && path?.some(({ name }) => volatilityOf(name.toUpperCase()) === 'volatile')) return false
  return Object.values(node).every(isPlain)
}
