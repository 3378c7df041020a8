/** `sluice call`: runs one endpoint in this process, just as a call over HTTP would. */

import { UsageError } from '../../runner/model/errors.js'
import { bindParams } from '../../runner/request/bind-params.js'
import { FORMAT_NAME } from '../../runner/request/negotiate.js'
import { toRawArguments } from '../../runner/request/raw-arguments.js'
import { type CallArguments, openRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { rawArguments, timeArgument } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { encodedFormat, explanationText, printRows } from '../terminal/print-result.js'
import { checkDryRun, type DryRunFlags, printReads } from './dry-run.js'
import { placeFailuresBelow } from './place-failure.js'

export interface CallFlags extends DryRunFlags {
  /** An ISO 8601 time. */
  readonly now?: string
}

/** Runs the endpoint and prints its result; a repeated argument name becomes a list, as in a URL. */
export async function callEndpoint(
  name: string,
  texts: readonly string[],
  settings: Settings,
  { now, ...flags }: CallFlags,
  io: Io,
): Promise<number> {
  const args = rawArguments(texts)
  checkDryRun(flags)
  const clock = now === undefined ? {} : { nowMicros: timeArgument('--now', now) }
  const { runner } = await openRunner(settings, { placeFailure: placeFailuresBelow(settings.endpointsDir) })
  try {
    checkCall(runner, name, args)
    if (flags.dryRun) {
      printReads(await runner.dryRun(name, args, clock), settings.pricePerTib, flags.format, io)
      return EXIT.clean
    }
    if (flags.explain) {
      io.print(explanationText(await runner.explain(name, args, clock)))
      return EXIT.clean
    }
    const format = encodedFormat(flags.format)
    const result = await runner.call(name, args, { ...clock, format, signal: io.interruption() })
    printRows(result.columns, result.body, flags.format, io)
    if (result.isTruncated) io.printError(`cut after ${result.rowCount} rows, the endpoint's max_rows\n`)
    return EXIT.clean
  } finally {
    await runner.close()
  }
}

/**
 * Refuses what HTTP would only report or ignore: a mistyped argument would otherwise change the result silently.
 * @throws RunnerError ENDPOINT_UNKNOWN, ENDPOINT_BROKEN, ARGUMENT_INVALID; UsageError.
 */
function checkCall(runner: Runner, name: string, args: CallArguments): void {
  const endpoint = runner.find(name)
  if (Object.hasOwn(args, FORMAT_NAME) && !endpoint.parameters.some(({ name: own }) => own === FORMAT_NAME)) {
    throw new UsageError([`the format is a flag here: --format ${String(args[FORMAT_NAME])}`])
  }
  const listHint = (own: string): string => `repeat the name, ${own}=a ${own}=b`
  bindParams({ ...endpoint, rejectsUnknown: true }, toRawArguments(args), listHint)
}
