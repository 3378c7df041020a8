/**
 * Answers requests of agents in a thread, which the first request starts: the library of the protocol takes 0.2 s and 25 MB to load, and
 * its checks of a message would keep other calls waiting. The thread asks this one what the endpoints offer.
 */
import { setMaxListeners } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { raced } from '../model/deadline.js'
import { RunnerError } from '../model/errors.js'
import { FairTurns } from '../model/fair-queue.js'
import { nextTurn } from '../model/in-turns.js'
import { AskedThread } from '../platform/asked-thread.js'
import type { McpAnswer, McpRequest } from './answer-request.js'
import type { Offer } from './offer.js'
import type { Session } from './session.js'

/** A request, with the port for its questions and its answer. The port closes when the caller has left. */
export interface ToAgentThread {
  readonly request: McpRequest
  readonly port: MessagePort
}

/** A method of Offer with its arguments, and the port for its answer, which closes when the answer is no longer wanted. */
export interface Question {
  readonly method: keyof Offer
  readonly args: readonly unknown[]
  readonly port: MessagePort
}

export type FromAgentThread = Question | { readonly answer: McpAnswer } | { readonly failure: Error }

/** Undefined for a failure. */
export type FromOffer = { readonly value: unknown } | undefined

/** The thread works on a message for 1 ms or more, so many messages of one token would keep those of others waiting. */
const MOST_OF_TOKEN = 16

export class AgentThread {
  readonly #turns = new FairTurns({ maxRunning: Infinity, maxOfCaller: MOST_OF_TOKEN, maxOfEndpoint: MOST_OF_TOKEN })
  #thread: AskedThread | null = null
  #isClosed = false

  /**
   * The body is empty where there is nothing to say, as to a notification.
   * @throws RunnerError for a failure that is the answer to the whole request: 429; CALL_ABANDONED.
   */
  answer(request: McpRequest, session: Omit<Session, 'refuse'>): Promise<McpAnswer> {
    return this.#turns.run({ caller: session.caller.token, endpoint: '' }, () => this.#answer(request, session))
  }

  async #answer(request: McpRequest, session: Omit<Session, 'refuse'>): Promise<McpAnswer> {
    if (session.signal.aborted || this.#isClosed) throw new RunnerError('CALL_ABANDONED')
    const { offerOf } = await import('./offer.js')
    let refusal: RunnerError | null = null
    const refuse = (error: RunnerError): void => {
      refusal ??= error
    }
    const offer = offerOf({ ...session, refuse })
    this.#thread ??= this.#start()
    const { worker, ended } = this.#thread
    const { port1: port, port2 } = new MessageChannel()
    const answered = new Promise<McpAnswer>((resolve, reject) => {
      port.on('message', (sent: FromAgentThread) => {
        if ('answer' in sent) resolve(sent.answer)
        else if ('failure' in sent) reject(sent.failure)
        else void replyTo(sent, offer)
      })
    })
    try {
      worker.postMessage({ request, port: port2 } satisfies ToAgentThread, [port2])
      // The race with the thread is the outer one: it ends when the caller leaves, and removes its listener from the thread.
      const answer = await raced(raced(answered, session.signal), ended)
      if (refusal !== null) throw refusal
      await nextTurn()
      return answer
    } catch (thrown) {
      throw session.signal.aborted || this.#isClosed ? new RunnerError('CALL_ABANDONED') : thrown
    } finally {
      port.close()
    }
  }

  /** Ends the thread; requests that wait for it are abandoned. */
  close(): void {
    this.#isClosed = true
    void this.#thread?.worker.terminate()
  }

  #start(): AskedThread {
    const thread = new AskedThread('runner/mcp/agent-worker')
    thread.worker.unref()
    setMaxListeners(0, thread.ended) // Each waiting request adds a listener.
    thread.ended.addEventListener('abort', () => {
      if (this.#thread === thread) this.#thread = null
    })
    return thread
  }
}

async function replyTo({ method, args, port }: Question, offer: Offer): Promise<void> {
  const callerLeft = new AbortController()
  port.on('close', () => callerLeft.abort())
  const ask = offer[method] as (...args: readonly unknown[]) => Promise<unknown>
  const reply: FromOffer = await ask(...args, callerLeft.signal).then(
    value => ({ value }),
    () => undefined,
  )
  port.postMessage(reply)
  port.close()
}
