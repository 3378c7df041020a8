/** The thread that speaks the protocol of agents. */
import { once } from 'node:events'
import { MessageChannel, type MessagePort, parentPort } from 'node:worker_threads'
import { RunnerError } from '../model/errors.js'
import type { FromAgentThread, FromOffer, Question, ToAgentThread } from './agent-thread.js'
import { answerRequest } from './answer-request.js'
import type { Offer } from './offer.js'

parentPort?.on('message', async ({ request, port }: ToAgentThread) => {
  const callerLeft = new AbortController()
  port.on('close', () => callerLeft.abort())
  const sent: FromAgentThread = await answerRequest(request, offerAt(port), callerLeft.signal).then(
    answer => ({ answer }),
    (failure: Error) => ({ failure }),
  )
  port.postMessage(sent, 'answer' in sent ? [sent.answer.body.buffer] : [])
  port.close()
})

/** An offer that sends its questions through this port. */
function offerAt(port: MessagePort): Offer {
  // biome-ignore lint/suspicious/noExplicitAny: the type of an answer depends on the method
  async function ask(method: keyof Offer, args: readonly unknown[], signal?: AbortSignal): Promise<any> {
    const { port1, port2 } = new MessageChannel()
    port.postMessage({ method, args, port: port2 } satisfies Question, [port2])
    try {
      const [reply] = (await once(port1, 'message', { ...(signal && { signal }) })) as [FromOffer]
      if (reply === undefined) throw new RunnerError('INTERNAL') // The main thread has observed why.
      return reply.value
    } finally {
      port1.close()
    }
  }
  return {
    tools: () => ask('tools', []),
    resources: () => ask('resources', []),
    call: (name, args, signal) => ask('call', [name, args], signal),
    read: uri => ask('read', [uri]),
  }
}
