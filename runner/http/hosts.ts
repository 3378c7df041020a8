/** The hosts that requests may be sent to: `--hosts`. */

/**
 * Whether a `Host` header names a host that is served, on any port; every one is where `hosts` is empty. A page whose own name
 * has been made to lead to this server sends its own name (DNS rebinding).
 */
export function servedHosts(hosts: readonly string[]): (header: string) => boolean {
  if (hosts.length === 0) return () => true
  const served = new Set(hosts.map(host => host.toLowerCase()))
  return header => served.has(header.replace(/:\d*$/, '').toLowerCase())
}
