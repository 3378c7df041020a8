/**
 * The public suffix of a host is the part under which registrars sell names: `co.uk`. The package tldts contains the list of
 * publicsuffix.org.
 */
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'
import { withoutLeading, withoutTrailing } from '../../../googlesql/values/trim-text.js'
import { checkMarks } from './strings.js'

type Lookup = typeof import('tldts').parse

let lookup: Lookup | null = null

/** Loads the list for the first query that needs it; synchronously, since DuckDB calls functions synchronously. */
function loadLookup(): Lookup {
  const { parse } = createRequire(import.meta.url)('tldts') as { readonly parse: Lookup }
  lookup = parse
  return parse
}

/** The number of labels in the public suffix of `host`; 0 if it has no public suffix. Private domains do not count. */
function suffixLabels(host: string): number {
  checkMarks(host)
  const ascii = domainToASCII(host.toLowerCase())
  if (ascii === '') return 0
  const options = { extractHostname: false, validateHostname: false, allowPrivateDomains: false }
  const { publicSuffix, isIcann, isIp } = (lookup ?? loadLookup())(ascii, options)
  return isIcann === true && isIp !== true && publicSuffix !== null ? publicSuffix.split('.').length : 0
}

/**
 * The public suffix and the `extra` labels before it, as the host spells them; null if the host has no suffix or fewer labels.
 */
function lastLabels(host: string, extra: number): string | null {
  const bare = withoutTrailing(host, '.')
  const trimmed = withoutLeading(bare, '.')
  const labels = trimmed.split('.')
  const suffix = suffixLabels(trimmed)
  if (suffix === 0 || labels.length < suffix + extra) return null
  if (labels.slice(-(suffix + extra)).includes('')) return null
  // Dots at the end of the host are a part of the result.
  const tail = host.slice(bare.length)
  return labels.slice(-(suffix + extra)).join('.') + tail
}

/** The public suffix of a host, as the host spells it; null if the host has no public suffix. */
export const publicSuffix = (host: string): string | null => lastLabels(host, 0)

/** The public suffix of a host with the label before it; null where either is missing. */
export const registeredDomain = (host: string): string | null => lastLabels(host, 1)
