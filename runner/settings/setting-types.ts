/** What the value of a setting may be: as the text of a flag or a variable, and as a value that a program gives. */
import { BYTE_SIZE_FORM, MAX_BYTE_SIZE, parseByteSize } from '../model/byte-size.js'

/** What is wrong with a value; messages put the setting's name before it. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem'
}

export interface SettingType<T> {
  readonly kind: Kind
  /** @throws SettingProblem. */
  parse(text: string): T
  /** For a value of this kind. @throws SettingProblem. */
  check(value: T): void
}

export type Kind = 'string' | 'number' | 'boolean' | 'list of strings'

/** Null for a value of any other kind. */
export function kindOf(value: unknown): Kind | null {
  if (Array.isArray(value)) return value.every(one => typeof one === 'string') ? 'list of strings' : null
  const kind = typeof value
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : null
}

/** @throws SettingProblem for ''. */
export function nonEmpty(value: string): string {
  if (value === '') throw new SettingProblem('must not be empty')
  return value
}

/** Texts of this type, and what is wrong with any other. */
function textType<T extends string>(isRight: (value: string) => value is T, message: string): SettingType<T> {
  function assert(value: string): asserts value is T {
    if (!isRight(value)) throw new SettingProblem(message)
  }
  return {
    kind: 'string',
    parse(value) {
      assert(value)
      return value
    },
    check: assert,
  }
}

/** `read` gives NaN for a text that is not a number of this type; `isRight` is false for NaN. */
function numberType(
  read: (text: string) => number,
  isRight: (value: number) => boolean,
  message: string,
): SettingType<number> {
  function check(value: number): void {
    if (!isRight(value)) throw new SettingProblem(message)
  }
  return {
    kind: 'number',
    parse(given) {
      const value = read(given)
      check(value)
      return value
    },
    check,
  }
}

const isText = (value: string): value is string => typeof value === 'string'

export const text: SettingType<string> = textType(isText, '')

export function wholeNumber(minimum: number, maximum: number): SettingType<number> {
  return numberType(
    value => (/^\d{1,9}$/.test(value) ? Number(value) : Number.NaN),
    value => Number.isInteger(value) && value >= minimum && value <= maximum,
    `must be a whole number from ${minimum} to ${maximum}`,
  )
}

export function oneOf<const T extends string>(values: readonly T[]): SettingType<T> {
  const isOne = (value: string): value is T => values.some(allowed => allowed === value)
  return textType(isOne, `must be one of ${values.join(', ')}`)
}

export const yesOrNo: SettingType<boolean> = {
  kind: 'boolean',
  parse(value) {
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    throw new SettingProblem('must be true or false')
  },
  check: () => undefined,
}

/** In bytes. */
export const size: SettingType<number> = numberType(
  value => parseByteSize(value) ?? Number.NaN,
  value => Number.isInteger(value) && value >= 1 && value <= MAX_BYTE_SIZE,
  `must be ${BYTE_SIZE_FORM}`,
)

export const amount: SettingType<number> = numberType(
  value => (/^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN),
  value => value >= 0 && value < 1_000_000,
  'must be a number, such as 6.25',
)

/** `shape`: how a text looks that matches. */
export function matching(pattern: RegExp, shape: string): SettingType<string> {
  return textType((value): value is string => pattern.test(value), `must be ${shape}`)
}

/** An HTTP address to which paths can be added. */
export const httpUrl: SettingType<string> = textType(
  (value): value is string => HTTP_URL.test(value) && URL.canParse(value),
  'must be an http:// or https:// address without a slash, query or user at its end, such as https://data.example.com',
)

const HTTP_URL = /^https?:\/\/[^\s?#@/]+(?:\/[^\s?#@/]+)*$/

/** Texts with commas between them. */
function listType(isRight: (value: string) => boolean, message: string): SettingType<readonly string[]> {
  function check(list: readonly string[]): void {
    if (!list.every(isRight)) throw new SettingProblem(message)
  }
  return {
    kind: 'list of strings',
    parse(value) {
      const list = value.split(',').map(element => element.trim())
      check(list)
      return list
    },
    check,
  }
}

export const origins: SettingType<readonly string[]> = listType(
  origin => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
  'must be origins like https://app.example.com, with commas between them, or *',
)

/** Names or addresses of hosts, without ports. */
export const hostNames: SettingType<readonly string[]> = listType(
  host => /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i.test(host),
  'must be names of hosts without ports, such as data.example.com, with commas between them',
)

/** Parses a Redis URL. The error does not quote the text, since it may hold a password. */
export const redisUrl: SettingType<string> = textType(
  (value): value is string => /^rediss?:\/\//.test(value) && URL.canParse(value) && isDecodable(new URL(value)),
  'must be an address like redis://host:6379 or rediss://user:password@host:6380',
)

/** Whether user and password can be decoded, and the path is at most the number of a database. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return /^\/?\d*$/.test(pathname)
  } catch {
    return false
  }
}

/** The length of 128 random bits in hexadecimal: a shorter token could be guessed. */
const MIN_TOKEN_LENGTH = 32

const printable = matching(/^[\x21-\x7e]+$/, 'printable ASCII without spaces')
const longEnough = textType(
  (value): value is string => value.length >= MIN_TOKEN_LENGTH,
  `must have at least ${MIN_TOKEN_LENGTH} characters, or it could be guessed; "openssl rand -hex 32" prints one`,
)

/** Parses a token or another secret. The error does not quote it. */
export const tokenText: SettingType<string> = {
  kind: 'string',
  parse: value => longEnough.parse(printable.parse(value)),
  check(value) {
    printable.check(value)
    longEnough.check(value)
  },
}
