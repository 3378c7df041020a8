/** `sluice connect`: prints what a tool needs to call an endpoint. */
import { nearest } from '../../../googlesql/index.js'
import { checkManifests } from '../../compose/manifests.js'
import type { ConnectTool } from '../../connect/tool.js'
import { CONNECT_TOOLS } from '../../connect/tools.js'
import type { Endpoint } from '../../model/endpoint.js'
import { UsageError } from '../../model/errors.js'
import { describeEndpoint } from '../../request/describe.js'
import { refuseErrors } from '../../serving/endpoint-registry.js'
import { indexEndpoints } from '../../serving/route.js'
import { readSettings, type Settings } from '../../settings/settings.js'
import { rawArguments } from '../arguments.js'
import { EXIT, type Io } from '../io.js'
import { serverBase } from '../server.js'
import { callArguments } from './call-arguments.js'

export interface ConnectFlags {
  readonly url?: string
}

/**
 * Prints the tool's text for a call of this endpoint. Required parameters that are not given have an example for argument, which
 * it says on standard error.
 * @throws UsageError, LoadError, SetupError.
 */
export async function connectTool(
  toolName: string,
  name: string,
  texts: readonly string[],
  { url }: ConnectFlags,
  settingFlags: Readonly<Record<string, string | undefined>>,
  io: Io,
): Promise<number> {
  const tool = findTool(toolName)
  const given = rawArguments(texts)
  const settings = readSettings(settingFlags, io.environment)
  const address = serverAddress(settings, url)
  const endpoint = await findEndpoint(settings, name, io)
  if (endpoint === null) return EXIT.problems
  const { args, missing } = callArguments(endpoint, given)
  for (const { parameter, argument } of missing) {
    io.printError(`sluice: ${parameter} is required; the text has ${argument}, which you replace with your own\n`)
  }
  io.print(tool.write({ url: address, endpoint: describeEndpoint(endpoint, { pinned: {} }), arguments: args }))
  return EXIT.clean
}

function findTool(name: string): ConnectTool {
  const tool = CONNECT_TOOLS.find(one => one.name === name)
  if (tool) return tool
  const names = CONNECT_TOOLS.map(one => one.name)
  throw new UsageError([`unknown tool "${name}"${suggestion(name, names)}; there are ${names.join(', ')}`])
}

/** Where callers reach the server. */
function serverAddress(settings: Settings, url: string | undefined): string {
  return serverBase(url ?? settings.publicUrl ?? `http://${settings.host}:${settings.port}`)
}

async function findEndpoint(settings: Settings, name: string, io: Io): Promise<Endpoint | null> {
  const { endpoints, diagnostics } = await checkManifests(settings, [])
  const endpoint = indexEndpoints(endpoints).find(name)
  if (endpoint) return endpoint
  // It may be one of those with errors.
  refuseErrors(diagnostics)
  const names = endpoints.map(one => one.name)
  io.printError(`sluice: there is no endpoint "${name}"${suggestion(name, names)}\n`)
  return null
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? '' : `; did you mean "${near}"?`
}
