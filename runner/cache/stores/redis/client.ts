/** The client library's connection to one Redis, or to all nodes of a cluster. */
import { createClient, createCluster, RESP_TYPES } from 'redis'

/** How long connecting may take, in milliseconds. */
export const CONNECT_MS = 2_000
/** The pause between attempts to connect to a node of a cluster, in milliseconds. */
const RECONNECT_MS = 500
/** How often a node of a cluster is pinged, and how long it may say nothing: a peer that has vanished closes nothing. */
const PING_MS = 5_000
const SILENCE_MS = 7_000

/** A user may be allowed no more than the few commands that the cache sends. */
const OPTIONS = { disableOfflineQueue: true, disableClientInfo: true, maintNotifications: 'disabled' } as const
const AS_BUFFERS = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } as const

/** Bytes for a bulk string, text for a simple one, numbers, lists of these, null. */
export type Reply = Buffer | string | number | null | readonly Reply[]
export type Command = readonly [name: string, ...rest: (string | Buffer)[]]

export interface Client {
  connect(): Promise<unknown>
  destroy(): void
  send(command: Command): Promise<Reply>
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
}

export interface ClientEvents {
  /** The connection cannot be used any more. */
  lost(error?: unknown): void
  /** A connection within a cluster was made anew, so messages may have been missed. */
  reconnected(): void
  /** A node of a cluster cannot be used. */
  trouble(error: unknown): void
}

/** A client that is not connected yet. It does not connect again after it was lost. */
export function makeClient(url: string, { lost }: ClientEvents): Client {
  const socket = { reconnectStrategy: false, connectTimeout: CONNECT_MS } as const
  const client = createClient({ ...OPTIONS, url, socket, commandOptions: AS_BUFFERS })
  client.on('error', lost).on('end', lost)
  return {
    connect: () => client.connect(),
    destroy: () => client.destroy(),
    send: command => client.sendCommand([...command]),
    subscribe: (channel, listener) => client.subscribe(channel, message => listener(String(message))),
  }
}

/** A client of the cluster to which this node belongs. It finds and connects to the nodes itself, also to new masters. */
export function makeClusterClient(url: string, { reconnected, trouble }: ClientEvents): Client {
  const { username, password, protocol } = new URL(url)
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: RECONNECT_MS, socketTimeout: SILENCE_MS }
  const tls = protocol === 'rediss:' ? ({ tls: true } as const) : {}
  const defaults = { ...OPTIONS, ...(password && login), pingInterval: PING_MS, socket: { ...socket, ...tls } }
  // With all connections made at once, a node that is down would keep the others from being used.
  const options = { rootNodes: [{ url }], defaults, commandOptions: AS_BUFFERS, minimizeConnections: true }
  const cluster = createCluster(options)
  cluster.on('node-ready', reconnected).on('node-error', trouble).on('error', trouble)
  return {
    connect: () => cluster.connect(),
    destroy: () => cluster.destroy(),
    // The library splits MGET and SCAN among the nodes.
    send: command => cluster.sendCommand(keyOf(command), false, [...command]),
    subscribe: (channel, listener) => cluster.subscribe(channel, message => listener(String(message))),
  }
}

/** The key that decides on the node of a command; undefined for a command that any node takes. */
function keyOf([name, ...rest]: Command): string | undefined {
  if (name === 'EVAL') return String(rest[2])
  return name === 'PUBLISH' || name === 'SCAN' || name === 'PING' ? undefined : String(rest[0])
}
