/** Whether the engine can be asked, for `/readyz`. */
import { RunnerError } from '../model/errors.js'
import type { Clock, Engine } from '../model/ports.js'
import { within } from '../model/within.js'

/** How long a request waits for the engine's answer, in milliseconds: probes give up after some seconds. */
const WAIT_MS = 2_000
/** How long an engine that has answered before may be busy with a query, in milliseconds. */
const BUSY_MS = 10_000

export class Readiness {
  readonly #engine: Pick<Engine, 'ping'>
  readonly #clock: Clock
  /** The ping that is under way, for which all requests wait. */
  #ping: Promise<void> | null = null
  /** Whether the last ping was answered. True at first, since the engine was asked when the process started. */
  #hasAnswered = true

  constructor(engine: Pick<Engine, 'ping'>, clock: Clock) {
    this.#engine = engine
    this.#clock = clock
  }

  /** @throws RunnerError NOT_READY where the engine says that it cannot be asked, or is silent for longer than a busy engine may be. */
  async check(): Promise<void> {
    this.#ping ??= this.#ask()
    await within(WAIT_MS, this.#ping, this.#clock, notReady).catch(error => {
      if (!this.#hasAnswered) throw error
    })
  }

  async #ask(): Promise<void> {
    try {
      await within(BUSY_MS, this.#engine.ping(), this.#clock, notReady)
      this.#hasAnswered = true
    } catch (cause) {
      this.#hasAnswered = false
      throw cause instanceof RunnerError && cause.code === 'NOT_READY' ? cause : notReady(cause)
    } finally {
      this.#ping = null
    }
  }
}

const notReady = (cause?: unknown): RunnerError =>
  new RunnerError('NOT_READY', { detail: 'The engine does not answer, or its data is not there.', cause })
