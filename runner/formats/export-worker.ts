/** The thread that writes the rows of one export. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ExportStart, FromExport, ToExport } from './export-rows.js'
import { exportRows } from './index.js'

const { format, columns, facts } = workerData as ExportStart
const writer = exportRows(format).then(makeRows => makeRows(columns, facts))

async function answer({ rows, isLast }: ToExport): Promise<FromExport> {
  try {
    const open = await writer
    for (const row of rows) open.add(row)
    return { bytes: isLast ? open.finish() : open.takePart() }
  } catch (thrown) {
    return { failure: thrown as Error }
  }
}

parentPort?.on('message', async (message: ToExport) => {
  parentPort?.postMessage(await answer(message))
})
