/** Tells a query that must be valid because another one is: it lacks some conditions, or says `DAY` where that says `HOUR`. */
import type { Argument, Call, Expression, From, Query, QueryBody, Script, Select } from './ast.js'

/**
 * Whether the query is valid and has the columns of the other one, given that the other is valid. It is when they differ
 * only in what nothing else depends on:
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
export function followsFrom(script: Script, valid: Script): boolean {
  return script.functions.length + valid.functions.length === 0 && new Comparison().isQuery(script.query, valid.query)
}

/** Functions whose second argument is a part, and those where it is `INTERVAL count part`. */
const TRUNCATING: ReadonlySet<string> = new Set(['TIMESTAMP_TRUNC'])
const ADDING: ReadonlySet<string> = new Set(['TIMESTAMP_ADD', 'TIMESTAMP_SUB'])
const PARTS: ReadonlySet<string> = new Set(['SECOND', 'MINUTE', 'HOUR', 'DAY'])
/** Counts that overflow nothing. */
const COUNT = /^[0-9]{1,6}$/
const RANDOM: ReadonlySet<string> = new Set(['RAND', 'GENERATE_UUID'])

/** What is compared part by part, and where the nodes stand. */
const QUERY_PARTS: ReadonlySet<string> = new Set(['at', 'ctes', 'body'])
const SET_PARTS: ReadonlySet<string> = new Set(['at', 'inputs'])
const SELECT_PARTS: ReadonlySet<string> = new Set(['at', 'from', 'where'])
const FROM_PARTS: ReadonlySet<string> = new Set(['at', 'query'])
const CALL_PARTS: ReadonlySet<string> = new Set(['at', 'arguments'])
const ARGUMENT_PARTS: ReadonlySet<string> = new Set(['at', 'expression'])
const PLACE: ReadonlySet<string> = new Set(['at'])

class Comparison {
  /** What stands for what in the other query, by what it is, in both directions. */
  #words = new Map<string, string>()

  isQuery(a: Query, b: Query): boolean {
    if (a.ctes.length !== b.ctes.length || !this.#isBody(a.body, b.body)) return false
    return (
      a.ctes.every(({ name, query }, i) => {
        const other = b.ctes[i]!
        return this.#isSame(name, other.name) && this.isQuery(query, other.query)
      }) && this.#isRest(a, b, QUERY_PARTS)
    )
  }

  #isBody(a: QueryBody, b: QueryBody): boolean {
    if (a.kind === 'query') return b.kind === 'query' && this.isQuery(a, b)
    if (a.kind === 'select') return b.kind === 'select' && this.#isSelect(a, b)
    if (a.kind !== 'set-operation') return this.#isSame(a, b)
    if (b.kind !== 'set-operation' || a.inputs.length !== b.inputs.length) return false
    return a.inputs.every((input, i) => this.#isBody(input, b.inputs[i]!)) && this.#isRest(a, b, SET_PARTS)
  }

  #isSelect(a: Select, b: Select): boolean {
    return this.#isFrom(a.from, b.from) && this.#isRest(a, b, SELECT_PARTS) && this.#isWhere(a.where, b.where)
  }

  #isFrom(a: From | null, b: From | null): boolean {
    if (a?.kind !== 'subquery' || b?.kind !== 'subquery') return this.#isSame(a, b)
    return this.isQuery(a.query, b.query) && this.#isRest(a, b, FROM_PARTS)
  }

  /** The conditions of `a` are some of those of `b`, in the same order. */
  #isWhere(a: Expression | null, b: Expression | null): boolean {
    const kept = a === null ? [] : conditionsOf(a)
    let next = 0
    for (const condition of b === null ? [] : conditionsOf(b)) {
      if (next < kept.length && this.#isCondition(kept[next]!, condition)) next += 1
      else if (!isPlain(condition)) return false
    }
    return next === kept.length
  }

  /** A condition that is not the same has not said what stands for what. */
  #isCondition(a: Expression, b: Expression): boolean {
    const before = new Map(this.#words)
    const isSame = this.#isSame(a, b)
    if (!isSame) this.#words = before
    return isSame
  }

  /** Equal trees, wherever their nodes stand. */
  #isSame(a: unknown, b: unknown): boolean {
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
    if (Array.isArray(a)) {
      return Array.isArray(b) && a.length === b.length && a.every((item, i) => this.#isSame(item, b[i]))
    }
    const { kind } = a as { readonly kind?: unknown }
    if (kind !== (b as { readonly kind?: unknown }).kind) return false
    return kind === 'call' ? this.#isCall(a as Call, b as Call) : this.#isRest(a, b, PLACE)
  }

  #isRest(a: object, b: object, skipped: ReadonlySet<string>): boolean {
    for (const key in a) {
      if (!skipped.has(key) && !this.#isSame(a[key as keyof object], b[key as keyof object])) return false
    }
    // Trees of one kind have the same members, but for the elements of bytes.
    return !(a instanceof Uint8Array) || a.length === (b as Uint8Array).length
  }

  #isCall(a: Call, b: Call): boolean {
    if (!this.#isRest(a, b, CALL_PARTS) || a.arguments.length !== b.arguments.length) return false
    const name = a.path.length === 1 ? a.path[0]!.name.toUpperCase() : ''
    return a.arguments.every((argument, i) => {
      const other = b.arguments[i]!
      const words = i === 1 && a.arguments.length === 2 ? wordsOf(name, argument) : null
      const others = words && wordsOf(name, other)
      if (!words || !others) return this.#isSame(argument, other)
      if (!this.#isRest(argument, other, ARGUMENT_PARTS)) return false
      return words.every(([kind, word], at) => this.#stands(kind, word, others[at]![1]))
    })
  }

  /** Whether the one word can stand for the other everywhere. */
  #stands(kind: string, a: string, b: string): boolean {
    const [from, to] = [`${kind} a ${a}`, `${kind} b ${b}`]
    const isFree = (this.#words.get(from) ?? b) === b && (this.#words.get(to) ?? a) === a
    if (isFree) this.#words.set(from, b).set(to, a)
    return isFree
  }
}

/** What may be another in the second argument of such a function, by what it is; null where nothing may. */
function wordsOf(name: string, { expression }: Argument): readonly (readonly [kind: string, word: string])[] | null {
  if (TRUNCATING.has(name)) {
    const isPart = expression.kind === 'name' && !expression.isQuoted && PARTS.has(expression.name.toUpperCase())
    return isPart ? [['bucket', expression.name.toUpperCase()]] : null
  }
  if (!ADDING.has(name) || expression.kind !== 'interval') return null
  const { value, part, to } = expression
  if (value.kind !== 'int' || !COUNT.test(value.value) || !PARTS.has(part.part) || to !== null) return null
  return [
    ['part', part.part],
    ['count', value.value],
  ]
}

function conditionsOf(where: Expression): readonly Expression[] {
  if (where.kind !== 'binary' || where.operator !== 'AND') return [where]
  return [...conditionsOf(where.left), ...conditionsOf(where.right)]
}

/** Holds no query and nothing random. */
function isPlain(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true
  if (Array.isArray(node)) return node.every(isPlain)
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: Call['path'] }
  if (kind === 'query') return false
  if (kind === 'call' && path?.some(({ name }) => RANDOM.has(name.toUpperCase()))) return false
  return Object.values(node).every(isPlain)
}
