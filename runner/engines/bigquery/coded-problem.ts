/**
 * Finds the code of a mistake that BigQuery reports, since BigQuery gives a message alone. Where our own resolver fails at the same
 * place, its mistake is taken. Otherwise four of BigQuery's messages are known by their beginnings.
 */
import { orMistake, SqlError, type SqlMistake, type SqlProblem } from '../../../googlesql/index.js'

/** The only patterns of BigQuery's messages about mistakes in SQL. */
const HINT = /; Did you mean ([^\s?]+)\?$|\. Supported signatures?: .*$/
const NAMED = [
  ['unknown-name', /^Unrecognized name: (\w+)/],
  ['unknown-function', /^Function not found: ([\w.]+)/],
  ['unknown-type', /^Type not found: (\w+)/],
] as const

/** @param resolve resolves the query here @throws what `resolve` throws, except SqlError. */
export function codedProblem(problem: SqlProblem, resolve: () => unknown): SqlProblem {
  const own = orMistake(resolve)
  const isSame = own instanceof SqlError && own.place.line === problem.line && own.place.column === problem.column
  const mistake = (isSame ? own.mistake : undefined) ?? namedMistake(problem.message)
  const [hint, meant] = HINT.exec(problem.message) ?? []
  return mistake === undefined ? problem : { ...problem, mistake: { ...mistake, hint, meant } }
}

function namedMistake(message: string): SqlMistake | undefined {
  if (message.startsWith('Syntax error: ')) return { code: 'syntax', form: 'other', expected: [] }
  for (const [code, pattern] of NAMED) {
    const name = pattern.exec(message)?.[1]
    if (name !== undefined) return { code, name }
  }
  return undefined
}
