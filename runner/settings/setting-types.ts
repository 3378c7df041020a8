/** What the value of a setting may be: as the text of a flag or a variable, and as a value that a program gives. */
import { BYTE_SIZE_FORM, MAX_BYTE_SIZE, parseByteSize } from '../model/byte-size.js'

/** What is wrong with a value; messages put the setting's name before it. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem'
}

export type SettingType<T> = ReturnType<typeof settingType<T>>

export type Kind = 'string' | 'number' | 'boolean' | 'list of strings'

/** Null for a value of any other kind. */
export function kindOf(value: unknown): Kind | null {
  if (Array.isArray(value)) return value.every(element => typeof element === 'string') ? 'list of strings' : null
  const kind = typeof value
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : null
}

/** @throws SettingProblem for ''. */
export function nonEmpty(value: string): string {
  if (value === '') throw new SettingProblem('must not be empty')
  return value
}

/**
 * For a text that is not of this type, `read` gives a value for which `fits` is false; the message is then `rule`. `unit` is what a
 * number counts, or what a text names; '' for nothing in particular.
 */
function settingType<T>(kind: Kind, read: (text: string) => T, fits: (value: T) => boolean, rule: string, unit = '') {
  const type = {
    kind,
    unit,
    /** @throws SettingProblem. */
    parse(input: string): T {
      const value = read(input)
      type.check(value)
      return value
    },
    /** For a value of this kind. @throws SettingProblem. */
    check(value: T): void {
      if (!fits(value)) throw new SettingProblem(rule)
    },
  }
  return type
}

const textType = (isValid: (value: string) => boolean, message: string, unit = ''): SettingType<string> =>
  settingType('string', value => value, isValid, message, unit)

export const text: SettingType<string> = textType(() => true, '')

export const pathSetting = (what: 'file' | 'folder'): SettingType<string> => textType(() => true, '', what)

export function wholeNumberSetting(minimum: number, maximum: number, unit = ''): SettingType<number> {
  return settingType(
    'number',
    value => (/^\d{1,9}$/.test(value) ? Number(value) : Number.NaN),
    value => Number.isInteger(value) && value >= minimum && value <= maximum,
    `must be a whole number from ${minimum} to ${maximum}`,
    unit,
  )
}

export function oneOf<const T extends string>(values: readonly T[]): SettingType<T> {
  return settingType(
    'string',
    value => value as T,
    value => values.includes(value),
    `must be one of ${values.join(', ')}`,
  )
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false }

export const yesOrNo: SettingType<boolean> = settingType(
  'boolean',
  word => BOOLEANS[word]!,
  value => typeof value === 'boolean',
  'must be true or false',
)

/** In bytes. */
export const size: SettingType<number> = settingType(
  'number',
  value => parseByteSize(value) ?? Number.NaN,
  value => Number.isInteger(value) && value >= 1 && value <= MAX_BYTE_SIZE,
  `must be ${BYTE_SIZE_FORM}`,
  'bytes',
)

/** One time in N, written `1/N`; 0 for never. */
export const oneIn: SettingType<number> = settingType(
  'number',
  value => Number(/^1\/([1-9]\d{0,5})$/.exec(value)?.[1] ?? (value === '0' ? 0 : Number.NaN)),
  value => Number.isInteger(value) && value >= 0 && value <= 999_999,
  'must be 0 (never) or a fraction 1/N, such as 1/20',
)

export const amount: SettingType<number> = settingType(
  'number',
  value => (/^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN),
  value => value >= 0 && value < 1_000_000,
  'must be a number from 0 to 999999.999999, such as 6.25',
  'USD',
)

/** A text that matches; `shape` says in the message what such a text looks like. */
export function matching(pattern: RegExp, shape: string): SettingType<string> {
  return textType(value => pattern.test(value), `must be ${shape}`)
}

/** An HTTP address to which paths can be added. */
export const httpUrl: SettingType<string> = textType(
  value => HTTP_URL.test(value) && URL.canParse(value),
  'must be an http:// or https:// address without a slash, query or user at its end, such as https://data.example.com',
  'url',
)

const HTTP_URL = /^https?:\/\/[^\s?#@/]+(?:\/[^\s?#@/]+)*$/

/** Texts with commas between them. */
const listType = (isValid: (value: string) => boolean, message: string): SettingType<readonly string[]> =>
  settingType(
    'list of strings',
    value => value.split(',').map(element => element.trim()),
    list => list.every(isValid),
    message,
  )

export const origins: SettingType<readonly string[]> = listType(
  origin => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
  'must be origins like https://app.example.com, with commas between them, or *',
)

/** Names or addresses of hosts, without ports. */
export const hostNames: SettingType<readonly string[]> = listType(
  host => /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i.test(host),
  'must be names of hosts without ports, such as data.example.com, with commas between them',
)

/** The address of a Redis server. The message does not quote the text, since it may hold a password. */
export const redisUrl: SettingType<string> = textType(
  isRedisUrl,
  'must be an address like redis://host:6379 or rediss://user:password@host:6380',
)

function isRedisUrl(value: string): boolean {
  if (!/^rediss?:\/\//.test(value) || !URL.canParse(value)) return false
  const { username, password, pathname } = new URL(value)
  try {
    decodeURIComponent(username + password)
    return /^\/?\d*$/.test(pathname) // The number of a database, or nothing.
  } catch {
    return false
  }
}

/** The length of 128 random bits in hexadecimal: a shorter token could be guessed. */
const MIN_TOKEN_LENGTH = 32

/** A token or another secret, which the message does not quote. */
export const tokenText: SettingType<string> = textType(
  value => value.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(value),
  `must be at least ${MIN_TOKEN_LENGTH} characters of printable ASCII without spaces, or it could be guessed; "openssl rand -hex 32" prints one`,
)
