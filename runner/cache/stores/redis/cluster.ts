/** One Redis, or all nodes of a cluster: then each key goes to the node that has it. */

import { StoreError } from '../store-error.js'
import { type NodeLink, openRedisLink, type RedisLink, type RedisLinkOptions } from './link.js'
import { keyOf, mastersOf, slotOf } from './slots.js'

/** The shortest time between two requests for the map of slots. */
const REFRESH_MS = 1_000

/** As `openRedisLink`. A command that a node redirects fails, and the next command for the same slot goes to the right node. */
export async function openRedis(options: RedisLinkOptions): Promise<RedisLink> {
  const { clock } = options
  const seed = await openRedisLink(options)
  const subscriptions: (readonly [string, (message: string) => void])[] = []
  const onConnected: (() => void)[] = []
  /** Masters by address; empty where there is no cluster. */
  const nodes = new Map<string, NodeLink>()
  /** The address of each slot's master. */
  let addresses: readonly (string | undefined)[] = []
  let refreshedAt = -Infinity
  let refreshing = Promise.resolve()
  let isClosed = false

  /** Connects to a node and subscribes there: Redis passes a message that one node receives to all nodes. */
  async function connectTo(address: string): Promise<void> {
    const node = await openRedisLink({ ...options, url: urlAt(options.url, address) })
    if (isClosed || nodes.has(address)) return node.close()
    nodes.set(address, node)
    for (const [channel, listener] of subscriptions) node.subscribe(channel, listener)
    for (const listener of onConnected) node.onConnected(listener)
  }

  /** Asks which node has which slots now, and connects to new nodes. @throws StoreError. */
  async function refreshSlots(): Promise<void> {
    refreshedAt = clock.ticksMs()
    const masters = mastersOf(await anyNode().send(['CLUSTER', 'SLOTS']), new URL(options.url).hostname)
    if (masters === null) throw new StoreError('Redis cannot be used: its cluster has no nodes')
    if (isClosed) return
    const found = Array.from(masters, node => node && addressOf(node))
    const living = new Set(found.filter(address => address !== undefined))
    await Promise.all([...living].filter(address => !nodes.has(address)).map(connectTo))
    addresses = found
    for (const [address, node] of nodes) {
      if (living.has(address)) continue
      nodes.delete(address)
      await node.close()
    }
  }

  function refreshSlotsIfDue(): Promise<void> {
    if (!isClosed && isClustered() && clock.ticksMs() - refreshedAt >= REFRESH_MS) {
      // The commands that follow report what is wrong.
      refreshing = refreshSlots().catch(() => {})
    }
    return refreshing
  }

  const isClustered = (): boolean => seed.isClustered() || nodes.size > 0

  const anyNode = (): NodeLink => [seed, ...nodes.values()].find(node => node.isUp()) ?? seed

  function nodeOf(name: string | null): NodeLink {
    if (!isClustered()) return seed
    if (name === null) return anyNode()
    return nodes.get(addresses[slotOf(name)] ?? '') ?? seed
  }

  seed.onConnected(() => void refreshSlotsIfDue())
  await refreshSlotsIfDue()

  return {
    async send(command, withinMs) {
      try {
        return await nodeOf(keyOf(command)).send(command, withinMs)
      } catch (thrown) {
        void refreshSlotsIfDue()
        throw thrown
      }
    },
    async masters() {
      if (!isClustered()) return [seed]
      await refreshSlots()
      return [...nodes.values()]
    },
    subscribe(channel, listener) {
      subscriptions.push([channel, listener])
      for (const node of [seed, ...nodes.values()]) node.subscribe(channel, listener)
    },
    onConnected(listener) {
      onConnected.push(listener)
      for (const node of [seed, ...nodes.values()]) node.onConnected(listener)
    },
    aheadMs: name => (nodes.get(addresses[slotOf(name)] ?? '') ?? seed).aheadMs(),
    async close() {
      isClosed = true
      await Promise.all([seed, ...nodes.values()].map(node => node.close()))
    },
  }
}

const addressOf = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The same user, password and encryption at another address. */
function urlAt(url: string, address: string): string {
  const changed = new URL(url)
  changed.host = address
  return changed.href
}
