/** The configuration of an agent's MCP client, as in `.mcp.json`. It names no endpoint: all are tools of the server. */
import { baseUrlOf } from './address.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const MCP = { name: 'mcp', title: 'MCP', language: 'json', write } as const satisfies ConnectTool

function write(call: Pick<ConnectCall, 'url'>): string {
  // The client puts the variable's value in the place of its name.
  const headers = { 'X-API-KEY': `\${SLUICE_TOKEN}` }
  const configuration = { mcpServers: { sluice: { type: 'http', url: `${baseUrlOf(call)}/mcp`, headers } } }
  return `${JSON.stringify(configuration, null, 2)}\n`
}
