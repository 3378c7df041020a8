/** The thread that writes the rows of one export. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ExportStart, FromExport, ToExport } from './export-rows.js'
import { exportRows } from './index.js'

const { format, columns, facts } = workerData as ExportStart
const loading = exportRows(format).then(makeRows => makeRows(columns, facts))

async function answer({ rows, isLast }: ToExport): Promise<FromExport> {
  try {
    const writer = await loading
    for (const row of rows) writer.add(row)
    return { bytes: isLast ? writer.finish() : writer.takePart() }
  } catch (thrown) {
    return { failure: thrown as Error }
  }
}

parentPort?.on('message', async (message: ToExport) => {
  parentPort?.postMessage(await answer(message))
})
