/** What can go wrong, for callers (RunnerError) and for whoever starts the program; anything else thrown is a bug. */
import { type Diagnostic, diagnosticLine } from './diagnostic.js'
import { ERROR_CODES, type ErrorCode } from './error-codes.js'
import type { QueryCost } from './query.js'

/** One bad argument. `detail` is safe for strangers. */
export interface ArgumentProblem {
  readonly parameter: string
  readonly detail: string
}

/** Which rule refused a call, and why: for the log, never for the caller. `reason` holds no argument and no pinned value. */
export interface Refusal {
  /**
   * `scope`: the endpoints that the token names; `tenant`: whose rows it may see; `pin`: its pinned parameters;
   * `pattern-pin`: a pin of a parameter that is a regular expression; `purge`: whether it may have results forgotten.
   */
  readonly rule: 'scope' | 'tenant' | 'pin' | 'pattern-pin' | 'purge'
  readonly reason: string
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
  /** Of TOKEN_NOT_ALLOWED. */
  readonly refusal?: Refusal
  /** Of a warehouse's query that was paid for although nothing came of it. */
  readonly cost?: QueryCost
}

/** The one class of expected failures of a call. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly ArgumentProblem[]
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: Refusal | null
  readonly cost: QueryCost | null

  constructor(code: ErrorCode, options: RunnerErrorOptions = {}) {
    super(options.detail ?? ERROR_CODES[code].title, { cause: options.cause })
    this.code = code
    this.detail = options.detail ?? ERROR_CODES[code].title
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
    this.refusal = options.refusal ?? null
    this.cost = options.cost ?? null
  }

  /** The same failure of a query that was paid for. */
  withCost(cost: QueryCost): RunnerError {
    const { code, detail, errors, headers, cause } = this
    return new RunnerError(code, { detail, errors, headers, cause, cost })
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }
}

/** A RunnerError as it is; anything else becomes INTERNAL with the thing as its cause. */
export function toRunnerError(thrown: unknown): RunnerError {
  return thrown instanceof RunnerError ? thrown : new RunnerError('INTERNAL', { cause: thrown })
}

/** The program was asked for something that it cannot mean; the command line exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** Every problem found, each a sentence. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Something the program needs is not there or cannot be used; the command line exits with 3. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** How many errors the message of a LoadError names. */
const MAX_NAMED = 3

/**
 * The manifests hold errors, so nothing is served; the command line prints them and exits with 1. The message is the
 * summary, and a line for each of the first few errors.
 */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  /** Warnings included, in order. */
  readonly diagnostics: readonly Diagnostic[]
  /** `the manifests hold 2 errors` */
  readonly summary: string

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(d => d.severity === 'error')
    const summary = `the manifests hold ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`
    const left = errors.length - MAX_NAMED
    const more = left > 0 ? [`and ${left} more, in diagnostics`] : []
    super([`${summary}:`, ...errors.slice(0, MAX_NAMED).map(diagnosticLine), ...more].join('\n'))
    this.summary = summary
    this.diagnostics = diagnostics
  }
}
