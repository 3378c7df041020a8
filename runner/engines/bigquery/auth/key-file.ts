/** Checks the file that GOOGLE_APPLICATION_CREDENTIALS names, so that a mistake in it is reported at the start. */
import { createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SetupError } from '../../../model/errors.js'
import { isRecord } from '../../../model/is-record.js'
import { readJson } from '../../../model/read-json.js'

/** The members that each type of credentials must have for Google's libraries (google.aip.dev/auth/4112 to 4117). */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  service_account: ['client_email', 'private_key'],
  authorized_user: ['client_id', 'client_secret', 'refresh_token'],
  external_account: ['audience', 'subject_token_type', 'token_url'],
  external_account_authorized_user: ['refresh_token', 'token_url'],
  impersonated_service_account: ['service_account_impersonation_url', 'source_credentials'],
}

/** The words that name the file in messages. */
export const keyFileOrigin = (path: string): string => `GOOGLE_APPLICATION_CREDENTIALS names ${path}`

/** @throws SetupError. Its message quotes only names of types and members from the file, since all other texts may be secret. */
export async function checkKeyFile(path: string): Promise<void> {
  const problem = await problemOf(path)
  if (problem !== null) throw new SetupError(`${keyFileOrigin(path)}, ${problem}`)
}

async function problemOf(path: string): Promise<string | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    return `which cannot be read: ${(cause as NodeJS.ErrnoException).code}`
  }
  const key = readJson(text)
  if (!isRecord(key)) return 'which is not a JSON object'
  const { type } = key
  if (typeof type !== 'string' || !Object.hasOwn(MEMBERS, type)) {
    return `whose "type" is none of ${Object.keys(MEMBERS).join(', ')}`
  }
  const missingMember = MEMBERS[type]!.find(member => !key[member])
  if (missingMember !== undefined) return `which has no "${missingMember}", as credentials of type ${type} have`
  return type === 'service_account' && !isKey(key['private_key']) ? 'whose "private_key" is not a key in PEM' : null
}

function isKey(text: unknown): boolean {
  try {
    return createPrivateKey(String(text)).type === 'private'
  } catch {
    return false
  }
}
