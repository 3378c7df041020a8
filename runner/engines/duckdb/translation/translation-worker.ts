/** The worker thread of the pool: it receives tables and texts, and answers each text with its translation. */
import { parentPort } from 'node:worker_threads'
import { SqlError, type TableCatalogue, tableCatalogue } from '../../../../googlesql/index.js'
import { translate } from '../../../../googlesql-duckdb/index.js'
import { readTypes } from '../values/parameter-values.js'
import { catalogueOf, type FromTranslator, type ToTranslator } from './translation-pool.js'

let tables: TableCatalogue = tableCatalogue([])

function answer({ id, sql, types, delay }: Extract<ToTranslator, { kind: 'text' }>): FromTranslator {
  try {
    const translation = translate(sql, tables, readTypes(types), { bindsTimes: true, ...(delay && { delay }) })
    const columns = translation.columns.map(({ column: _, type, ...rest }) => ({ ...rest, type: JSON.stringify(type) }))
    return { kind: 'translated', id, translation: { ...translation, columns } }
  } catch (thrown) {
    if (!(thrown instanceof SqlError)) return { kind: 'failed', id }
    const { reason, offset, mistake } = thrown
    return { kind: 'mistake', id, reason, offset, mistake }
  }
}

parentPort?.on('message', (message: ToTranslator) => {
  if (message.kind === 'text') parentPort?.postMessage(answer(message))
  else tables = catalogueOf(message.source)
})
