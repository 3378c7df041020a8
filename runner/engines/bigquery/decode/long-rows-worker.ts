/** The thread that decodes the long rows of one query. */
import { parentPort, workerData } from 'node:worker_threads'
import { rowCells } from './cell-texts.js'
import type { LongRowsCells, LongRowsStart } from './long-rows.js'
import { parseRows } from './parse-answer.js'
import { resultColumns } from './result-columns.js'

const { schema, timestamps, contract = [] } = workerData as LongRowsStart

function cellsOf(rows: string): LongRowsCells {
  try {
    return parseRows(rows).map(rowCells(resultColumns(schema), timestamps, contract))
  } catch {
    return null
  }
}

parentPort?.on('message', (rows: string) => parentPort?.postMessage(cellsOf(rows)))
