/** A call by Python's standard library. */
import { argumentPairs, endpointAddress } from './address.js'
import { pythonText } from './literals.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const PYTHON: ConnectTool = { name: 'python', title: 'Python', language: 'python', write }

function write(call: ConnectCall): string {
  const pairs = argumentPairs(call).map(pair => `    (${pair.map(pythonText).join(', ')}),`)
  const hasArguments = pairs.length > 0
  const address = pythonText(endpointAddress(call))
  return [
    'import json',
    'import os',
    ...(hasArguments ? ['import urllib.parse'] : []),
    'import urllib.request',
    '',
    ...(hasArguments ? ['query = urllib.parse.urlencode([', ...pairs, '])'] : []),
    'request = urllib.request.Request(',
    `    ${hasArguments ? `${address} + "?" + query` : address},`,
    '    headers={"X-API-KEY": os.environ["SLUICE_TOKEN"]},',
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    rows = json.load(response)["result"]',
    'print(rows)',
    '',
  ].join('\n')
}
