/** The part of a host that its registrar sells below: `co.uk`. From the list at publicsuffix.org, as tldts carries it. */
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'

type Lookup = typeof import('tldts').parse

let lookup: Lookup | null = null

/** The list is read into memory by the first query that asks for it, synchronously, as DuckDB calls its functions. */
function loadLookup(): Lookup {
  const { parse } = createRequire(import.meta.url)('tldts') as { readonly parse: Lookup }
  lookup = parse
  return parse
}

/** How many labels of `host` are its public suffix; 0 where it has none. Private domains do not count. */
function suffixLabels(host: string): number {
  const ascii = domainToASCII(host.toLowerCase())
  if (ascii === '') return 0
  const options = { extractHostname: false, validateHostname: false, allowPrivateDomains: false }
  const { publicSuffix, isIcann, isIp } = (lookup ?? loadLookup())(ascii, options)
  return isIcann === true && isIp !== true && publicSuffix !== null ? publicSuffix.split('.').length : 0
}

/** The last `count` labels, of which there must be so many, as the host spells them; null for fewer. */
function lastLabels(host: string, extra: number): string | null {
  const trimmed = host.replace(/^\.+|\.+$/g, '')
  const labels = trimmed.split('.')
  const suffix = suffixLabels(trimmed)
  if (suffix === 0 || labels.length < suffix + extra) return null
  if (labels.slice(-(suffix + extra)).includes('')) return null
  // Dots at the end belong to the host, and so to its last labels.
  const tail = /\.*$/.exec(host)![0]
  return labels.slice(-(suffix + extra)).join('.') + tail
}

/** The public suffix of a host, spelled as in the host. */
export const publicSuffix = (host: string): string | null => lastLabels(host, 0)

/** The public suffix and the label before it. */
export const registeredDomain = (host: string): string | null => lastLabels(host, 1)
