/** The part of the page's address behind `#`: which endpoint, with which arguments, and whether the call is run at once. */

import type { Arguments, Parameter } from '../api/contract.js'
import { queryOf } from '../api/query-string.js'

export interface Address {
  /** The endpoint's name or id; '' for none. */
  readonly ref: string
  readonly query: URLSearchParams
}

/** `#/logs.all?project=abc&run=1`. */
export function readAddress(hash: string): Address {
  const [, path = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? []
  return { ref: decoded(path), query: new URLSearchParams(query) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether `run=1` runs the call at once. Where the endpoint has a parameter named `run`, it is an argument instead. */
export function wantsRun({ query }: Address, parameters: readonly Parameter[]): boolean {
  return query.get('run') === '1' && !declaresRun(parameters)
}

/** The values of declared parameters. */
export function argumentsOf({ query }: Address, parameters: readonly Parameter[]): Arguments {
  const args: Record<string, string | readonly string[]> = {}
  for (const { name, type } of parameters) {
    const values = query.getAll(name)
    if (values.length > 0) args[name] = type.startsWith('array') ? values : values[0]!
  }
  return args
}

export function addressOf(name: string, args: Arguments, parameters: readonly Parameter[]): string {
  const query = queryOf(args)
  const run = declaresRun(parameters) ? '' : 'run=1'
  const all = [query, run].filter(part => part !== '').join('&')
  return `#/${encodeURIComponent(name)}${all === '' ? '' : `?${all}`}`
}

const declaresRun = (parameters: readonly Parameter[]): boolean => parameters.some(({ name }) => name === 'run')
