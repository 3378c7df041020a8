/** What was asked of the engine: whose turn it is, what the child has, and what is tried again when the child dies. */
import { RunnerError } from '../../../model/errors.js'
import type { Clock } from '../../../model/ports.js'
import { fairQueue } from './fair-queue.js'
import type { Answers, Failure, Request, ToChild } from './messages.js'

export interface AskOptions {
  /** When it fires the work is stopped, whether it runs or waits, and the promise rejects with an `interrupted` failure. */
  readonly signal?: AbortSignal
  /** Whose request it is: nobody gets all connections. @default one for all who give none */
  readonly caller?: string
}

export type Ask = <K extends Request['kind']>(
  request: Extract<Request, { kind: K }>,
  options?: AskOptions,
) => Promise<Answers[K]>

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}

/** Why the child is gone, or could not open; for the log. */
export class EngineDiedError extends Error {
  override readonly name = 'EngineDiedError'
}

export interface Work {
  /** @throws RequestFailure; RunnerError ENGINE_UNAVAILABLE when two children died of, or with, the request. */
  readonly ask: Ask
  /** The child can be sent requests from now on, or no longer. */
  readonly setReady: (isReady: boolean) => void
  /** The child has a part of the body that the request will be answered with. */
  readonly addPart: (id: number, bytes: Uint8Array) => void
  /** The child has done with a request. */
  readonly settle: (id: number, outcome: Outcome) => void
  /**
   * The child is gone, and what it had is kept for the next one; all of it, when it was ended for none of it.
   * @returns whether it had anything.
   */
  readonly loseChild: (reason: string, isBlameless: boolean) => boolean
  /** Fails everything that waits. */
  readonly refuse: (reason: string) => void
}

export interface WorkOptions {
  readonly connections: number
  readonly clock: Clock
  readonly post: (message: ToChild) => void
  /** A request goes on although it was told to stop. */
  readonly onStuck: () => void
}

type Outcome = { readonly answer: Answers[keyof Answers] } | { readonly failure: Failure }

interface Job {
  readonly id: number
  readonly request: Request
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
  /** Whose turn it takes in the queue; null for what needs no connection. */
  key: string | null
  /** Of children that died while they had it. */
  deaths: number
  /** Of its body, so far. */
  parts: Uint8Array[]
}

/** How long a query may go on once it was told to stop; DuckDB's planner and a function of ours do not hear of it. */
const STOP_WITHIN_MS = 2_000
/** Connections that one caller leaves to others. */
const LEFT_TO_OTHERS = 2
/** A request is given up when so many children died while they had it. */
const MOST_DEATHS = 2
/** The key of those that had a child die: one after the other, so that the one at fault takes few of them along again. */
const SUSPECTS = '~suspects'
/** The next of them need not wait for one that has run for so long and done no harm. */
const HARMLESS_AFTER_MS = 300

export function createWork({ connections, clock, post, onStuck }: WorkOptions): Work {
  const mostOfOne = connections - LEFT_TO_OTHERS
  /** How many suspects may run at once. */
  let suspects = 1
  const queue = fairQueue<Job>({
    most: connections,
    mostOf: key => Math.max(1, key === SUSPECTS ? Math.min(suspects, mostOfOne) : mostOfOne),
  })
  /** What needs no connection and was asked before the child was ready. */
  const unsent = new Set<Job>()
  const running = new Map<number, Job>()
  /** What was told to stop and has not said that it did; its connection is not free. */
  const stopping = new Map<number, { readonly key: string | null; readonly cancelTimer: () => void }>()
  let nextId = 1
  let isReady = false

  const sendAll = (): void => {
    if (!isReady) return
    const send = (job: Job): void => {
      running.set(job.id, job)
      post({ kind: 'request', id: job.id, request: job.request })
      if (job.key === SUSPECTS) clock.after(HARMLESS_AFTER_MS, () => admitSuspect(job))
    }
    for (const job of unsent) send(job)
    unsent.clear()
    for (let job = queue.take(); job; job = queue.take()) send(job)
  }

  const admitSuspect = (harmless: Job): void => {
    if (!running.has(harmless.id)) return
    suspects++
    sendAll()
  }

  const wait = (job: Job, at: 'end' | 'head'): void => {
    if (job.key === null) unsent.add(job)
    else queue.add(job.key, job, at)
  }

  const stop = (job: Job): void => {
    const wasRunning = running.delete(job.id)
    if (job.key === null) {
      // It keeps no connection from others, so that it is not worth the child.
      unsent.delete(job)
    } else if (wasRunning) {
      post({ kind: 'cancel', id: job.id })
      stopping.set(job.id, { key: job.key, cancelTimer: clock.after(STOP_WITHIN_MS, onStuck) })
    } else {
      queue.remove(job.key, job)
    }
    job.reject(new RequestFailure({ kind: 'interrupted' }))
  }

  const tryAgain = (job: Job, reason: string): void => {
    job.deaths++
    if (job.deaths >= MOST_DEATHS) {
      job.reject(unavailable(reason))
      return
    }
    if (job.key !== null) job.key = SUSPECTS
    wait(job, 'end')
  }

  return {
    ask: (request, { signal, caller = '' } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(new RequestFailure({ kind: 'interrupted' }))
        const onAbort = (): void => stop(job)
        const unlistening =
          <T>(settle: (value: T) => void) =>
          (value: T): void => {
            signal?.removeEventListener('abort', onAbort)
            settle(value)
          }
        const job: Job = {
          id: nextId++,
          request,
          resolve: unlistening(resolve),
          reject: unlistening(reject),
          key: request.kind === 'ping' || request.kind === 'discover' ? null : caller,
          deaths: 0,
          parts: [],
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        wait(job, 'end')
        sendAll()
      }),
    setReady: now => {
      isReady = now
      sendAll()
    },
    addPart: (id, bytes) => {
      running.get(id)?.parts.push(bytes)
    },
    settle: (id, outcome) => {
      const job = running.get(id)
      const stopped = stopping.get(id)
      running.delete(id)
      stopping.delete(id)
      stopped?.cancelTimer()
      const key = (job ?? stopped)?.key ?? null
      if (key !== null) queue.release(key)
      sendAll()
      if ('answer' in outcome) job?.resolve(withParts(outcome.answer, job.parts) as never)
      else job?.reject(new RequestFailure(outcome.failure))
    },
    loseChild: (reason, isBlameless) => {
      const had = running.size + stopping.size > 0
      const jobs = [...running.values()]
      running.clear()
      for (const { cancelTimer } of stopping.values()) cancelTimer()
      stopping.clear()
      queue.releaseAll()
      suspects = 1
      // The last to be sent had the least time to do harm, and may not even have arrived.
      for (const job of jobs.reverse()) {
        job.parts = []
        if (isBlameless) wait(job, 'head')
        else tryAgain(job, reason)
      }
      return had
    },
    refuse: reason => {
      for (const job of [...unsent, ...queue.clear()]) job.reject(unavailable(reason))
      unsent.clear()
    },
  }
}

function withParts(answer: Answers[keyof Answers], parts: readonly Uint8Array[]): Answers[keyof Answers] {
  if (parts.length === 0 || typeof answer !== 'object' || answer === null || !('body' in answer)) return answer
  return { ...answer, body: Buffer.concat([...parts, answer.body]) }
}

export const unavailable = (reason: string): RunnerError =>
  new RunnerError('ENGINE_UNAVAILABLE', { cause: new EngineDiedError(reason) })
