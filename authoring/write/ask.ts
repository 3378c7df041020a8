/** Asks at a terminal for what `sluice new` needs. */

import { createInterface } from 'node:readline/promises'
import type { TableCatalogue, TableDefinition } from '../../googlesql/index.js'
import { RunnerError } from '../../runner/model/errors.js'
import { didYouMean } from '../../runner/model/suggest.js'
import type { Io } from '../terminal/io.js'
import { type TableOrder, TENANT_KINDS, TIME_KINDS } from './from-table.js'

/** Whether a person can be asked. */
export const isAsked = (io: Io): boolean => (io.standardInput() as { readonly isTTY?: boolean }).isTTY === true

/** @throws RunnerError CALL_ABANDONED where the input ends before the last answer. */
export async function askForTable(tables: TableCatalogue, io: Io): Promise<TableOrder> {
  const lines = createInterface({ input: io.standardInput() })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string> => {
    io.print(question)
    const { value, done } = await answers.next()
    if (done) throw new RunnerError('CALL_ABANDONED')
    return String(value).trim()
  }
  try {
    const table = await askTable(tables, ask, io)
    const time = await askColumn(table, 'Column with the time of a row', TIME_KINDS, ask, io)
    const tenant = await askColumn(table, 'Column with the tenant of a row', TENANT_KINDS, ask, io)
    const hasInterval = time !== null && /^y/i.test(await ask('Count rows in buckets of time? (y/N) '))
    return { table, time, tenant, hasInterval }
  } finally {
    lines.close()
  }
}

type Ask = (question: string) => Promise<string>

async function askTable(tables: TableCatalogue, ask: Ask, io: Io): Promise<TableDefinition> {
  const names = [...tables.names()].sort()
  for (;;) {
    const answer = await ask(`Table (${names.join(', ')}): `)
    const table = tables.find(answer)
    if (table) return table
    io.print(`There is no table ${answer}${didYouMean(answer, names).hint}\n`)
  }
}

/** Null for an empty answer. */
async function askColumn(
  { columns }: TableDefinition,
  what: string,
  kinds: readonly string[],
  ask: Ask,
  io: Io,
): Promise<string | null> {
  const fit = columns.filter(({ type }) => kinds.includes(type.kind)).map(({ name }) => name)
  if (fit.length === 0) return null
  for (;;) {
    const answer = await ask(`${what} (${fit.join(', ')}; empty for none): `)
    if (answer === '') return null
    const column = fit.find(name => name.toLowerCase() === answer.toLowerCase())
    if (column !== undefined) return column
    io.print(`No such column is named ${answer}\n`)
  }
}
