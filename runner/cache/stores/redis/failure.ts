/** Failures of Redis, with their reasons for the log. They never contain a command's arguments, an address or a password. */

/** A failure of a store, which the cache treats as a miss. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** The first word of an error reply, such as `READONLY`, or a code of the system, such as `ECONNREFUSED`. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}

const REASONS: Readonly<Record<string, string>> = {
  WRONGPASS: 'the user or password is wrong',
  NOAUTH: 'it wants a user and password',
  NOPERM: 'the user may not do that',
  OOM: 'it is full',
  READONLY: 'it is a read-only replica',
  LOADING: 'it is still loading its data',
  MASTERDOWN: 'it is a replica that has lost its master',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name is not known',
  ECONNRESET: 'it closed the connection, as a server does that wants TLS (rediss://)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
}

const NO_REPLY = 'it closed the connection, or is not a Redis'

/** An error of the connection, or with `command`, of this command. */
export function storeErrorOf(thrown: unknown, command?: string): StoreError {
  if (thrown instanceof StoreError) return thrown
  const { code, message } = Object(thrown) as { readonly code?: unknown; readonly message?: unknown }
  // The rest of an error reply may quote an argument.
  const reply = /^[A-Z]{2,}\b/.exec(String(message))?.[0] ?? null
  const word = typeof code === 'string' ? code : reply
  const reason = word === null ? NO_REPLY : word in REASONS ? `${REASONS[word]} (${word})` : word
  const isRefusal = command !== undefined && word !== null && word === reply
  return new StoreError(`Redis ${isRefusal ? `refused ${command}` : 'cannot be used'}: ${reason}`, word)
}
