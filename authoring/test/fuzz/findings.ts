/** What a fuzz run has found: calls that fail on the server's side, one for each cause, each as a test. */

import type { Endpoint } from '../../../runner/model/endpoint.js'
import { quoted } from '../../../runner/model/program-text.js'
import type { Answer } from '../answer.js'
import type { TestArguments } from '../files/test-file.js'

export interface Finding {
  /** `502 QUERY_FAILED: endpoints/shop.funnel.yaml:41:12: division by zero` */
  readonly what: string
  readonly arguments: TestArguments
}

/** Why the answer is not one that a caller may get; null for rows as the contract has them, and for a caller's mistake. */
export function faultOf(answer: Answer, { columns }: Pick<Endpoint, 'columns'>): string | null {
  if (answer.kind === 'problem') {
    const { status, code, reason, detail } = answer
    return status < 500 ? null : `${status} ${code}: ${(reason || detail).split(/\n|; caused by: /, 1)[0]}`
  }
  const wanted = columns.map(({ name }) => name).join(', ')
  const found = answer.columns.map(({ name }) => name).join(', ')
  return found === wanted ? null : `the columns are ${found}`
}

/** The place in a manifest or partial before a reason. */
const PLACE = /^\S+\.(?:yaml|sql):\d+:\d+: /

/** The cause: equal for faults whose messages differ only in the values that they quote, or have after a colon. */
export function causeOf(fault: string): string {
  const [, code = '', message = fault] = /^(\d+ [A-Z_]+: )(.*)$/s.exec(fault) ?? []
  return (
    code +
    message
      .replace(PLACE, '')
      .replace(/[:"'`].*$/s, '')
      .replace(/\b\d+\b/g, 'n')
      .trimEnd()
  )
}

/**
 * A test file of the findings, in YAML: each test expects the columns of a result, so that it fails until the fault is gone.
 * @param now the time at which the calls ran, in ISO 8601
 */
export function findingsText(endpoint: Endpoint, findings: readonly Finding[], now: string): string {
  const columns = `[${endpoint.columns.map(({ name }) => quoted(name)).join(', ')}]`
  return [
    `now: ${now}`,
    'tests:',
    ...findings.flatMap(({ what, arguments: given }) => [
      `  # ${quoted(what).slice(1, -1)}`,
      `  - name: ${quoted(`fuzz: ${causeOf(what)}`)}`,
      ...(Object.keys(given).length === 0
        ? []
        : [`    arguments: { ${Object.entries(given).map(argumentText).join(', ')} }`]),
      `    expect: { columns: ${columns} }`,
    ]),
    '',
  ].join('\n')
}

const argumentText = ([name, value]: readonly [string, string | readonly string[]]): string =>
  `${name}: ${typeof value === 'string' ? quoted(value) : `[${value.map(quoted).join(', ')}]`}`
