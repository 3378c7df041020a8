/** Endpoints, parameters and columns in words, for the comments of a client. */
import type { PublishedParameter } from '../../runner/model/published-endpoint.js'
import { plural } from '../terminal/plural.js'
import type { ClientEndpoint } from './contract.js'

/** A parameter's description, and what its type in a program does not show. */
export function parameterText(parameter: PublishedParameter): string {
  const { type, description, enum: choices, default: fallback, minimum, maximum, examples = [], format } = parameter
  const words = (what: string, value: unknown): string =>
    value === undefined ? '' : `${what} ${[value].flat().join(', ')}`
  const facts = [
    type === 'string' || type === 'bool' ? '' : type,
    format === 're2' ? 'a regular expression of RE2' : '',
    words('default', fallback),
    words('at least', minimum),
    words('at most', maximum),
    choices !== undefined || examples.length === 0 ? '' : `for example ${examples.join(', ')}`,
  ]
  return withFacts(description, facts)
}

/** What an endpoint is, and how many rows it gives at most. */
export function endpointText({ description, settings: { max_rows: rows } }: ClientEndpoint): string {
  return withFacts(description, [typeof rows === 'number' ? `at most ${plural(rows, 'row')}` : ''])
}

/** The description, and after it in parentheses the facts that are not empty. */
export function withFacts(description: string, facts: readonly string[]): string {
  const factsText = facts.filter(fact => fact !== '').join(', ')
  if (factsText === '' || description === '') return description || factsText
  return `${description} (${factsText})`
}
