/** The forms that the texts of settings may have: each gives the value, or throws a SettingProblem. */
import { BYTE_SIZE_FORM, parseByteSize } from '../model/byte-size.js'

/** What is wrong with one value; the name of its setting comes before it. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem'
}

export const text = (value: string): string => value

export function wholeNumber(minimum: number, maximum: number): (value: string) => number {
  return value => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    throw new SettingProblem(`must be a whole number from ${minimum} to ${maximum}`)
  }
}

export function oneOf<T extends string>(values: readonly T[]): (value: string) => T {
  return value => {
    const found = values.find(allowed => allowed === value)
    if (found !== undefined) return found
    throw new SettingProblem(`must be one of ${values.join(', ')}`)
  }
}

export function yesOrNo(value: string): boolean {
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw new SettingProblem('must be true or false')
}

export function size(value: string): number {
  const bytes = parseByteSize(value)
  if (bytes !== undefined) return bytes
  throw new SettingProblem(`must be ${BYTE_SIZE_FORM}`)
}

export function amount(value: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(value)) return Number(value)
  throw new SettingProblem('must be a number, such as 6.25')
}

export function matching(pattern: RegExp, form: string): (value: string) => string {
  return value => {
    if (pattern.test(value)) return value
    throw new SettingProblem(`must be ${form}`)
  }
}

export function origins(value: string): readonly string[] {
  const list = value.split(',').map(origin => origin.trim())
  for (const origin of list) {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) continue
    throw new SettingProblem('must be origins like https://app.example.com, with commas between them, or *')
  }
  return list
}

/** What is wrong is not said: it may hold a password. */
export function redisUrl(value: string): string {
  if (/^rediss?:\/\//.test(value) && URL.canParse(value) && isDecodable(new URL(value))) return value
  throw new SettingProblem('must be an address like redis://host:6379 or rediss://user:password@host:6380')
}

/** User and password as they are encoded, and no more of a path than the number of a database. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return /^\/?\d*$/.test(pathname)
  } catch {
    return false
  }
}

/** As many letters as 128 random bits have in hexadecimal: a shorter token could be guessed. */
const MIN_TOKEN_LENGTH = 32

/** What is wrong is said without the token. */
export function tokenText(value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new SettingProblem('must be printable ASCII without spaces')
  if (value.length >= MIN_TOKEN_LENGTH) return value
  throw new SettingProblem(
    `must have at least ${MIN_TOKEN_LENGTH} characters, or it could be guessed; "openssl rand -hex 32" prints one`,
  )
}
