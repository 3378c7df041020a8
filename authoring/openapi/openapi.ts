/** `sluice openapi`: prints the OpenAPI document. */

import { stringifyExact } from '../../runner/model/exact-json.js'
import { readSettings } from '../../runner/settings/settings.js'
import { writeExamples } from '../call/examples.js'
import { assignments, timeArgument } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { describeEndpoints } from './describe-endpoints.js'

type SettingFlags = Readonly<Record<string, string | undefined>>

export async function printOpenApi(
  settingFlags: SettingFlags,
  flags: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<number> {
  const url = flags['url'] as string | undefined
  const given = url === undefined ? settingFlags : { ...settingFlags, 'public-url': url }
  const settings = readSettings(given, io.environment)
  const request = {
    allow: (flags['allow'] as readonly string[] | undefined) ?? ['*'],
    pin: assignments('--pin', (flags['pin'] as readonly string[] | undefined) ?? []),
    version: flags['version'] as '3.1' | '3.0',
    serverUrl: settings.publicUrl ?? `http://${settings.host}:${settings.port}`,
  }
  const { now } = flags
  const clock = typeof now === 'string' ? { nowMicros: timeArgument('--now', now) } : {}
  const written = flags['examples'] === true ? await writeExamples(settings, request, clock, io) : EXIT.clean
  const { document, warnings } = await describeEndpoints(settings, request)
  for (const warning of warnings) io.printError(`warning: ${warning}\n`)
  io.print(`${stringifyExact(document, 2)}\n`)
  return written
}
