/** `sluice connect`: prints what a tool needs to call an endpoint. */

import { join } from 'node:path'
import type { Endpoint } from '../../../runner/model/endpoint.js'
import { UsageError } from '../../../runner/model/errors.js'
import { didYouMean } from '../../../runner/model/suggest.js'
import { describeEndpoint } from '../../../runner/request/describe.js'
import { indexEndpoints } from '../../../runner/request/route.js'
import { refuseErrors } from '../../../runner/serve/endpoint-registry.js'
import type { Settings } from '../../../runner/settings/settings.js'
import { checkManifests } from '../../check/check-manifests.js'
import { rawArguments } from '../../terminal/arguments.js'
import { writeText } from '../../terminal/files.js'
import { EXIT, type Io } from '../../terminal/io.js'
import { plural } from '../../terminal/plural.js'
import { serverBase } from '../../terminal/server.js'
import { grafanaFiles } from '../grafana/grafana.js'
import { MCP } from '../mcp.js'
import type { ConnectTool } from '../tool.js'
import { CONNECT_TOOLS } from '../tools.js'
import { callArguments } from './call-arguments.js'

export interface ConnectFlags {
  readonly url?: string
  readonly all?: boolean
  readonly out?: string
}

/**
 * Prints the tool's text for a call of an endpoint; `words` are its name and arguments. A required parameter that is not given
 * gets an example as argument, and standard error says so. The text for MCP needs neither an endpoint nor arguments. With `all`
 * this function writes files for all endpoints instead.
 * @throws UsageError, LoadError, SetupError.
 */
export async function connectTool(
  toolName: string,
  words: readonly string[],
  settings: Settings,
  { url, all = false, out }: ConnectFlags,
  io: Io,
): Promise<number> {
  const tool = findTool(toolName)
  const address = serverBase(url ?? settings.publicUrl ?? `http://${settings.host}:${settings.port}`)
  if (all) return connectAll(tool, words, out ?? 'grafana', settings, address, io)
  if (out !== undefined) throw new UsageError(['--out needs --all; a text is printed'])
  const [name, ...texts] = words
  if (name === undefined && tool === MCP) {
    io.print(MCP.write({ url: address }))
    return EXIT.clean
  }
  if (name === undefined) throw new UsageError([`connect ${toolName} needs the name of an endpoint`])
  const endpoint = await findEndpoint(settings, name, io)
  if (endpoint === null) return EXIT.problems
  const { args, missing } = callArguments(endpoint, rawArguments(texts))
  for (const { parameter, argument } of tool === MCP ? [] : missing) {
    io.printError(`sluice: ${parameter} is required; the text has ${argument}, which you replace with your own\n`)
  }
  io.print(tool.write({ url: address, endpoint: describeEndpoint(endpoint, { pinned: {} }), arguments: args }))
  return EXIT.clean
}

async function connectAll(
  { name }: ConnectTool,
  words: readonly string[],
  folder: string,
  settings: Settings,
  url: string,
  io: Io,
): Promise<number> {
  if (name !== 'grafana') throw new UsageError(['--all is for grafana'])
  if (words.length > 0) throw new UsageError([`--all takes no endpoint, found ${JSON.stringify(words[0])}`])
  const { endpoints, diagnostics } = await checkManifests(settings, [])
  refuseErrors(diagnostics)
  const calls = endpoints.map(endpoint => ({
    url,
    endpoint: describeEndpoint(endpoint, { pinned: {} }),
    arguments: {},
  }))
  for (const { path, text } of grafanaFiles(url, calls)) writeText(join(folder, path), text, { makesFolder: true })
  io.printError(`wrote ${folder}: a data source and ${plural(endpoints.length, 'dashboard')}\n`)
  return EXIT.clean
}

function findTool(name: string): ConnectTool {
  const tool = CONNECT_TOOLS.find(tool => tool.name === name)
  if (tool) return tool
  const names = CONNECT_TOOLS.map(tool => tool.name)
  throw new UsageError([`unknown tool "${name}"${didYouMean(name, names).hint}; there are ${names.join(', ')}`])
}

async function findEndpoint(settings: Settings, name: string, io: Io): Promise<Endpoint | null> {
  const { endpoints, diagnostics } = await checkManifests(settings, [])
  const endpoint = indexEndpoints(endpoints).find(name)
  if (endpoint) return endpoint
  const names = endpoints.map(endpoint => endpoint.name)
  const among = diagnostics.some(({ severity }) => severity === 'error') ? ' among those without errors' : ''
  io.printError(`sluice: there is no endpoint "${name}"${among}${didYouMean(name, names).hint}\n`)
  refuseErrors(diagnostics)
  return null
}
