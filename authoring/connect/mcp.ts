/** The configuration of an agent's MCP client, as in `.mcp.json`; the endpoint is one of the server's tools. */
import { originOf } from './address.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const MCP: ConnectTool = { name: 'mcp', title: 'MCP', language: 'json', write }

function write(call: ConnectCall): string {
  // The client puts the variable's value in the place of its name.
  const headers = { 'X-API-KEY': `\${SLUICE_TOKEN}` }
  const configuration = { mcpServers: { sluice: { type: 'http', url: `${originOf(call)}/mcp`, headers } } }
  return `${JSON.stringify(configuration, null, 2)}\n`
}
