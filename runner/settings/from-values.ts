/** Checks settings that are given as values, by whoever uses this as a library, as those are checked that come as texts. */
import { nearest } from '../../googlesql/index.js'
import { UsageError } from '../model/errors.js'
import { SettingProblem } from './setting-parsers.js'
import { DEFAULT_SETTINGS, SETTINGS, type SettingRow, type Settings } from './settings.js'

/** With their defaults where nothing, or undefined, is given. @throws UsageError with every problem; none repeats a value. */
export function completeSettings(given: Partial<Settings>): Settings {
  if (typeof given !== 'object' || given === null) throw new UsageError(['settings must be an object'])
  const settings: Record<string, unknown> = { ...DEFAULT_SETTINGS }
  const problems: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue
    const row = SETTINGS.find(known => known.key === key)
    const problem = row ? problemOf(row, value) : unknownKey(key)
    if (problem === null) settings[key] = value
    else problems.push(problem)
  }
  if (problems.length > 0) throw new UsageError(problems)
  return Object.freeze(settings) as unknown as Settings
}

function unknownKey(key: string): string {
  const meant = nearest(
    key,
    SETTINGS.map(row => row.key),
  )
  return `there is no setting "${key}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`
}

function problemOf(row: SettingRow, value: unknown): string | null {
  const { key } = row
  const unset = DEFAULT_SETTINGS[key]
  if (value === null) return unset === null ? null : `${key} must not be null`
  const kind = kindOf(row)
  if (kindOfValue(value) !== kind) return `${key} must be a ${kind}${unset === null ? ', or null' : ''}`
  if (Array.isArray(value) && value.length === 0) return null
  const text = Array.isArray(value) ? value.join(',') : String(value)
  if (text === '') return `${key} must not be empty`
  try {
    row.parse(text)
    return null
  } catch (thrown) {
    if (!(thrown instanceof SettingProblem)) throw thrown
    return `${key} ${thrown.message}`
  }
}

/** As the default is; what has none is text, but for one. */
function kindOf({ key }: SettingRow): string {
  return key === 'maxBytesBilled' ? 'number' : kindOfValue(DEFAULT_SETTINGS[key] ?? '')
}

function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'list of strings'
  return typeof value
}
