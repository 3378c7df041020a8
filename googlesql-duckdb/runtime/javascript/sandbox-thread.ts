/**
 * The thread in which JavaScript functions run. The thread that asks waits until `isAnswered` is set, and its event loop stands still
 * meanwhile. Then it takes the answer from its end of the channel.
 */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { ScalarFunctionError } from '../scalar-functions/scalar-function.js'
import { loadSandbox, runCalls } from './sandbox.js'

/** The first message to the thread. The thread answers with an empty message when it is ready for calls. */
export interface SandboxChannel {
  /** Takes SandboxRequest and gives SandboxAnswer. */
  readonly port: MessagePort
  /** One element in shared memory: 1 once the answer has been posted. */
  readonly isAnswered: Int32Array
}

/** The calls of one function, as `runCalls` takes them. */
export interface SandboxRequest {
  readonly definition: string
  readonly calls: readonly string[]
}

/** `refusal` is the message of a ScalarFunctionError; null stands for any other error. */
export type SandboxAnswer = { readonly results: readonly (string | null)[] } | { readonly refusal: string | null }

function answerTo({ definition, calls }: SandboxRequest): SandboxAnswer {
  try {
    return { results: runCalls(definition, calls) }
  } catch (error) {
    return { refusal: error instanceof ScalarFunctionError ? error.message : null }
  }
}

parentPort!.once('message', async ({ port, isAnswered }: SandboxChannel) => {
  await loadSandbox()
  port.on('message', async (request: SandboxRequest) => {
    // Replaces a sandbox that has grown or has failed.
    await loadSandbox()
    port.postMessage(answerTo(request))
    Atomics.store(isAnswered, 0, 1)
    Atomics.notify(isAnswered, 0)
  })
  port.postMessage(null)
})
