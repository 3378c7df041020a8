/** Flags that several commands have, and the conversion of settings to flags and back. */
import { type Command, Option } from 'commander'
import { SETTINGS } from '../../runner/settings/settings.js'
import type { ReportFormat } from './report.js'

export type Flags = Readonly<Record<string, string | undefined>>
/** Flags as commander parses them: switches are booleans. */
type ParsedFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** Gives the command the flags of these settings. */
export function withSettings<C extends Command>(command: C, names: readonly (string | null)[]): C {
  for (const row of SETTINGS) {
    if (row.flag === null || !names.includes(row.flag)) continue
    const fallback = row.default === '' ? '' : `, else ${row.default}`
    const unit = row.unit === '' ? 'value' : row.unit
    const value = row.isSwitch ? '' : ` <${unit}>`
    command.option(`${row.flag}${value}`, `${row.description} (or ${row.variable}${fallback})`)
  }
  return command
}

/** The settings' flags, with commander's camelCase names converted back. */
export function settingFlags(parsed: object): Flags {
  const flags = parsed as ParsedFlags
  const entries = SETTINGS.flatMap(row => {
    const name = row.flag?.slice(2)
    const value = name && flags[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return name && (typeof value === 'string' || value === true) ? [[name, String(value)] as const] : []
  })
  return Object.fromEntries(entries)
}

export const ENGINE_FLAGS =
  '--endpoints --tables --functions-dir --data --database --engine --engine-memory --engine-threads'.split(' ')

export const WAREHOUSE_FLAGS = ['--project', '--location', '--dataset', '--max-bytes-billed', '--reservation']

export const without = (flags: readonly string[], ...removed: readonly string[]): readonly string[] =>
  flags.filter(flag => !removed.includes(flag))

/** The flags of commands that ask the embedded engine, whatever engine serves. */
export const EMBEDDED_FLAGS = [...without(ENGINE_FLAGS, '--engine'), '--project', '--dataset']

/** The flag `--format`; text is for people, and the default. */
export const formatFlag = (description: string, ...others: readonly string[]): Option =>
  new Option('--format <format>', description).choices(['text', ...others]).default('text')

/** The flags of a command with `formatFlag`. */
export interface FormatFlags {
  readonly format: ReportFormat
}
