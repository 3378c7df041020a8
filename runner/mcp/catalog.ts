/** The endpoints that a caller may call as tools, and their descriptions, which are made once for each caller and load. */
import type { Endpoint } from '../model/endpoint.js'
import { nextTurn } from '../model/in-turns.js'
import type { Caller } from '../model/ports.js'
import { mayRun } from '../request/authorize.js'
import { pinnedValueProblem } from '../request/bind-pinned.js'
import { perCaller } from '../request/per-caller.js'
import type { EndpointIndex } from '../request/route.js'
import { resourceOf } from './resources.js'
import { toolName, toolOf } from './tools.js'

/** Whether there is a tool of this endpoint for the caller. */
const isOffered = (caller: Caller, endpoint: Endpoint): boolean =>
  mayRun(caller, endpoint) && pinnedValueProblem(caller, endpoint) === null

/** The endpoints that are tools for the caller, in the order of their names. */
const offeredEndpoints = (index: EndpointIndex, caller: Caller): readonly Endpoint[] =>
  index.all.filter(endpoint => isOffered(caller, endpoint))

/** The JSON of the tools of these endpoints, between commas. */
export const offeredTools = perCaller(async (index, caller): Promise<string> => {
  const tools: string[] = []
  for (const endpoint of offeredEndpoints(index, caller)) {
    await nextTurn()
    tools.push(JSON.stringify(toolOf(endpoint, pinnedNames(endpoint, caller))))
  }
  return tools.join()
})

/** The JSON of the resources of these endpoints. */
export const offeredResources = perCaller((index, caller) =>
  JSON.stringify(offeredEndpoints(index, caller).map(resourceOf)),
)

/** The endpoint of this name; undefined also where the caller may not call it. */
export function offeredEndpoint(index: EndpointIndex, caller: Caller, name: string): Endpoint | undefined {
  const endpoint = index.find(name)
  return endpoint?.name === name && isOffered(caller, endpoint) ? endpoint : undefined
}

/** The endpoint whose tool has this name; undefined also where the caller may not call it. */
export function endpointOfTool(index: EndpointIndex, caller: Caller, tool: string): Endpoint | undefined {
  const endpoint = index.all.find(named => toolName(named) === tool)
  return endpoint && isOffered(caller, endpoint) ? endpoint : undefined
}

/** The parameters of the endpoint that the token pins. */
export const pinnedNames = ({ parameters }: Endpoint, { pinned }: Caller): readonly string[] =>
  parameters.map(({ name }) => name).filter(name => Object.hasOwn(pinned, name))
