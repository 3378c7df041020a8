/** Who calls tools, from where, and what they may be told. */
import type { RunnerError } from '../model/errors.js'
import type { Event } from '../model/events.js'
import type { Caller } from '../model/ports.js'
import type { RequestDeps } from '../request/handle.js'
import type { ToolAnswer } from './answers.js'
import type { Tool } from './tools.js'

/** A tool that does not call an endpoint. */
export interface OtherTool {
  readonly tool: Tool
  /** @throws RunnerError; ARGUMENT_INVALID for a mistake of the model. */
  call(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolAnswer>
}

export interface Session {
  readonly caller: Caller
  readonly deps: RequestDeps
  /** The most bytes of an answer's rows. */
  readonly maxBytes: number
  /** Where callers reach the server, without a slash at the end; null where there is no server. */
  readonly serverUrl: string | null
  /** Whether the caller may see why a query failed. Only an author on the machine itself may. */
  readonly isAuthor: boolean
  readonly otherTools: readonly OtherTool[]
  /** What the log says of every call of this session. */
  readonly about: Pick<Extract<Event, { kind: 'request.done' }>, 'requestId' | 'method' | 'path'>
  /** Called when a call of an endpoint begins; at its end that call emits an event of its own. */
  readonly onCall: () => void
  /** Fires when the caller leaves. */
  readonly signal: AbortSignal
  /** Called with a failure that must answer the whole request, as 429 must; null where no request can be answered so. */
  readonly refuse: ((error: RunnerError) => void) | null
}
