/** The NET functions: hosts of URLs, and IP addresses as text and as bytes in network order. */

import { withoutLeading, withoutTrailing } from '../../../googlesql/values/trim-text.js'
import { publicSuffix, registeredDomain } from './public-suffix.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

const WHITE_SPACE = ' \t\n\v\f\r'

const isSlash = (char: string | undefined): boolean => char === '/' || char === '\\'

/**
 * The host of a URL; null if the URL has no host. Follows GoogleSQL's own rules, which are a best effort and differ from a
 * browser's: a scheme is recognised only before `//`, and the part before the last `@` is a user.
 */
function hostOf(url: string): string | null {
  const text = withoutLeading(withoutTrailing(url, WHITE_SPACE), WHITE_SPACE)
  let start = 0
  let end = text.length
  let mayHaveScheme = true
  if (isSlash(text[0]) && isSlash(text[1])) {
    start = 2
    mayHaveScheme = false
  }
  for (let at = start; at < end; at++) {
    const char = text[at]!
    if (char === '#' || char === '?' || isSlash(char)) {
      end = at
    } else if (char === ':' && mayHaveScheme) {
      mayHaveScheme = false
      if (isSlash(text[at + 1]) && isSlash(text[at + 2])) {
        at += 2
        start = at + 1
      }
    } else if (char === '@') start = at + 1
  }
  let portFrom = start
  if (text[start] === '[') {
    for (portFrom++; portFrom < end; ) {
      const char = text[portFrom++]
      if (char === '[' || char === ']') break
    }
  }
  const colon = text.indexOf(':', portFrom)
  if (colon >= 0 && colon < end) end = colon
  while (start < end && text[start] === '.') start++
  while (end - start > 1 && text[end - 1] === '.' && text[end - 2] === '.') end--
  return start < end ? text.slice(start, end) : null
}

const partOfHost =
  (part: (host: string) => string | null) =>
  (url: string): string | null => {
    const name = hostOf(url)
    return name === null ? null : part(name)
  }

/** The 4 or 16 bytes of an address. As in inet_pton, leading zeros and white space are not allowed. Null for other text. */
function parseIp(text: string): Uint8Array | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every(part => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null
  return Uint8Array.from(parts, Number)
}

function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const groups = halves.map(half => (half === '' ? [] : half.split(':')))
  // The last part may be an IPv4 address.
  const last = groups[groups.length - 1]!
  const ipv4Text = last[last.length - 1]
  if (ipv4Text?.includes('.')) {
    const ipv4 = parseIpv4(ipv4Text)
    if (!ipv4) return null
    last.splice(-1, 1, hexPair(ipv4[0]!, ipv4[1]!), hexPair(ipv4[2]!, ipv4[3]!))
  }
  const writtenGroups = groups.flat()
  if (!writtenGroups.every(group => /^[0-9a-fA-F]{1,4}$/.test(group))) return null
  const missing = 8 - writtenGroups.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null
  const all = [...groups[0]!, ...Array<string>(missing).fill('0'), ...(groups[1] ?? [])]
  return Uint8Array.from(all.flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]))
}

const hexPair = (high: number, low: number): string => ((high << 8) | low).toString(16)

