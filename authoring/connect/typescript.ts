/** A call by the typed client that `sluice client` writes. */

import { splitType } from '../../runner/model/param.js'
import type { PublishedParameter } from '../../runner/model/published-endpoint.js'
import { memberName } from '../client/program-text.js'
import { baseUrlOf, givenArguments, wellFormed } from './address.js'
import { javascriptText } from './literals.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const TYPESCRIPT: ConnectTool = { name: 'ts', title: 'TypeScript', language: 'typescript', write }

function write(call: ConnectCall): string {
  const { endpoint } = call
  const origin = baseUrlOf(call)
  const members = givenArguments(call).map(([name, value]) => {
    const parameter = endpoint.parameters.find(parameter => parameter.name === name)
    // `__proto__` as a plain member would set the object's prototype.
    return `  ${name === '__proto__' ? "['__proto__']" : memberName(wellFormed(name))}: ${argumentOf(parameter, value)},`
  })
  const opening = members.length === 0 ? '' : ', {'
  return [
    `// npx sluice client --lang ts --url ${origin} --out client.ts`,
    "import { createSluice } from './client.js'",
    '',
    'const sluice = createSluice({',
    `  url: ${javascriptText(origin)},`,
    "  token: process.env['SLUICE_TOKEN'] ?? '',",
    '})',
    `const { rows } = await sluice.call(${javascriptText(endpoint.name)}${opening}${opening === '' ? ')' : ''}`,
    ...members,
    ...(opening === '' ? [] : ['})']),
    'console.log(rows)',
    '',
  ].join('\n')
}

function argumentOf(parameter: PublishedParameter | undefined, value: string | readonly string[]): string {
  const { scalar, isArray } = splitType(parameter?.type ?? 'string')
  const elements = (typeof value === 'string' ? [value] : value).map(text => scalarOf(scalar, text))
  return isArray || elements.length > 1 ? `[${elements.join(', ')}]` : elements[0]!
}

/** The argument as a literal of its type; a text that is not of this type stays a text, which the compiler then refuses. */
function scalarOf(type: string, text: string): string {
  if (type === 'int64' && /^-?(0|[1-9]\d{0,18})$/.test(text)) {
    return Number.isSafeInteger(Number(text)) ? text : `${text}n`
  }
  if (type === 'float64' && /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text)) return text
  if (type === 'bool' && /^(true|false)$/i.test(text)) return text.toLowerCase()
  return javascriptText(text)
}
