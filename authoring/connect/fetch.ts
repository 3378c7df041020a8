/** A call by `fetch`, in Node, Deno and Bun. */
import { argumentPairs, endpointAddress } from './address.js'
import { javascriptText } from './literals.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const FETCH: ConnectTool = { name: 'fetch', title: 'fetch', language: 'javascript', write }

function write(call: ConnectCall): string {
  const pairs = argumentPairs(call).map(pair => `  [${pair.map(javascriptText).join(', ')}],`)
  const query = pairs.length === 0 ? [] : ['const query = new URLSearchParams([', ...pairs, '])']
  const address = javascriptText(endpointAddress(call))
  return [
    ...query,
    `const response = await fetch(${pairs.length === 0 ? address : `${address} + '?' + query`}, {`,
    "  headers: { 'X-API-KEY': process.env.SLUICE_TOKEN },",
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'const { result } = await response.json()',
    'console.log(result)',
    '',
  ].join('\n')
}
