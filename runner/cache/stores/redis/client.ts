/** The client library's connection to one Redis, or to all nodes of a cluster. */
import { createClient, createCluster, RESP_TYPES } from 'redis'

/** How long connecting may take, in milliseconds. */
export const CONNECT_MS = 2_000
/** The pause between attempts to connect to a node of a cluster, in milliseconds. */
const RECONNECT_MS = 500
/** How often a server is pinged. One that is silent for `socketTimeout` is given up, since a vanished server closes no connection. */
const PING_MS = 5_000
const SOCKET = { connectTimeout: CONNECT_MS, socketTimeout: 7_000 } as const

/** The library sends no CLIENT commands: the Redis user may be allowed only the few commands that the cache sends. */
const NO_CLIENT_COMMANDS = { disableClientInfo: true, maintNotifications: 'disabled' } as const
const OPTIONS = { ...NO_CLIENT_COMMANDS, disableOfflineQueue: true, pingInterval: PING_MS } as const
const AS_BUFFERS = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } as const

/** Bytes for a bulk string, text for a simple one, numbers, lists of these, null. */
export type Reply = Buffer | string | number | null | readonly Reply[]
export type Command = readonly [name: string, ...rest: (string | Buffer)[]]

/** The members of the library's clients that are used. */
interface Connection {
  connect(): Promise<unknown>
  destroy(): void
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
}

/** A client that is not connected yet, and how it sends a command. */
export interface Client {
  readonly connection: Connection
  readonly send: (command: Command) => Promise<Reply>
}

/** A client of one server, which does not reconnect. It calls `lost` when the connection cannot be used any more. */
export function makeClient(url: string, lost: (error?: unknown) => void): Client {
  const socket = { ...SOCKET, reconnectStrategy: false } as const
  const connection = createClient({ ...OPTIONS, url, socket, commandOptions: AS_BUFFERS })
  connection.on('error', lost).on('end', lost)
  return { connection, send: command => connection.sendCommand([...command]) }
}

/**
 * A client of the cluster to which this node belongs. It finds and connects to the nodes itself, also to new masters.
 * It calls `reconnected` after a connection was made anew, since messages may have been missed, and `trouble` when a node cannot be used.
 */
export function makeClusterClient(url: string, reconnected: () => void, trouble: (error: unknown) => void): Client {
  const { username, password, protocol } = new URL(url)
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  const tls = protocol === 'rediss:' ? ({ tls: true } as const) : {}
  const socket = { ...SOCKET, ...tls, reconnectStrategy: RECONNECT_MS }
  const defaults = { ...OPTIONS, ...(password && login), socket }
  // With all connections made at once, a node that is down would keep the others from being used.
  const options = { rootNodes: [{ url }], defaults, commandOptions: AS_BUFFERS, minimizeConnections: true }
  const connection = createCluster(options)
  connection.on('node-ready', reconnected).on('node-error', trouble).on('error', trouble)
  // The library splits MGET and SCAN among the nodes.
  return { connection, send: command => connection.sendCommand(keyOf(command), false, [...command]) }
}

/** The key that decides which node gets a command; undefined for a command that any node takes. */
function keyOf([name, ...rest]: Command): string | undefined {
  if (name === 'EVAL') return String(rest[2])
  return name === 'PUBLISH' || name === 'SCAN' || name === 'PING' ? undefined : String(rest[0])
}
