/** The hosts that requests may be sent to: `--hosts`. */

/**
 * Whether a `Host` header names a host that is served, on any port; an empty `hosts` serves every host. This refuses DNS
 * rebinding: a page whose name was made to resolve to this server sends that name.
 */
export function servedHosts(hosts: readonly string[]): (header: string) => boolean {
  if (hosts.length === 0) return () => true
  const served = new Set(hosts.map(host => host.toLowerCase()))
  return header => served.has(header.replace(/:\d*$/, '').toLowerCase())
}
