/** The worker thread that converts large JSON results to other formats, one at a time. */
import { parentPort } from 'node:worker_threads'
import { BodyTooLargeError } from '../result/body.js'
import type { FromDeriver, ToDeriver } from './deriver.js'
import { derive } from './index.js'

async function answer(job: ToDeriver): Promise<FromDeriver> {
  try {
    return { kind: 'derived', bytes: await derive(...job) }
  } catch (thrown) {
    if (thrown instanceof BodyTooLargeError) return { kind: 'too-large', maxBytes: thrown.maxBytes }
    return { kind: 'failed', reason: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

parentPort?.on('message', async (message: ToDeriver) => {
  const reply = await answer(message)
  if (reply.kind === 'derived') parentPort?.postMessage(reply, [reply.bytes.buffer as ArrayBuffer])
  else parentPort?.postMessage(reply)
})
