/** Runs one query on one connection and encodes its rows as the bytes of the result's body. */
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import { typeName } from '../../../../googlesql/data.js'
import { bodyRows } from '../../../result/body.js'
import { BrokenContractError, NO_PROMISE } from '../../../result/broken-contract.js'
import type { RowWriter } from '../../../result/row-writer.js'
import { ValueError } from '../../../result/scalar-text.js'
import type { Answers, CheckRequest, ExplainRequest, RunRequest } from '../process/messages.js'
import { withStatement } from '../values/bind-parameters.js'
import { type CellWriter, compileCellWriter, UnexpectedValueError } from '../values/cell-writer.js'
import { CutResultError, chunksOf } from '../values/result-chunks.js'
import { copyRows, type SendPart } from './copy-rows.js'
import { failureOf } from './failure.js'

/**
 * Runs a query. The answer's body holds the bytes that were not sent as parts. @throws any error; `failureOf` translates it.
 * A CutResultError does not say why the query failed; `reasonOfCut` finds it.
 * @param pipe a path for a pipe, to which DuckDB writes the rows of an export @default JavaScript writes them
 */
export async function runQuery(
  connection: DuckDBConnection,
  request: RunRequest,
  sendPart: SendPart,
  pipe?: string,
): Promise<Answers['run']> {
  const writeInJavaScript = (send: SendPart): Promise<Answers['run']> => streamRows(connection, request, send)
  if (pipe === undefined || request.exported === undefined) return writeInJavaScript(sendPart)
  // Loaded only here, as the formats are: most processes write no exports.
  const { FORBIDDEN_VALUE, copyStatement, COUNT_ROWS, TOO_MANY_ROWS } = await import('../values/copy-sql.js')
  const sql = copyStatement(request, pipe)
  if (sql === null) return writeInJavaScript(sendPart)
  const head = request.exported.format === 'parquet' ? new Uint8Array() : (await rowWriter(request)).finish()
  const copy = async (): Promise<number> => {
    await connection.run(COUNT_ROWS)
    return withStatement(connection, sql, request.parameters, async statement => (await statement.run()).rowsChanged)
  }
  let send = sendPart
  const sendCopied: SendPart = bytes => {
    // Some rows have been sent: if JavaScript writes the rows once more below, they are not sent again.
    send = async () => undefined
    return sendPart(bytes)
  }
  try {
    const { result: rows, body } = await copyRows(pipe, head, copy, sendCopied)
    return { body, rowCount: rows, isTruncated: false }
  } catch (error) {
    const failure = failureOf(error)
    const raised = failure.kind === 'query' ? failure.reason : null
    if (raised === TOO_MANY_ROWS) return { body: new Uint8Array(), rowCount: request.maxRows, isTruncated: true }
    // Rows have been sent, so the export fails in any case: at once, not after all rows have been read again.
    if (send !== sendPart && raised !== FORBIDDEN_VALUE) throw error
    // JavaScript writes the rows once more: it needs less memory, and its error names the value that no result may have.
    const answer = await writeInJavaScript(send).catch(reason => {
      throw reason instanceof CutResultError ? error : reason
    })
    if (send !== sendPart) throw error
    return answer
  }
}

function streamRows(connection: DuckDBConnection, request: RunRequest, sendPart: SendPart): Promise<Answers['run']> {
  return withStatement(connection, limitedSql(request), request.parameters, async statement => {
    const result = statement.stream()
    // The writers are compiled while DuckDB works.
    const writers = request.columns.map((column, i) =>
      compileCellWriter(column, request.contract[i] ?? NO_PROMISE, request),
    )
    return writeRows(await result, writers, request, await rowWriter(request), sendPart)
  })
}

/**
 * Finds why a query has failed after its first rows. DuckDB's binding gives the reason only if the query is not streamed. So the query
 * is run once more, by EXPLAIN ANALYZE: it carries out the same plan and drops the rows.
 * @returns DuckDB's error; a CutResultError if the query does not fail again
 */
export async function reasonOfCut(connection: DuckDBConnection, request: RunRequest): Promise<unknown> {
  const sql = `EXPLAIN ANALYZE ${limitedSql(request)}`
  return withStatement(connection, sql, request.parameters, statement => statement.run()).then(
    () => new CutResultError(),
    reason => reason,
  )
}

/** Compiles a query without running it. */
export const checkQuery = (connection: DuckDBConnection, { sql, columnCount }: CheckRequest): Promise<null> =>
  withStatement(connection, sql, [], statement => {
    // DuckDB may not know the columns before it knows the parameters' types. The number of columns is then checked at run time.
    const isUnknown = statement.columnCount === 1 && statement.columnName(0) === 'unknown'
    if (!isUnknown) expectColumns(columnCount, statement.columnCount)
    return null
  })

/** DuckDB's drawing of the plan, and the SQL. */
export const explainQuery = (
  connection: DuckDBConnection,
  { sql, parameters }: ExplainRequest,
): Promise<Answers['explain']> =>
  withStatement(connection, `EXPLAIN ${sql}`, parameters, async statement => {
    const rows = (await statement.runAndReadAll()).getRows()
    return { sql, plan: rows.map(row => String(row[1])).join('\n') }
  })

/**
 * Limits the SQL to one row more than `maxRows`. The additional row shows whether the result is cut; the limit saves DuckDB
 * from sorting all rows.
 */
const limitedSql = ({ sql, maxRows }: RunRequest): string =>
  Number.isSafeInteger(maxRows) ? `SELECT * FROM (${sql}\n) LIMIT ${maxRows + 1}` : sql

function expectColumns(expected: number, actual: number): void {
  if (actual !== expected) throw new UnexpectedValueError(`${expected} columns expected, DuckDB gave ${actual}`)
}

async function rowWriter({ columns, contract, maxBytes, exported }: RunRequest): Promise<RowWriter> {
  const names = columns.map(({ name }) => name)
  if (exported === undefined) return bodyRows(names, maxBytes)
  // Loaded here: only processes of exports write formats.
  const { exportRows } = await import('../../../formats/index.js')
  const typedColumns = columns.map(({ name, type }) => ({ name, type: typeName(type) }))
  return (await exportRows(exported.format))(typedColumns, { ...exported, isTruncated: false, contract })
}

async function writeRows(
  result: DuckDBResult,
  writers: readonly CellWriter[],
  request: RunRequest,
  body: RowWriter,
  sendPart: SendPart,
): Promise<Answers['run']> {
  expectColumns(writers.length, result.columnCount)
  const cells: string[] = []
  let [rowCount, column, isTruncated] = [0, 0, false]
  try {
    for await (const chunk of chunksOf(result)) {
      const vectors = writers.map((_, i) => chunk.getColumnVector(i))
      const rows = Math.min(chunk.rowCount, request.maxRows - rowCount)
      for (let row = 0; row < rows; row++) {
        for (column = 0; column < writers.length; column++) cells[column] = writers[column]!(vectors[column]!, row)
        body.add(cells)
        rowCount++
      }
      const part = body.takePart()
      if (part !== null) await sendPart(part)
      isTruncated = rows < chunk.rowCount
      if (isTruncated) break
    }
  } catch (error) {
    const name = request.columns[column]?.name ?? '?'
    if (error instanceof ValueError) throw new ValueError(`${error.message}, in row ${rowCount + 1} of column ${name}`)
    throw error instanceof BrokenContractError ? error.inColumn(name).inRow(rowCount + 1) : error
  }
  return { body: body.finish(), rowCount, isTruncated }
}
