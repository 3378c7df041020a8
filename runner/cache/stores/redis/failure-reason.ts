/** Why Redis could not be used, in words for the log: never what it quotes of a command, an address or a password. */
import { StoreError } from '../store-error.js'

/** What refuses a login, a command or a whole server, by the first word of Redis' refusal. */
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

/** By the codes of sockets and TLS. */
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

/** Commands with a word behind them that tells them apart. */
const CONTAINERS: readonly string[] = ['CLUSTER', 'CONFIG', 'CLIENT']

/** A refusal of one command: what Redis said is told by its first word, since the rest may quote an argument. */
export function refusalOf(command: readonly (string | Buffer)[], thrown: unknown): StoreError {
  const kind = kindOf(thrown)
  if (kind === null) return unusable(thrown)
  const name = command.slice(0, CONTAINERS.includes(String(command[0])) ? 2 : 1).join(' ')
  return new StoreError(`Redis refused ${name}: ${inWords(kind)}`, kind)
}

/** What every command is told while there is no connection. */
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
  // Its parser met what no Redis says, or there were more answers than questions.
  if (/^Unknown RESP/.test(String(message)) || name === 'TypeError') return 'what answers is no Redis'
  return 'the connection was lost'
}

const inWords = (kind: string): string => (REFUSALS[kind] === undefined ? kind : `${REFUSALS[kind]} (${kind})`)

/** The first word of a refusal: `WRONGTYPE`; null for what is none. */
function kindOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || 'code' in thrown) return null
  return /^[A-Z]{2,}\b/.exec(thrown.message)?.[0] ?? null
}
