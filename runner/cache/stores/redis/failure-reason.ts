/** Reasons for failures of Redis, for the log. They never contain a command's arguments, an address or a password. */
import { StoreError } from '../store-error.js'

/** Reasons by the first word of Redis' error. */
const REFUSALS: Readonly<Record<string, string>> = {
  WRONGPASS: 'the user or password is wrong',
  NOAUTH: 'it wants a user and password',
  NOPERM: 'the user may not do that',
  OOM: 'it is full',
  READONLY: 'it is a read-only replica',
  LOADING: 'it is still loading its data',
  MASTERDOWN: 'it is a replica that has lost its master',
  MISCONF: 'it cannot save its data',
  MOVED: 'another node of its cluster has this key',
  ASK: 'another node of its cluster is taking this key',
  CLUSTERDOWN: 'its cluster is down',
}

/** Reasons by error codes of sockets and TLS. */
const NETWORK: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'its name is not known'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'there is no way to it'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its certificate is not valid at this time'],
  [/CERT_(REQUIRED|UNKNOWN)|CERTIFICATE_REQUIRED/, 'it wants a certificate of the client'],
  [/CERT|SIGNATURE|ISSUER|CHAIN/, 'its certificate is not trusted'],
  [/^(EPROTO|ERR_SSL_)/, 'it does not agree on TLS'],
  [/^(ECONNRESET|EPIPE)$/, 'it closed the connection, as a server does that wants TLS (rediss://)'],
]

/** Commands whose second word is a subcommand. */
const CONTAINERS: readonly string[] = ['CLUSTER', 'CONFIG', 'CLIENT']

/** The error for a refused command. Only the first word of Redis' message is used, since the rest may quote an argument. */
export function refusalOf(command: readonly (string | Buffer)[], thrown: unknown): StoreError {
  const kind = kindOf(thrown)
  if (kind === null) return unusable(thrown)
  const name = command.slice(0, CONTAINERS.includes(String(command[0])) ? 2 : 1).join(' ')
  return new StoreError(`Redis refused ${name}: ${inWords(kind)}`, kind)
}

/** The error of every command while there is no connection. */
export function unusable(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown
  return new StoreError(`Redis cannot be used: ${reasonOf(thrown)}`, kindOf(thrown))
}

function reasonOf(thrown: unknown): string {
  const kind = kindOf(thrown)
  if (kind !== null) return inWords(kind)
  const { code, name, message } = (thrown ?? {}) as { code?: unknown; name?: unknown; message?: unknown }
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) {
    const reason = NETWORK.find(([pattern]) => pattern.test(code))?.[1]
    return reason === undefined ? code : `${reason} (${code})`
  }
  if (message === 'Socket closed unexpectedly') return 'it closed the connection'
  if (message === 'Connection timeout') return 'it does not answer'
  // The client's parser met an invalid reply, or there were more replies than commands.
  if (/^Unknown RESP/.test(String(message)) || name === 'TypeError') return 'what answers is no Redis'
  return 'the connection was lost'
}

const inWords = (kind: string): string => (REFUSALS[kind] === undefined ? kind : `${REFUSALS[kind]} (${kind})`)

/** The first word of an error reply, such as `WRONGTYPE`; null where there is no error reply. */
function kindOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || 'code' in thrown) return null
  return /^[A-Z]{2,}\b/.exec(thrown.message)?.[0] ?? null
}