/** The text of an address in the form of inet_ntop: the longest run of two or more zero groups becomes `::`. */
function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[2 * index]! << 8) | bytes[2 * index + 1]!)
  let best = { start: -1, length: 1 }
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  const isMapped =
    best.start === 0 && ((best.length === 6 && groups[6] !== 0) || (best.length === 5 && groups[5] === 0xffff))
  if (isMapped) return `${best.length === 5 ? '::ffff:' : '::'}${bytes.slice(12).join('.')}`
  const hex = groups.map(group => group.toString(16))
  if (best.start < 0) return hex.join(':')
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`
}

function ipFromString(text: string): Uint8Array {
  const bytes = parseIp(text)
  if (!bytes) fail(`NET.IP_FROM_STRING() encountered an unparseable IP-address: ${text}`)
  return bytes
}

function ipToString(bytes: Uint8Array): string {
  if (bytes.length !== 4 && bytes.length !== 16)
    fail(
      `NET.IP_TO_STRING() encountered an invalid IP address. Expected 4 (for IPv4) or 16 (for IPv6) bytes but got ${bytes.length}`,
    )
  return ipText(bytes)
}

function ipNetMask(size: bigint, prefix: bigint): Uint8Array {
  if (size !== 4n && size !== 16n)
    fail(`The first argument of NET.IP_NET_MASK() must be either 4 (for IPv4) or 16 (for IPv6); got ${size}`)
  if (prefix < 0n || prefix > size * 8n)
    fail(`The second argument of NET.IP_NET_MASK() must be between 0 and the first argument * 8; got ${prefix}`)
  return truncate(new Uint8Array(Number(size)).fill(255), Number(prefix))
}

function ipTrunc(bytes: Uint8Array, prefix: bigint): Uint8Array {
  if (bytes.length !== 4 && bytes.length !== 16)
    fail(`The first argument of NET.IP_TRUNC() must have length 4 (for IPv4) or 16 (for IPv6); got ${bytes.length}`)
  if (prefix < 0n || prefix > BigInt(bytes.length) * 8n)
    fail(`The second argument of NET.IP_TRUNC() must be between 0 and 8 * LENGTH(first argument); got ${prefix}`)
  return truncate(bytes, Number(prefix))
}

/** The first `prefix` bits of an address, followed by zeros. */
const truncate = (bytes: Uint8Array, prefix: number): Uint8Array =>
  bytes.map((byte, index) => byte & (0xff00 >> Math.min(Math.max(prefix - index * 8, 0), 8)))

/** An address with an optional `/prefix`; bits after the prefix become zeros. Null for other text. */
function parseRange(text: string): { bytes: Uint8Array; prefix: number } | null {
  const [address, length, ...more] = text.split('/')
  const bytes = parseIp(address!)
  if (!bytes || more.length > 0) return null
  if (length === undefined) return { bytes, prefix: bytes.length * 8 }
  if (!/^\d{1,3}$/.test(length) || Number(length) > bytes.length * 8) return null
  return { bytes: truncate(bytes, Number(length)), prefix: Number(length) }
}

function ipInNet(address: string, subnet: string): boolean {
  const ip = parseRange(address)
  if (!ip) fail('NET.IP_IN_NET() encountered an unparseable IP-address')
  const net = parseRange(subnet)
  if (!net) fail('NET.IP_IN_NET() encountered an unparseable net')
  if (ip.bytes.length !== net.bytes.length || ip.prefix < net.prefix) return false
  return truncate(ip.bytes, net.prefix).every((byte, index) => byte === net.bytes[index])
}

function makeNet(address: string, prefix: bigint): string {
  if (prefix < 0n) fail('NET.MAKE_NET() encountered a negative length')
  const range = parseRange(address)
  if (!range) fail('NET.MAKE_NET() encountered an unparseable IP-address')
  if (prefix > BigInt(range.prefix)) fail('NET.MAKE_NET() is trying to expand a subnet')
  return `${ipText(truncate(range.bytes, Number(prefix)))}/${prefix}`
}

function ipv4FromInt64(value: bigint): Uint8Array {
  if (value < -0x80000000n || value > 0xffffffffn)
    fail(
      `NET.IPV4_FROM_INT64() encountered an invalid integer IP. Expected range: [-0x80000000, 0xFFFFFFFF]; got ${value}`,
    )
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, Number(BigInt.asUintN(32, value)))
  return bytes
}

function ipv4ToInt64(bytes: Uint8Array): bigint {
  if (bytes.length !== 4)
    fail(`NET.IPV4_TO_INT64() encountered a non-IPv4 address. Expected 4 bytes but got ${bytes.length}`)
  return BigInt(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0))
}

export const NET_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_net_host', ['VARCHAR'], 'VARCHAR', hostOf),
  scalar('bq_net_public_suffix', ['VARCHAR'], 'VARCHAR', partOfHost(publicSuffix), { refuses: true }),
  scalar('bq_net_reg_domain', ['VARCHAR'], 'VARCHAR', partOfHost(registeredDomain), { refuses: true }),
  scalar('bq_net_ip_from_string', ['VARCHAR'], 'BLOB', ipFromString),
  scalar('bq_net_safe_ip_from_string', ['VARCHAR'], 'BLOB', parseIp),
  scalar('bq_net_ip_to_string', ['BLOB'], 'VARCHAR', ipToString),
  scalar('bq_net_ip_net_mask', ['BIGINT', 'BIGINT'], 'BLOB', ipNetMask),
  scalar('bq_net_ip_trunc', ['BLOB', 'BIGINT'], 'BLOB', ipTrunc),
  scalar('bq_net_ip_in_net', ['VARCHAR', 'VARCHAR'], 'BOOLEAN', ipInNet),
  scalar('bq_net_make_net', ['VARCHAR', 'BIGINT'], 'VARCHAR', makeNet),
  scalar('bq_net_ipv4_from_int64', ['BIGINT'], 'BLOB', ipv4FromInt64),
  scalar('bq_net_ipv4_to_int64', ['BLOB'], 'BIGINT', ipv4ToInt64),
]
