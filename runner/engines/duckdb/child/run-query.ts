/** Runs one query on one connection and makes finished bytes of its rows. */
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  StatementType,
} from '@duckdb/node-api'
import type { StructField } from '../../../../googlesql/data.js'
import { bodyBuilder } from '../../../encode/body.js'
import { compileRowWriter } from '../../../encode/row-writer.js'
import type { Answers, CheckRequest, ExplainRequest, Failure, RunRequest, WireParameter } from '../process/messages.js'
import { bindParameters } from '../values/bind-parameters.js'
import { type CellWriter, compileCellWriter, UnexpectedValueError } from '../values/cell-writer.js'
import { failureOf, isRegexpFailure, re2Reason } from './failure.js'
import { prepareEach, type Statements } from './prepared-statements.js'

/** Takes a part of a result's body as soon as it is there, so that no result is whole in memory. */
export type SendPart = (bytes: Uint8Array) => Promise<void>

/** The answer's body is what no part has. @throws whatever failed; `failureOf` words it. */
export async function runQuery(
  connection: DuckDBConnection,
  request: RunRequest,
  sendPart: SendPart,
  statements: Statements = prepareEach(prepareSelect),
): Promise<Answers['run']> {
  return statements.use(connection, limited(request.sql, request.maxRows), async statement => {
    checkWidth(statement, request.columns)
    bindParameters(statement, request.parameters)
    const begun = statement.stream()
    // Made while DuckDB works.
    const writers = request.columns.map(column => compileCellWriter(column, request))
    return writeRows(await begun, writers, request, sendPart)
  })
}

/** Compiles only. */
export async function checkQuery(connection: DuckDBConnection, { sql, columns }: CheckRequest): Promise<null> {
  const prepared = await prepareSelect(connection, sql)
  try {
    checkWidth(prepared, columns)
    return null
  } finally {
    prepared.destroySync()
  }
}

/** The plan, as DuckDB draws it, and what of. */
export async function explainQuery(connection: DuckDBConnection, request: ExplainRequest): Promise<Answers['explain']> {
  const prepared = await connection.prepare(`EXPLAIN ${request.sql}`)
  try {
    bindParameters(prepared, request.parameters)
    const reader = await prepared.runAndReadAll()
    const plan = reader.getRows().map(row => String(row[1]))
    return { sql: request.sql, plan: plan.join('\n') }
  } finally {
    prepared.destroySync()
  }
}

/**
 * The failure of a query; where an invalid regular expression is a bound value, the argument's failure. `connection` is
 * free again.
 */
export async function queryFailure(
  connection: DuckDBConnection,
  error: unknown,
  parameters: readonly WireParameter[],
): Promise<Failure> {
  const failure = failureOf(error)
  if (!isRegexpFailure(failure)) return failure
  const errors = []
  for (const { name, value } of parameters) {
    for (const text of Array.isArray(value) ? value : [value]) {
      const reason = typeof text === 'string' ? await whyNoRegexp(connection, text) : null
      if (reason === null) continue
      errors.push({ parameter: name, detail: `is not a valid RE2 regular expression: ${reason}` })
      break
    }
  }
  return errors.length === 0 ? failure : { kind: 'argument', errors, cause: 'cause' in failure ? failure.cause : '' }
}

async function whyNoRegexp(connection: DuckDBConnection, pattern: string): Promise<string | null> {
  try {
    await connection.run("SELECT regexp_matches('', $1)", [pattern])
    return null
  } catch (error) {
    return re2Reason(error)
  }
}

/** One row more than wanted shows whether there are more; and DuckDB need not sort what nobody asks for. */
function limited(sql: string, maxRows: number): string {
  return Number.isSafeInteger(maxRows) ? `SELECT * FROM (${sql}\n) LIMIT ${maxRows + 1}` : sql
}

/** The translator writes nothing but SELECT; here is where that would be noticed. */
export async function prepareSelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  const prepared = await connection.prepare(sql)
  if (prepared.statementType === StatementType.SELECT) return prepared
  prepared.destroySync()
  throw new UnexpectedValueError('Only SELECT statements are run')
}

function checkWidth(prepared: DuckDBPreparedStatement, columns: readonly StructField[]): void {
  if (prepared.columnCount === columns.length) return
  // DuckDB does not know the columns of a statement before its parameters' types; then the width shows when it runs.
  if (prepared.columnCount === 1 && prepared.columnName(0) === 'unknown') return
  throw new UnexpectedValueError(`${columns.length} columns expected, DuckDB gave ${prepared.columnCount}`)
}

async function writeRows(
  result: DuckDBResult,
  writers: readonly CellWriter[],
  request: RunRequest,
  sendPart: SendPart,
): Promise<Answers['run']> {
  if (result.columnCount !== writers.length) throw new UnexpectedValueError('DuckDB gave another number of columns')
  const body = bodyBuilder(
    compileRowWriter(
      request.columns.map(column => column.name),
      request.format,
    ),
    request.maxBytes,
  )
  const cells: (string | null)[] = new Array(writers.length).fill(null)
  let rowCount = 0
  for await (const chunk of chunksOf(result)) {
    const vectors = writers.map((_, i) => chunk.getColumnVector(i))
    for (let row = 0; row < chunk.rowCount; row++) {
      if (rowCount === request.maxRows) return { body: body.finish(), rowCount, isTruncated: true }
      for (let i = 0; i < writers.length; i++) cells[i] = writers[i]!(vectors[i]!, row)
      body.add(cells)
      rowCount++
    }
    const part = body.takePart()
    if (part !== null) await sendPart(part)
  }
  return { body: body.finish(), rowCount, isTruncated: false }
}

/** Those with rows. While one is looked at, DuckDB works on the next; who leaves before the last waits for that one. */
async function* chunksOf(result: DuckDBResult): AsyncGenerator<DuckDBDataChunk> {
  const begin = (): Promise<DuckDBDataChunk | null> => {
    const chunk = result.fetchChunk()
    // A failure is seen when its turn comes, which is no reason to end the process before.
    chunk.catch(() => null)
    return chunk
  }
  let next = begin()
  try {
    for (;;) {
      const chunk = await next
      if (chunk === null || chunk.rowCount === 0) return
      next = begin()
      yield chunk
    }
  } finally {
    await next.catch(() => null)
  }
}
