/** The report of a run: figures by family, causes with their smallest queries, and what could not be compared. */
import type { Cause, Causes } from './causes.js'
import { OVERLOADS } from './signatures.js'

export interface Run {
  readonly seed: string
  readonly done: number
  readonly counts: ReadonlyMap<string, number>
  readonly byFamily: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly causes: Causes
}

/** Functions that fewer queries call are listed as rarely called. */
const FEW = 5
const MAX_MESSAGES = 60

/** The report in Markdown. */
export function reportText({ seed, done, counts, byFamily, causes }: Run): string {
  const outcomes = [...counts.keys()].sort()
  const row = (name: string, of: ReadonlyMap<string, number>): string =>
    `| ${name} | ${outcomes.map(outcome => of.get(outcome) ?? 0).join(' | ')} |`
  return [
    `# Seed ${seed}: ${done} queries`,
    '',
    `| Family | ${outcomes.join(' | ')} |`,
    `| --- |${outcomes.map(() => ' ---: |').join('')}`,
    ...[...byFamily].sort(([a], [b]) => (a < b ? -1 : 1)).map(([family, of]) => row(family, of)),
    row('**all**', counts),
    '',
    ...causes.list().flatMap(causeText),
    `## Functions that fewer than ${FEW} queries call which both answered alike`,
    '',
    rarelyCalled(causes.calls).join(', '),
    '',
    '## Refused by name',
    '',
    ...ranked(causes.refusals),
    '',
    '## What the reference cannot answer',
    '',
    ...ranked(causes.unanswered),
    '',
  ].join('\n')
}

function causeText({ queries, key, sql, reference, parameters, others, expected, found }: Cause): readonly string[] {
  return [
    `## ${queries.length} × ${key}`,
    '',
    '```sql',
    sql,
    ...(reference ? [`-- the reference: ${reference}`] : []),
    ...(parameters ? [`-- ${JSON.stringify(parameters)}`] : []),
    ...others.map(other => `-- also: ${other}`),
    '```',
    '',
    `- expected: ${expected}`,
    `- found: ${found}`,
    `- queries ${queries.slice(0, 10).join(', ')}`,
    '',
  ]
}

function rarelyCalled(calls: ReadonlyMap<string, number>): readonly string[] {
  const names = new Set(OVERLOADS.map(({ entry }) => entry.name))
  return [...names].filter(name => (calls.get(name) ?? 0) < FEW).map(name => `${name} ${calls.get(name) ?? 0}`)
}

const ranked = (counts: ReadonlyMap<string, number>): readonly string[] =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_MESSAGES)
    .map(([message, count]) => `- ${count} × ${message}`)
