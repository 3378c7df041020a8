/**
 * Finds the code of a mistake in SQL for which BigQuery gives only a message. Where our own resolver fails at the same place, its
 * mistake has the code. Otherwise the beginnings of four messages show theirs.
 */
import { orMistake, SqlError, type SqlMistake, type SqlProblem } from '../../../googlesql/index.js'

/** The only patterns of BigQuery's messages about mistakes in SQL. */
const HINT = /; Did you mean ([^\s?]+)\?$|\. Supported signatures?: .*$/
const NAME_PATTERNS = [
  ['unknown-name', /^Unrecognized name: (\w+)/],
  ['unknown-function', /^Function not found: ([\w.]+)/],
  ['unknown-type', /^Type not found: (\w+)/],
] as const

/** @param resolve resolves the query here @throws what `resolve` throws, except SqlError. */
export function codedProblem(problem: SqlProblem, resolve: () => unknown): SqlProblem {
  const error = orMistake(resolve)
  const isSame = error instanceof SqlError && error.place.line === problem.line && error.place.column === problem.column
  const mistake = (isSame ? error.mistake : undefined) ?? namedMistake(problem.message)
  const [hint, meant] = HINT.exec(problem.message) ?? []
  return mistake === undefined ? problem : { ...problem, mistake: { ...mistake, hint, meant } }
}

function namedMistake(message: string): SqlMistake | undefined {
  if (message.startsWith('Syntax error: ')) return { code: 'syntax', form: 'other', expected: [] }
  for (const [code, pattern] of NAME_PATTERNS) {
    const name = pattern.exec(message)?.[1]
    if (name !== undefined) return { code, name }
  }
  return undefined
}
