/** Conducts an export: all rows of an endpoint's query, passed on as the engine gives them. Nothing of it is cached. */
import { EXPORT_FORMATS, formatOf, type ListedFormat } from '../formats/index.js'
import { abortError, deadlineSignal, raced } from '../model/deadline.js'
import type { Endpoint } from '../model/endpoint.js'
import { invalidArguments, notAllowed, RunnerError } from '../model/errors.js'
import { CURSOR, PAGE_SIZE } from '../model/page.js'
import type { Caller } from '../model/ports.js'
import type { QueryCost } from '../model/query.js'
import type { ExportPlaces } from './export-places.js'
import type { RequestDeps, RunRequest } from './handle.js'
import { chooseType } from './negotiate.js'
import { acceptableCoding, type CodingChoice } from './negotiate-coding.js'
import { admitCall, planCall, type RequestFacts } from './plan.js'
import { mergeArguments } from './raw-arguments.js'
import { runQuery } from './run-query.js'

export interface ExportDeps extends RequestDeps {
  readonly exports: ExportPlaces
}

/** The facts that the headers of an export say. */
export interface ExportHead {
  readonly endpoint: Endpoint
  readonly format: ListedFormat
  readonly coding: CodingChoice['coding']
  /** The value of X-Ignored-Arguments; '' where no argument was ignored. */
  readonly ignored: string
}

/** The facts about an export that has been written whole. */
export interface ExportEnd {
  readonly rows: number
  readonly cost: QueryCost | null
}

/** Where an export goes. */
export interface ExportTarget {
  /** Called once, before the first bytes. Until then, a failure can be answered as a problem. */
  begin(head: ExportHead): void
  /** Resolves when more may be written. If it rejects, the export fails with that error. */
  write(bytes: Uint8Array): Promise<void>
  /** Called only after all bytes have been written; if it is not called, the export is not whole. */
  end(end: ExportEnd): Promise<void>
}

/**
 * @throws RunnerError: ENDPOINT_UNKNOWN where the endpoint has no exports, TOKEN_NOT_ALLOWED, RESULT_TOO_LARGE where there are too
 *   many rows, QUERY_TIMEOUT, CALL_ABANDONED when the caller leaves; the errors of each stage, and of the target.
 */
export async function exportFor(
  caller: Caller,
  request: RunRequest,
  target: ExportTarget,
  deps: ExportDeps,
  facts: RequestFacts,
): Promise<void> {
  const endCall = deps.beginCall?.()
  try {
    const { head, order, timeoutMs } = await planExport(caller, request, deps, facts)
    const freePlace = deps.exports.take(caller.token)
    const { signal, end } = deadlineSignal([request.signal], timeoutMs, deps.clock)
    let [isBegun, failure] = [false, null as unknown]
    const write = async (bytes: Uint8Array): Promise<void> => {
      if (!isBegun) target.begin(head)
      isBegun = true
      await raced(target.write(bytes), signal).catch(thrown => {
        failure ??= thrown
        throw thrown
      })
    }
    try {
      const {
        body,
        rowCount,
        cost = null,
      } = await runQuery(order, caller, deps, signal, { format: head.format.name, write })
      await write(body)
      await raced(target.end({ rows: rowCount, cost }), signal)
    } catch (thrown) {
      throw signal.aborted ? abortError(signal) : (failure ?? thrown)
    } finally {
      end()
      freePlace()
    }
  } finally {
    endCall?.()
  }
}

async function planExport(caller: Caller, request: RunRequest, deps: ExportDeps, facts: RequestFacts) {
  const { ref, accept, acceptEncoding, readBody, format: preset, nowMicros = null } = request
  const endpoint = admitCall(caller, ref, deps.endpoints(), facts)
  if (endpoint.export === null) {
    throw new RunnerError('ENDPOINT_UNKNOWN', {
      detail: 'The endpoint has no exports: its manifest has no settings.export.',
    })
  }
  if (!caller.mayExport) {
    const refusal = { rule: 'export', reason: 'the token was made without --export' } as const
    throw notAllowed('The token may not export.', refusal)
  }
  const address = request.readAddress()
  const format = preset === undefined ? chooseType(endpoint, address, accept, EXPORT_FORMATS) : formatOf(preset)
  const { coding } = acceptableCoding(acceptEncoding, format.content === 'text' ? ['gzip'] : [])
  const args = readBody ? mergeArguments(address, await readBody()) : address
  const { order, ignored, page } = planCall(caller, args, { endpoint, nowMicros }, deps)
  if (page !== null) {
    const names = [PAGE_SIZE, CURSOR].filter(name => args.has(name))
    throw invalidArguments(names.map(parameter => ({ parameter, detail: 'is not for exports, which have all rows' })))
  }
  return { head: { endpoint, format, coding, ignored }, order, timeoutMs: endpoint.export.timeoutMs }
}
