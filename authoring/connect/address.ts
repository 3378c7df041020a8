/** Writes the address of a call. None of its characters needs an escape in a string literal of any language. */
import type { ConnectCall } from './tool.js'

export type Pair = readonly [name: string, value: string]
type Format = 'csv' | 'ndjson' | 'arrow'

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
}

/** The arguments as they are sent, in the order in which the endpoint declares its parameters; a list repeats its name. */
export function argumentPairs(call: ConnectCall): readonly Pair[] {
  return givenArguments(call).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : value.map(element => [name, element] as const),
  )
}

/** The arguments that the caller gives, without empty arguments and without those that the token pins. */
export function givenArguments({
  endpoint,
  arguments: texts,
}: ConnectCall): readonly (readonly [string, string | readonly string[]])[] {
  const declared = endpoint.parameters.map(({ name }) => name)
  const names = [...declared, ...Object.keys(texts).filter(name => !declared.includes(name))]
  return names.flatMap(name => {
    const value = Object.hasOwn(texts, name) ? texts[name]! : ''
    return value.length === 0 || Object.hasOwn(endpoint.pinned, name) ? [] : [[name, value] as const]
  })
}

/** Asks for another format in the address, or by a header if the endpoint has a parameter named `format`. */
export function requestFormat({ endpoint }: ConnectCall, format: Format) {
  const declaresFormat = endpoint.parameters.some(({ name }) => name === 'format')
  const query: readonly Pair[] = declaresFormat ? [] : [['format', format]]
  const headers: readonly Pair[] = declaresFormat ? [['Accept', MEDIA_TYPES[format]]] : []
  return { query, headers }
}

/** The address of the server, without a slash at its end. */
export const baseUrlOf = ({ url }: Pick<ConnectCall, 'url'>): string =>
  url.replace(/\/+$/, '').replace(/[^A-Za-z0-9._~:/@[\]%-]/gu, encode)

/** The path of the endpoint on its server. */
export const pathOf = ({ endpoint }: ConnectCall): string => `/api/endpoints/query/${encode(endpoint.name)}`

/** The address without arguments. */
export const endpointAddress = (call: ConnectCall): string => baseUrlOf(call) + pathOf(call)

/** The whole address of the call; `more` follows the arguments. */
export function addressOf(call: ConnectCall, more: readonly Pair[] = []): string {
  const pairs = [...argumentPairs(call), ...more]
  const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return query === '' ? endpointAddress(call) : `${endpointAddress(call)}?${query}`
}

/** Percent-encodes everything but letters, digits, `-`, `.`, `_` and `~`. */
const encode = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** A text without halves of surrogate pairs, which have no form in UTF-8. */
export const wellFormed = (text: string): string => text.toWellFormed()
