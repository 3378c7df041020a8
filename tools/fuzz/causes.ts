/** Differences by their cause: those whose smallest queries are alike are one. */
import type { BoundValue } from '../../runner/index.js'
import type { Class, Verdict } from './judge.js'
import type { Question } from './render.js'
import { descendants, type Node } from './tree.js'

/** A difference that was made as small as it gets. */
export interface Difference {
  /** The number of the query that showed it. */
  readonly index: number
  readonly question: Question
  readonly verdict: Verdict
}

export interface Cause {
  readonly class: Class
  /** What the queries have in common: the message, or else their words. */
  readonly key: string
  /** The shortest query. */
  readonly sql: string
  /** What the reference was asked, where those are other words. */
  readonly reference?: string
  readonly parameters?: Readonly<Record<string, BoundValue>>
  readonly expected: string
  readonly found: string
  /** Other smallest queries. */
  readonly others: readonly string[]
  /** Numbers of the queries that showed it. */
  readonly queries: readonly number[]
}

/** Of one message, no more queries than these are made smaller; of time-outs, which take long, fewer. */
const ENOUGH = 25
const ENOUGH_LATE = 4
const MAX_OTHERS = 8

export class Causes {
  readonly #byKey = new Map<string, Cause>()
  /** How many differences of a message were made smaller, and the key of the last. */
  readonly #byMessage = new Map<string, { readonly count: number; readonly key: string }>()
  /** How often each refusal by name was met. */
  readonly refusals = new Map<string, number>()
  /** Why the reference had no answer, and how often. */
  readonly unanswered = new Map<string, number>()
  /** How many queries that were answered alike call each function. */
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

  /** Counts the difference with a cause of the same message that was looked into often enough; false where there is none. */
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

  /** The most frequent first. */
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

/** A message tells a cause; where there is none, or it says only how rows differ, the words of the query do. */
function keyOf({ sql }: Question, { class: kind, detail }: Verdict): string {
  const isTold = detail !== '' && kind !== 'wrong'
  return `${kind}: ${isTold ? detail : [detail, wordsOf(sql)].filter(Boolean).join(' | ')}`
}

/** They are in most queries and tell nothing. */
const DULL = new Set('SELECT AS FROM CAST NULL STRUCT TRUE FALSE BY TO NULLS FIRST LAST DESC ASC'.split(' '))

/** Functions, operators and clauses of a query, by which queries of one cause are alike. */
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
