/** `sluice openapi`: prints the OpenAPI document. */

import { stringifyExact } from '../../runner/model/exact-json.js'
import type { Settings } from '../../runner/settings/settings.js'
import { writeExamples } from '../call/examples.js'
import { assignments, timeArgument } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { describeEndpoints } from './describe-endpoints.js'

export interface OpenApiFlags {
  readonly allow?: readonly string[]
  readonly pin?: readonly string[]
  readonly version: '3.1' | '3.0'
  readonly examples?: boolean
  /** An ISO 8601 time. */
  readonly now?: string
}

export async function printOpenApi(
  settings: Settings,
  { allow = ['*'], pin = [], version, examples, now }: OpenApiFlags,
  io: Io,
): Promise<number> {
  const serverUrl = settings.publicUrl ?? `http://${settings.host}:${settings.port}`
  const request = { allow, pin: assignments('--pin', pin), version, serverUrl }
  const clock = now === undefined ? {} : { nowMicros: timeArgument('--now', now) }
  const written = examples ? await writeExamples(settings, request, clock, io) : EXIT.clean
  const { document, warnings } = await describeEndpoints(settings, request)
  for (const warning of warnings) io.printError(`warning: ${warning}\n`)
  io.print(`${stringifyExact(document, 2)}\n`)
  return written
}
