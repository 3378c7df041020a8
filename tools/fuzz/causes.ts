/** Groups differences by cause: those with the same message or similar smallest queries have one cause. */
import type { BoundValue } from '../../runner/index.js'
import type { Class, Verdict } from './judge.js'
import type { Question } from './render.js'
import { descendants, type Node } from './tree.js'

/** A difference, with the smallest query that was found to show it. */
export interface Difference {
  /** The number of the query that showed the difference. */
  readonly index: number
  readonly question: Question
  readonly verdict: Verdict
}

export interface Cause {
  readonly class: Class
  /** The class, with the common part of the queries: the message, or the words of the SQL. */
  readonly key: string
  /** The shortest query. */
  readonly sql: string
  /** The reference's query, if it differs from `sql`. */
  readonly reference?: string
  readonly parameters?: Readonly<Record<string, BoundValue>>
  readonly expected: string
  readonly found: string
  /** Other smallest queries with this cause. */
  readonly others: readonly string[]
  /** The numbers of the queries that showed this cause. */
  readonly queries: readonly number[]
}

/** The most queries with the same message that are shrunk; fewer for time-outs, which take long. */
const ENOUGH = 25
const ENOUGH_LATE = 4
const MAX_OTHERS = 8

export class Causes {
  readonly #byKey = new Map<string, Cause>()
  /** By message: the number of differences that were shrunk, and the key of the last one's cause. */
  readonly #byMessage = new Map<string, { readonly count: number; readonly key: string }>()
  /** The number of queries by message of refusal. */
  readonly refusals = new Map<string, number>()
  /** The number of queries that the reference could not answer, by message. */
  readonly unanswered = new Map<string, number>()
  /** The number of queries with equal answers that call a function, by the function's name. */
  readonly calls = new Map<string, number>()

  agree(root: Node): void {
    for (const name of new Set([...descendants(root)].flatMap(({ calls }) => calls ?? []))) addTo(this.calls, name)
  }

  refuse(message: string): void {
    addTo(this.refusals, message)
  }

  leave(message: string): void {
    addTo(this.unanswered, message)
  }

  /**
   * Adds the query to the known cause with the same message, if enough queries with this message were shrunk already; returns
   * whether it did.
   */
  countKnown(index: number, { class: kind, detail }: Verdict): boolean {
    if (detail === '' && kind !== 'timeout') return false
    const known = this.#byMessage.get(`${kind} ${detail}`)
    if (!known || known.count < (kind === 'timeout' ? ENOUGH_LATE : ENOUGH)) return false
    const cause = this.#byKey.get(known.key)!
    this.#byKey.set(known.key, { ...cause, queries: [...cause.queries, index] })
    return true
  }

  add({ index, question, verdict }: Difference): void {
    const key = keyOf(question, verdict)
    const known = this.#byKey.get(key)
    const isShorter = !known || question.sql.length < known.sql.length
    const shown = isShorter ? told(question, verdict) : known
    const others = [...(known ? [known.sql, ...known.others] : []), question.sql]
    this.#byKey.set(key, {
      ...shown,
      class: verdict.class,
      key,
      others: [...new Set(others)].filter(sql => sql !== shown.sql).slice(0, MAX_OTHERS),
      queries: [...(known?.queries ?? []), index],
    })
    const message = `${verdict.class} ${verdict.detail}`
    this.#byMessage.set(message, { count: (this.#byMessage.get(message)?.count ?? 0) + 1, key })
  }

  /** All causes, the most frequent first. */
  list(): readonly Cause[] {
    return [...this.#byKey.values()].sort((a, b) => b.queries.length - a.queries.length)
  }
}

const addTo = (counts: Map<string, number>, key: string): Map<string, number> =>
  counts.set(key, (counts.get(key) ?? 0) + 1)

const told = ({ sql, reference, parameters }: Question, { expected, found }: Verdict) => ({
  sql,
  ...(reference === sql ? {} : { reference }),
  ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
  expected,
  found,
})

/** The message identifies a cause; where there is no message, or only rows differ, the words of the query do. */
function keyOf({ sql }: Question, { class: kind, detail }: Verdict): string {
  const isTold = detail !== '' && kind !== 'wrong'
  return `${kind}: ${isTold ? detail : [detail, wordsOf(sql)].filter(Boolean).join(' | ')}`
}

/** Words that are in most queries and so do not distinguish causes. */
const DULL = new Set('SELECT AS FROM CAST NULL STRUCT TRUE FALSE BY TO NULLS FIRST LAST DESC ASC'.split(' '))

/** The functions, operators and clauses of a query, sorted: queries with equal words are taken to have one cause. */
function wordsOf(sql: string): string {
  const bare = sql
    .replace(/'(?:[^'\\]|\\.)*'/g, "''")
    .replace(/`[^`]*`/g, '')
    .replace(/CAST\(NULL AS [^()]*\)/g, '')
    .replace(/(ARRAY|STRUCT)<[^()[]*>(?=[[(])/g, '')
  const words = bare.match(/[A-Z][A-Z0-9_.]*[A-Z0-9]|\|\||[-+*/=<>]+(?!\d)/g) ?? []
  return [...new Set(words)]
    .filter(word => !DULL.has(word))
    .sort()
    .join(' ')
}
