/** Endpoints, parameters and columns in words, for the comments of a client. */
import type { ClientEndpoint, ClientParameter } from './contract.js'

/** A parameter's description, and what its type in a program does not show. */
export function parameterText(parameter: ClientParameter): string {
  const { type, description, choices, fallback, minimum, maximum, examples, isPattern } = parameter
  const facts = [
    type === 'string' || type === 'bool' ? '' : type,
    isPattern ? 'a regular expression of RE2' : '',
    fallback === null ? '' : `default ${fallback}`,
    minimum === null ? '' : `at least ${minimum}`,
    maximum === null ? '' : `at most ${maximum}`,
    choices !== null || examples.length === 0 ? '' : `for example ${examples.join(', ')}`,
  ]
  return withFacts(description, facts)
}

/** What an endpoint is, and how many rows it gives at most. */
export function endpointText({ description, maxRows }: Pick<ClientEndpoint, 'description' | 'maxRows'>): string {
  return withFacts(description, [maxRows === null ? '' : `at most ${maxRows} ${maxRows === 1 ? 'row' : 'rows'}`])
}

/** The description, and after it in parentheses the facts that are not empty. */
export function withFacts(description: string, facts: readonly string[]): string {
  const known = facts.filter(fact => fact !== '').join(', ')
  if (known === '' || description === '') return description || known
  return `${description} (${known})`
}
