/** The worker thread that converts large JSON results to other formats, one at a time. */
import { parentPort } from 'node:worker_threads'
import type { FromDeriver, ToDeriver } from './deriver.js'
import { derive } from './index.js'
import { refusalOf } from './refusal.js'

async function answer(job: ToDeriver): Promise<FromDeriver> {
  try {
    return { kind: 'derived', bytes: await derive(...job) }
  } catch (thrown) {
    const detail = refusalOf(thrown)
    if (detail !== null) return { kind: 'too-large', detail }
    return { kind: 'failed', reason: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

parentPort?.on('message', async (message: ToDeriver) => {
  const reply = await answer(message)
  if (reply.kind === 'derived') parentPort?.postMessage(reply, [reply.bytes.buffer as ArrayBuffer])
  else parentPort?.postMessage(reply)
})
