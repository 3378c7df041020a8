/** Finds the arguments that an endpoint does not declare, and describes them. */

import type { Endpoint } from '../model/endpoint.js'
import { didYouMean } from '../model/suggest.js'
import { FORMAT_NAME } from './negotiate.js'
import type { RawArguments } from './raw-arguments.js'

const NONE: readonly string[] = Object.freeze([])
/** The most names that a problem lists. */
const MAX_NAMES = 20
/** Clients refuse answers whose headers are very long. */
const MAX_HEADER_LENGTH = 1_000
/** The most characters of a name; a longer one is cut. */
const MAX_NAME_LENGTH = 64
const MAX_LISTED = 12

/** The undeclared names. A declared name with brackets is another mistake. */
export function unknownNames({ parameters }: Pick<Endpoint, 'parameters'>, input: RawArguments): readonly string[] {
  if (input.size === 0) return NONE
  const declared = new Set(['', FORMAT_NAME, ...parameters.map(({ name }) => name)])
  return [...input.keys()].filter(
    name => !declared.has(name) && !(name.endsWith(']') && declared.has(name.replace(/\[\d*\]$/, ''))),
  )
}

/** The value of `X-Ignored-Arguments`: the names, percent-encoded and with commas between them, as many as have room. */
export function ignoredHeader(names: readonly string[]): string {
  let header = ''
  for (const name of names) {
    const next = `${header}${header === '' ? '' : ','}${encodeURIComponent(shortName(name))}`
    if (next.length > MAX_HEADER_LENGTH) break
    header = next
  }
  return header
}

/** A problem for each name; `suggests` is the parameter that was probably meant. */
export function unknownProblems(declared: readonly string[], names: readonly string[], owner: 'endpoint' | 'tool') {
  const otherwise = declared.length === 0 ? '; it takes none' : `; it takes ${listOf(declared)}`
  return names.slice(0, MAX_NAMES).map(name => {
    const { hint, meant } = didYouMean(name, declared, otherwise)
    return { parameter: shortName(name), detail: `is not an argument of this ${owner}${hint}`, suggests: meant }
  })
}

function listOf(declared: readonly string[]): string {
  const rest = declared.length - MAX_LISTED
  return `${declared.slice(0, MAX_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const shortName = (name: string): string =>
  [...name.slice(0, 2 * MAX_NAME_LENGTH).toWellFormed()].slice(0, MAX_NAME_LENGTH).join('')
