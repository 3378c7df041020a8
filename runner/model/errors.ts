/**
 * Expected failures: RunnerError for callers; UsageError, SetupError and LoadError for operators. Any other error is a bug.
 */
import { type Diagnostic, diagnosticLine } from './diagnostic.js'
import { ERROR_CODES, type ErrorCode } from './error-codes.js'
import type { QueryCost } from './query.js'

/** One bad argument. `detail` may be shown to any caller. */
export interface ArgumentProblem {
  readonly parameter: string
  readonly detail: string
}

/** The rule that refused a call, and why: for the log only. `reason` holds no argument and no pinned value. */
export interface Refusal {
  /**
   * `scope`: the token does not name the endpoint; `tenant`: it does not pin the tenant; `pin`: an argument differs from a
   * pin; `pattern-pin`: it pins a parameter that is a regular expression; `purge`: it may not purge results;
   * `explain`: it may not see SQL; `export`: it may not export.
   */
  readonly rule: 'scope' | 'tenant' | 'pin' | 'pattern-pin' | 'purge' | 'explain' | 'export'
  readonly reason: string
}

export interface RunnerErrorOptions {
  /** May be shown to any caller: holds no SQL, table name, path or value of another caller. */
  readonly detail?: string
  /** Every bad argument of an ARGUMENT_INVALID. */
  readonly errors?: readonly ArgumentProblem[]
  /** Response headers that the status asks for: Retry-After, Allow, WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the log only. */
  readonly cause?: unknown
  /** For TOKEN_NOT_ALLOWED: the rule that refused. */
  readonly refusal?: Refusal
  /** What the warehouse billed for the query although it failed. */
  readonly cost?: QueryCost
  /** For ENDPOINT_BROKEN: the mistakes of the manifest. Callers see them only with `serve --dev`. */
  readonly diagnostics?: readonly Diagnostic[]
}

/** The one class for expected failures of a call. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly ArgumentProblem[]
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: Refusal | null
  readonly cost: QueryCost | null
  readonly diagnostics: readonly Diagnostic[]

  constructor(code: ErrorCode, options: RunnerErrorOptions = {}) {
    super(options.detail ?? ERROR_CODES[code].title, { cause: options.cause })
    this.code = code
    this.detail = options.detail ?? ERROR_CODES[code].title
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
    this.refusal = options.refusal ?? null
    this.cost = options.cost ?? null
    this.diagnostics = options.diagnostics ?? []
  }

  /** A copy of this error with the cost of the failed query. */
  withCost(cost: QueryCost): RunnerError {
    const { code, detail, errors, headers, cause } = this
    return new RunnerError(code, { detail, errors, headers, cause, cost })
  }

  /** A copy of this error with another cause. */
  withCause(cause: unknown): RunnerError {
    const { code, detail, errors, headers, cost } = this
    return new RunnerError(code, { detail, errors, headers, cause, ...(cost && { cost }) })
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }
}

/** The ARGUMENT_INVALID that names each of these arguments. */
export function invalidArguments(
  errors: readonly ArgumentProblem[],
  more: Pick<RunnerErrorOptions, 'cause' | 'cost'> = {},
): RunnerError {
  const names = errors.map(({ parameter }) => parameter).join(', ')
  return new RunnerError('ARGUMENT_INVALID', { ...more, detail: `These arguments are not valid: ${names}.`, errors })
}

/** The REQUEST_INVALID with this detail. */
export const invalidRequest = (detail: string, cause?: unknown): RunnerError =>
  new RunnerError('REQUEST_INVALID', { detail, cause })

/** An error after which the caller should wait for `afterMs` milliseconds. */
export const retryLater = (code: ErrorCode, detail: string, afterMs = 1_000, cause?: unknown): RunnerError =>
  new RunnerError(code, { detail, headers: { 'Retry-After': String(Math.ceil(afterMs / 1000)) }, cause })

/** The TOKEN_NOT_ALLOWED that tells the caller `detail`, and the log alone the reason. */
export const notAllowed = (detail: string, refusal: Refusal): RunnerError =>
  new RunnerError('TOKEN_NOT_ALLOWED', { detail, refusal })

/** Returns a RunnerError unchanged; wraps anything else as INTERNAL, with the original as its cause. */
export function toRunnerError(thrown: unknown): RunnerError {
  return thrown instanceof RunnerError ? thrown : new RunnerError('INTERNAL', { cause: thrown })
}

/** The failure of a call. A call that was cancelled while its caller is still there was cancelled because the process is ending. */
export function failureOf(thrown: unknown, isCallerGone: boolean): RunnerError {
  const error = toRunnerError(thrown)
  return error.code === 'CALL_ABANDONED' && !isCallerGone ? new RunnerError('DRAINING', { cause: error }) : error
}

/** A mistake in flags, arguments or settings; the command line exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** Every mistake found, one sentence each. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Something that the program needs is missing or unusable; the command line exits with 3. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** The number of errors that the message of a LoadError lists. */
const MAX_NAMED = 3

/**
 * The manifests have errors, so nothing is served; the command line prints them and exits with 1. The message is the
 * summary, followed by one line for each of the first errors.
 */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  /** All errors and warnings, in order. */
  readonly diagnostics: readonly Diagnostic[]
  /** One sentence: `the manifests hold 2 errors`. */
  readonly summary: string

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(d => d.severity === 'error')
    const summary = `the manifests hold ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`
    const remaining = errors.length - MAX_NAMED
    const more = remaining > 0 ? [`and ${remaining} more, in diagnostics`] : []
    super([`${summary}:`, ...errors.slice(0, MAX_NAMED).map(diagnosticLine), ...more].join('\n'))
    this.summary = summary
    this.diagnostics = diagnostics
  }
}
