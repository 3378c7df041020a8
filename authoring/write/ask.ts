/** Asks at a terminal for what `sluice new` needs. */

import { createInterface } from 'node:readline/promises'
import type { TableCatalogue, TableDefinition } from '../../googlesql/index.js'
import { RunnerError, UsageError } from '../../runner/model/errors.js'
import type { Io } from '../terminal/io.js'
import { columnsOf, requireTable, type TableOrder, TENANT_KINDS, TIME_KINDS } from './from-table.js'

/**
 * @throws UsageError where no person can be asked, and for an unknown table; RunnerError CALL_ABANDONED where the input ends before
 * the last answer.
 */
export async function askForTable(tables: TableCatalogue, io: Io): Promise<TableOrder> {
  if ((io.standardInput() as { readonly isTTY?: boolean }).isTTY !== true) {
    throw new UsageError(['new needs --table or --from-sql where it cannot ask at a terminal'])
  }
  const lines = createInterface({ input: io.standardInput() })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string> => {
    io.print(question)
    const { value, done } = await answers.next()
    if (done) throw new RunnerError('CALL_ABANDONED')
    return String(value).trim()
  }
  const askColumn = async (table: TableDefinition, what: string, kinds: readonly string[]): Promise<string | null> => {
    const columns = columnsOf(table, kinds)
    return columns.length === 0 ? null : (await ask(`${what} (${columns.join(', ')}; empty for none): `)) || null
  }
  try {
    const table = requireTable(tables, await ask(`Table (${[...tables.names()].sort().join(', ')}): `))
    const time = await askColumn(table, 'Column with the time of a row', TIME_KINDS)
    const tenant = await askColumn(table, 'Column with the tenant of a row', TENANT_KINDS)
    const hasInterval = time !== null && /^y/i.test(await ask('Count rows in buckets of time? (y/N) '))
    return { table, time, tenant, hasInterval }
  } finally {
    lines.close()
  }
}
