/** Runs one test: its call goes the way of every call, to an engine over the tables of the test. */
import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import { causeText } from '../../runner/model/cause-text.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { SetupError, toRunnerError } from '../../runner/model/errors.js'
import type { Caller } from '../../runner/model/ports.js'
import type { ArgumentMap } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { handleFor, type RequestDeps } from '../../runner/request/handle.js'
import { parsedArguments } from '../../runner/request/raw-arguments.js'
import { indexEndpoints } from '../../runner/request/route.js'
import type { Answer } from './answer.js'
import { checkAnswer, type Failure } from './check-answer.js'
import type { TestArguments, TestCase, TestFile } from './files/test-file.js'

/** A test with the endpoint that it is for. */
export interface PlannedCase {
  readonly tests: TestFile
  readonly test: TestCase
  readonly loadedEndpoint: LoadedEndpoint
}

export interface CaseResult extends PlannedCase {
  readonly answer: Answer
  readonly failures: readonly Failure[]
  readonly durationMs: number
  /** The arguments of every query that was rendered, for the coverage. */
  readonly rendered: readonly ArgumentMap[]
}

export interface CaseDeps extends Omit<RequestDeps, 'endpoints'> {
  /** Who calls. */
  readonly caller: Caller
}

/** @param nowMicros the time for tests that freeze no time */
export async function runCase(
  { tests, test, loadedEndpoint }: PlannedCase,
  { caller, ...deps }: CaseDeps,
  nowMicros: bigint,
  signal: AbortSignal,
): Promise<CaseResult> {
  const rendered: ArgumentMap[] = []
  const endpoint: Endpoint = {
    ...loadedEndpoint.endpoint,
    render(args, now) {
      rendered.push(args)
      return loadedEndpoint.endpoint.render(args, now)
    },
  }
  const index = indexEndpoints([endpoint])
  const requestDeps: RequestDeps = { ...deps, endpoints: () => index }
  const common = { ref: endpoint.id, accept: undefined, acceptEncoding: undefined, format: 'json', signal } as const
  /** Calls the endpoint as HTTP would; a failure is an answer too. */
  const call = async (args: TestArguments): Promise<Answer> => {
    const request = {
      ...common,
      readAddress: () => parsedArguments(args, true),
      nowMicros: test.nowMicros ?? nowMicros,
    }
    try {
      const { result } = await handleFor(caller, request, requestDeps, { token: null, endpoint: null })
      const { result: rows } = JSON.parse(Buffer.from(result.body).toString('utf8'))
      return { kind: 'rows', columns: result.columns, rows, isTruncated: result.isTruncated }
    } catch (thrown) {
      const { status, code, detail, errors, cause } = toRunnerError(thrown)
      // If the warehouse cannot make the tables, that is not the failure of a test.
      if (cause instanceof SetupError) throw cause
      return { kind: 'problem', status, code, detail, errors, reason: reasonOf(cause, detail) }
    }
  }
  const startMs = deps.clock.ticksMs()
  const answer = await call(test.arguments)
  const other = test.expect.same_as ? await call(test.expect.same_as.arguments) : null
  const durationMs = deps.clock.ticksMs() - startMs
  return {
    tests,
    test,
    loadedEndpoint,
    answer,
    failures: checkAnswer(test.expect, answer, other),
    durationMs,
    rendered,
  }
}

/** The reason for authors: the message of a fault in the query, or else the texts of all causes; empty without a cause. */
function reasonOf(cause: unknown, detail: string): string {
  if (cause === undefined) return ''
  return cause instanceof QueryFault && cause.message !== detail ? cause.message : causeText(cause)
}
