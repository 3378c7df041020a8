/** The facts of a run of tests, as every format of `sluice test` tells them. */

import { shellWord } from '../terminal/shell-word.js'
import type { Failure } from './check-answer.js'
import type { CaseResult } from './run-case.js'
import type { TestRun } from './run-tests.js'

export interface Report extends TestRun {
  /** The files whose expectations were written anew. */
  readonly updated: readonly string[]
  /** The least coverage, in percent; null for no minimum. */
  readonly minimum: number | null
  /** The flags of the command line that are settings. */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** The place of a test, or of one of its expectations. */
export function placeOf({ tests, test }: CaseResult, failure: Failure | null = null) {
  if (failure === null || failure.key === null) return tests.source.valueAt([...test.path, 'name'])
  return tests.source.keyAt([...test.path, 'expect', failure.key])
}

/** The command line that runs this test alone. */
export function repeatCommand({ tests, test }: CaseResult, flags: Report['flags']): string {
  const flagWords = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined || name === 'watch' ? [] : [`--${name}`, value],
  )
  return ['sluice test', ...[tests.file, '--name', test.name, ...flagWords].map(shellWord)].join(' ')
}

/** The failures of a test as lines, with their tables. */
export const failureLines = (failures: readonly Failure[]): readonly string[] =>
  failures.flatMap(({ key, message, lines }) => [
    key === null ? message : `${key}: ${message}`,
    ...lines.map(line => `  ${line}`.trimEnd()),
  ])

export const isFailed = ({ failures }: CaseResult): boolean => failures.length > 0

/** Whether the coverage is below the minimum. */
export const isBelowMinimum = ({ coverage, minimum }: Report): boolean =>
  coverage !== null && minimum !== null && coverage.percent < minimum

export function summary(report: Report): string {
  const { results, skipped, durationMs, coverage, minimum } = report
  const failed = results.filter(isFailed).length
  const parts = [
    `${results.length - failed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} could not run`] : []),
  ]
  const shortfall = isBelowMinimum(report) ? `; coverage is ${coverage!.percent} %, less than ${minimum} %` : ''
  return `${parts.join(', ')} in ${(durationMs / 1000).toFixed(1)} s${shortfall}`
}
