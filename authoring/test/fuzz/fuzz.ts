/** `sluice fuzz`: calls an endpoint as strangers would, and prints what fails as tests. */

import { didYouMean } from '../../../runner/manifest/report.js'
import { RunnerError } from '../../../runner/model/errors.js'
import { refuseErrors } from '../../../runner/serve/endpoint-registry.js'
import { readSettings } from '../../../runner/settings/settings.js'
import { timeArgument, wholeNumber } from '../../terminal/arguments.js'
import { EXIT, type Io } from '../../terminal/io.js'
import { findingsText } from './findings.js'
import { fuzzEndpoint } from './open.js'

type Flags = Readonly<Record<string, string | undefined>>

/** Resolves to 1 where a call failed on the server's side. @throws UsageError, LoadError, SetupError. */
export async function fuzz(name: string, settingFlags: Flags, flags: Flags, io: Io): Promise<number> {
  const seed = wholeNumber('--seed', flags['seed']!, 0, 999_999_999)
  const count = wholeNumber('--count', flags['count']!, 0, 999_999_999)
  const { now } = flags
  const nowMicros = now === undefined ? null : timeArgument('--now', now)
  const settings = readSettings(settingFlags, io.environment)
  const signal = io.interruption()
  const run = await fuzzEndpoint(settings, name, { seed, count, nowMicros, signal })
  if (signal.aborted) throw new RunnerError('CALL_ABANDONED')
  if ('names' in run) {
    io.printError(`sluice: there is no endpoint "${name}"${didYouMean(name, run.names).hint}\n`)
    refuseErrors(run.diagnostics)
    return EXIT.problems
  }
  const { endpoint, findings, calls, testFile } = run
  const over = testFile === null ? 'the data folder' : `the tables of ${testFile}`
  if (findings.length > 0) io.print(findingsText(endpoint, findings, nowText(run.nowMicros)))
  const found = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  io.printError(`${endpoint.name}: ${calls} calls over ${over}, seed ${seed}: ${found}\n`)
  return findings.length === 0 ? EXIT.clean : EXIT.problems
}

/** In ISO 8601, with microseconds. */
function nowText(micros: bigint): string {
  const rest = ((micros % 1000n) + 1000n) % 1000n
  return `${new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}
