/** The one class of expected failures. Anything else that is thrown is a bug, and a caller learns nothing of it. */
import { ERROR_CODES, type ErrorCode } from './error-codes.js'

/** One bad argument. `detail` is safe for strangers. */
export interface ArgumentProblem {
  readonly parameter: string
  readonly detail: string
}

export interface RunnerErrorOptions {
  /** Safe for strangers: no SQL, table name, path or another caller's value. */
  readonly detail?: string
  /** For ARGUMENT_INVALID, every bad argument. */
  readonly errors?: readonly ArgumentProblem[]
  /** Response headers that the status asks for: Retry-After, Allow, WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the log only. */
  readonly cause?: unknown
}

export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly ArgumentProblem[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, options: RunnerErrorOptions = {}) {
    super(options.detail ?? ERROR_CODES[code].title, { cause: options.cause })
    this.code = code
    this.detail = options.detail ?? ERROR_CODES[code].title
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }
}

/** A RunnerError as it is; anything else becomes INTERNAL with the thing as its cause. */
export function toRunnerError(thrown: unknown): RunnerError {
  return thrown instanceof RunnerError ? thrown : new RunnerError('INTERNAL', { cause: thrown })
}
