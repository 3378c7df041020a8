/** The tool `run_query`: an author's SQL on the embedded engine, with its limits. Never over HTTP. */
import { type SqlProblem, withAdvice } from '../../googlesql/index.js'
import { mistakeAnswer, rowsAnswer, type ToolAnswer } from '../../runner/mcp/answers.js'
import { type GivenArguments, noteOf, rowsOf, unknownArguments } from '../../runner/mcp/call-endpoint.js'
import { excerptOf } from '../../runner/mcp/excerpt.js'
import type { OtherTool } from '../../runner/mcp/session.js'
import { answerSchema, MAX_ROWS, READ_ONLY, ROWS, rowsArgumentSchema } from '../../runner/mcp/tools.js'
import { invalidArguments } from '../../runner/model/errors.js'
import type { Clock, Engine } from '../../runner/model/ports.js'
import { withNow } from '../call/with-now.js'
import { constantsChecker } from '../check/constants.js'
import { listOf, strictObject, TEXT } from './schemas.js'

export interface RunQueryDeps {
  readonly engine: Engine
  readonly clock: Clock
  /** The most bytes of an answer's rows. */
  readonly maxBytes: number
}

const TIMEOUT_MS = 30_000
/** The most rows that a query gives, as in `sluice query`. */
const RESULT_ROWS = 1_000
const LIMITS = { maxRows: RESULT_ROWS, timestamps: 'iso8601', endpoint: 'query', timeoutMs: TIMEOUT_MS } as const

export function runQueryTool(deps: RunQueryDeps): OtherTool {
  const check = constantsChecker(deps.engine)
  return {
    tool: TOOL,
    async call(args, signal) {
      const { sql, rows } = readArguments(args)
      const parameters = withNow(sql, {}, deps.clock)
      const types = Object.fromEntries(Object.entries(parameters).map(([name, { type }]) => [name, type]))
      const checked = await check(sql, types)
      if (!checked.ok) return mistakeAnswer(problemText(checked.problem, sql))
      const { compiled } = checked
      const query = { sql, parameters, ...(compiled && { compiled }) }
      const result = await deps.engine.run(query, { ...LIMITS, signal })
      return rowsOfQuery(result, rows, deps)
    },
  }
}

function rowsOfQuery(
  result: Awaited<ReturnType<Engine['run']>>,
  maxRows: number,
  { maxBytes }: RunQueryDeps,
): ToolAnswer {
  const { columns } = result
  const excerpt = excerptOf(result, { maxRows, maxBytes })
  const note = excerpt.isTruncated ? noteOf(excerpt.rows, result, null) : null
  return rowsAnswer(excerpt.text(note, { columns: columns.map(({ name, type }) => ({ name, type })) }), null)
}

const COLUMNS = listOf(strictObject({ name: TEXT, type: TEXT }, ['name', 'type']), {
  description: 'The columns in order, with their types in GoogleSQL.',
})
const EXAMPLES = ['SELECT COUNT(*) AS entries FROM `logs.edge`']

const TOOL: OtherTool['tool'] = {
  name: 'run_query',
  title: 'Run a query',
  description:
    'Runs one SELECT in GoogleSQL (the SQL of BigQuery) over the local tables, to try what a manifest will say. @now is the time. ' +
    `It stops after ${TIMEOUT_MS / 1000} s, and gives at most ${RESULT_ROWS} rows, of which \`${ROWS.name}\` are shown.`,
  inputSchema: strictObject(
    { sql: { ...TEXT, description: 'The query.', examples: EXAMPLES }, [ROWS.name]: rowsArgumentSchema(ROWS) },
    ['sql'],
  ),
  outputSchema: answerSchema({ type: 'object' }, MAX_ROWS, { columns: COLUMNS }),
  annotations: READ_ONLY,
}

/** @throws RunnerError ARGUMENT_INVALID. */
function readArguments(args: GivenArguments): { readonly sql: string; readonly rows: number } {
  const errors = unknownArguments(args, ['sql', ROWS.name])
  const { sql } = args
  if (typeof sql !== 'string' || sql.trim() === '') errors.push({ parameter: 'sql', detail: 'is required, as text' })
  const rows = rowsOf(args, errors)
  if (errors.length > 0) throw invalidArguments(errors)
  return { sql: sql as string, rows }
}

/** The mistake with its place and what to write instead, and the line with a caret below it. */
function problemText(problem: SqlProblem, sql: string): string {
  const { line, column } = problem
  const { message } = withAdvice(problem, sql)
  const text = sql.split(/\r?\n/)[line - 1] ?? ''
  const indent = text.slice(0, column - 1).replace(/[^\t]/g, ' ')
  return `${line}:${column}: ${message}\n${text}\n${indent}^`
}
