/** Differences by their cause: those whose smallest queries are alike are one. */
import type { Verdict } from './judge.js'
import type { Question } from './render.js'
import { OVERLOADS } from './signatures.js'
import { descendants, type Node } from './tree.js'

export interface Difference {
  readonly index: number
  readonly family: string
  readonly question: Question
  readonly small: Node
  readonly smallQuestion: Question
  readonly verdict: Verdict
}

export interface Cause {
  readonly class: string
  readonly key: string
  readonly sql: string
  readonly reference: string | undefined
  readonly parameters: unknown
  readonly expected: string
  readonly found: string
  /** Numbers of the queries of this seed. */
  readonly queries: number[]
  /** Further smallest queries. */
  readonly others: string[]
  count: number
}

/** Of one message, no more queries than these are made smaller. */
const ENOUGH = 25

export class Causes {
  readonly #byKey = new Map<string, Cause>()
  readonly #byMessage = new Map<string, { readonly count: number; readonly key: string }>()
  readonly refusals = new Map<string, number>()
  readonly unanswered = new Map<string, number>()

  /** How many queries that were answered alike call each function. */
  readonly calls = new Map<string, number>()

  agree(root: Node): void {
    const called = new Set([...descendants(root)].flatMap(({ calls }) => calls ?? []))
    for (const name of called) this.calls.set(name, (this.calls.get(name) ?? 0) + 1)
  }
  refuse(detail: string): void {
    this.refusals.set(detail, (this.refusals.get(detail) ?? 0) + 1)
  }
  leave(detail: string): void {
    this.unanswered.set(detail, (this.unanswered.get(detail) ?? 0) + 1)
  }

  /** A cause that this difference may be counted with, since its message was looked into often enough. */
  enough({ class: kind, detail }: Verdict): Cause | undefined {
    if (detail === '' && kind !== 'timeout') return undefined
    const known = this.#byMessage.get(`${kind} ${detail}`)
    return known && known.count >= (kind === 'timeout' ? 4 : ENOUGH) ? this.#byKey.get(known.key) : undefined
  }

  add({ index, smallQuestion, verdict }: Difference): void {
    const isTold = verdict.detail !== '' && verdict.class !== 'wrong'
    const words = [verdict.detail, wordsOf(smallQuestion.sql)].filter(Boolean).join(' | ')
    const key = `${verdict.class}: ${isTold ? verdict.detail : words}`
    const { sql, reference, parameters } = smallQuestion
    const known = this.#byKey.get(key)
    const others = known ? [known.sql, ...known.others] : []
    const shown =
      !known || sql.length < known.sql.length
        ? {
            sql,
            reference: reference === sql ? undefined : reference,
            parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
            expected: verdict.expected,
            found: verdict.found,
            others,
          }
        : { ...known, others: [...known.others, sql] }
    const cause: Cause = {
      class: verdict.class,
      key,
      ...shown,
      others: [...new Set(shown.others)].filter(other => other !== shown.sql).slice(0, MAX_OTHERS),
      queries: [...(known?.queries ?? []), index],
      count: (known?.count ?? 0) + 1,
    }
    this.#byKey.set(key, cause)
    const message = `${verdict.class} ${verdict.detail}`
    this.#byMessage.set(message, { count: (this.#byMessage.get(message)?.count ?? 0) + 1, key })
  }

  /** The fuzzer's own fault. */
  crash(index: number, error: Error): void {
    const key = `crash: ${error.message.slice(0, 100)}`
    const cause = this.#byKey.get(key) ?? {
      class: 'crash',
      key,
      sql: '',
      reference: undefined,
      parameters: undefined,
      expected: '',
      found: error.stack ?? error.message,
      queries: [],
      others: [],
      count: 0,
    }
    cause.count++
    cause.queries.push(index)
    this.#byKey.set(key, cause)
  }

  list(): readonly Cause[] {
    return [...this.#byKey.values()].sort((a, b) => b.count - a.count)
  }
}

const DULL = new Set([
  'SELECT',
  'AS',
  'FROM',
  'CAST',
  'NULL',
  'STRUCT',
  'TRUE',
  'FALSE',
  'BY',
  'TO',
  'NULLS',
  'FIRST',
  'LAST',
  'DESC',
  'ASC',
])
const MAX_OTHERS = 8
const FEW = 5

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

export function causesText({
  seed,
  done,
  counts,
  byFamily,
  causes,
  refusals,
  unanswered,
  calls,
}: {
  readonly calls: ReadonlyMap<string, number>
  readonly seed: string
  readonly done: number
  readonly counts: ReadonlyMap<string, number>
  readonly byFamily: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly causes: readonly Cause[]
  readonly refusals: ReadonlyMap<string, number>
  readonly unanswered: ReadonlyMap<string, number>
}): string {
  const kinds = [...counts.keys()].sort()
  const ranked = (of: ReadonlyMap<string, number>): string[] =>
    [...of]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 60)
      .map(([text, number]) => `- ${number} × ${text}`)
  return [
    `# Seed ${seed}: ${done} queries`,
    '',
    `| Family | ${kinds.join(' | ')} |`,
    `| --- |${kinds.map(() => ' ---: |').join('')}`,
    ...[...byFamily]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([family, of]) => `| ${family} | ${kinds.map(kind => of.get(kind) ?? 0).join(' | ')} |`),
    `| **all** | ${kinds.map(kind => counts.get(kind) ?? 0).join(' | ')} |`,
    '',
    ...causes.flatMap(cause => [
      `## ${cause.count} × ${cause.key}`,
      '',
      '```sql',
      cause.sql,
      ...(cause.reference ? [`-- the reference: ${cause.reference}`] : []),
      ...(cause.parameters ? [`-- ${JSON.stringify(cause.parameters)}`] : []),
      ...cause.others.map(other => `-- also: ${other}`),
      '```',
      '',
      `- expected: ${cause.expected}`,
      `- found: ${cause.found}`,
      `- queries ${cause.queries.slice(0, 10).join(', ')}`,
      '',
    ]),
    '## Functions that few queries call which were answered alike',
    '',
    OVERLOADS.map(({ entry }) => entry.name)
      .filter((name, i, names) => names.indexOf(name) === i && (calls.get(name) ?? 0) < FEW)
      .map(name => `${name} ${calls.get(name) ?? 0}`)
      .join(', '),
    '',
    '## Refused by name',
    '',
    ...ranked(refusals),
    '',
    '## What the reference cannot answer',
    '',
    ...ranked(unanswered),
    '',
  ].join('\n')
}
