/** What the endpoints offer to an agent: plain data, which may cross threads. It knows nothing of the protocol. */

import { RunnerError } from '../model/errors.js'
import { nextTurn } from '../model/in-turns.js'
import type { ToolAnswer } from './answers.js'
import { callEndpoint, type GivenArguments, refusalAnswer } from './call-endpoint.js'
import { endpointOfTool, offeredEndpoint, offeredResources, offeredTools, pinnedNames } from './catalog.js'
import { contentsOf, describedName } from './resources.js'
import type { Session } from './session.js'

/** Each method rejects for a bug, and for a failure that is the answer to the whole request. */
export interface Offer {
  /** Texts that make up the JSON of the list, between commas. */
  tools(): Promise<readonly string[]>
  /** The JSON of the list. */
  resources(): Promise<string>
  /** Null for a tool that the caller does not have. */
  call(name: string, args: GivenArguments, signal: AbortSignal): Promise<ToolAnswer | null>
  /** Null for an address that is not one of the caller's resources. */
  read(uri: string): Promise<ReturnType<typeof contentsOf> | null>
}

export function offerOf(session: Session): Offer {
  const { caller, deps, otherTools } = session
  /** Each question begins in a turn of its own, so that other requests are answered between them. */
  const inTurn = async <T>(answer: () => T | Promise<T>): Promise<T> => {
    try {
      await nextTurn()
      return await answer()
    } catch (thrown) {
      if (!(thrown instanceof RunnerError)) deps.observe({ kind: 'bug', where: 'mcp', cause: thrown })
      throw thrown
    }
  }
  return {
    tools: () =>
      inTurn(async () => {
        const own = await offeredTools(deps.endpoints(), caller)
        await nextTurn() // Otherwise all who wait for the same list would go on in one turn.
        return [own, ...otherTools.map(({ tool }) => JSON.stringify(tool))].filter(text => text !== '')
      }),
    resources: () => inTurn(() => offeredResources(deps.endpoints(), caller)),
    call: (name, args, signal) =>
      inTurn(() => callTool(name, args, session, AbortSignal.any([session.signal, signal]))),
    read: uri =>
      inTurn(() => {
        const name = describedName(uri)
        const endpoint = name === null ? undefined : offeredEndpoint(deps.endpoints(), caller, name)
        return endpoint ? contentsOf(endpoint, pinnedNames(endpoint, caller)) : null
      }),
  }
}

async function callTool(name: string, args: GivenArguments, session: Session, signal: AbortSignal) {
  const other = session.otherTools.find(({ tool }) => tool.name === name)
  if (other) return other.call(args, signal).catch(thrown => refusalOfOther(thrown, session))
  const endpoint = endpointOfTool(session.deps.endpoints(), session.caller, name)
  if (!endpoint) return null
  try {
    return await callEndpoint(endpoint, args, session, signal)
  } catch (thrown) {
    // Its manifest was removed, or the token lost it, since the tool was found.
    if (thrown instanceof RunnerError && ['ENDPOINT_UNKNOWN', 'TOKEN_NOT_ALLOWED'].includes(thrown.code)) return null
    throw thrown
  }
}

function refusalOfOther(thrown: unknown, session: Session): ToolAnswer {
  if (thrown instanceof RunnerError) return refusalAnswer(thrown, session)
  throw thrown
}
