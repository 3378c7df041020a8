/** `sluice call`: runs one endpoint in this process, just as a call over HTTP would. */

import type { Endpoint } from '../../runner/model/endpoint.js'
import { UsageError } from '../../runner/model/errors.js'
import { CURSOR, PAGE_SIZE } from '../../runner/model/page.js'
import { bindParams } from '../../runner/request/bind-params.js'
import { FORMAT_NAME } from '../../runner/request/negotiate.js'
import { parsedArguments } from '../../runner/request/raw-arguments.js'
import { type CallArguments, openRunner, type Runner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { rawArguments, timeArgument } from '../terminal/arguments.js'
import { EXIT, type Io } from '../terminal/io.js'
import { encodedFormat, explanationText, printRows } from '../terminal/print-result.js'
import { checkDryRun, type DryRunFlags, printReads } from './dry-run.js'
import { exportTarget, exportToFile } from './export.js'
import { placeFailuresBelow } from './place-failure.js'

export interface CallFlags extends DryRunFlags {
  /** An ISO 8601 time. */
  readonly now?: string
  /** The file that gets all rows. */
  readonly export?: string
  readonly pageSize?: string
  readonly cursor?: string
  /** All pages, which are the whole result. */
  readonly all?: boolean
}

/** Runs the endpoint and prints its result; a repeated argument name becomes a list, as in a URL. */
export async function callEndpoint(
  name: string,
  texts: readonly string[],
  settings: Settings,
  { now, export: path, pageSize, cursor, all = false, ...flags }: CallFlags,
  io: Io,
): Promise<number> {
  const args = rawArguments(texts)
  const isPage = pageSize !== undefined || cursor !== undefined
  checkDryRun(flags)
  if (cursor !== undefined && all) throw new UsageError(['--cursor or --all, not both'])
  if (cursor !== undefined && now !== undefined) {
    throw new UsageError(['--cursor or --now, not both: all pages have the time of the first'])
  }
  if (path !== undefined && (isPage || all || flags.dryRun || flags.explain)) {
    throw new UsageError(['--export is of all rows, and runs the query: no pages, no --dry-run, no --explain'])
  }
  const target = path === undefined ? null : exportTarget(path, flags.format)
  const clock = now === undefined ? {} : { nowMicros: timeArgument('--now', now) }
  const { runner } = await openRunner(settings, { placeFailure: placeFailuresBelow(settings.endpointsDir) })
  try {
    const { pages } = checkCall(runner, name, args)
    if (pages === null && (all || isPage)) {
      throw new UsageError([`${name} has no pages: its manifest has no settings.pages`])
    }
    if (flags.dryRun) {
      printReads(await runner.dryRun(name, args, clock), settings.pricePerTib, flags.format, io)
      return EXIT.clean
    }
    if (flags.explain) {
      io.print(explanationText(await runner.explain(name, args, clock)))
      return EXIT.clean
    }
    const options = { ...clock, signal: io.interruption() }
    if (target !== null) {
      await exportToFile(runner, name, args, target, options, io)
      return EXIT.clean
    }
    const format = encodedFormat(flags.format)
    // An empty argument counts as an absent one.
    const pagedArgs = isPage && !all ? { ...args, [PAGE_SIZE]: pageSize ?? '', [CURSOR]: cursor ?? '' } : args
    const result = await runner.call(name, pagedArgs, { ...options, format })
    const { columns, body, rowCount, isTruncated, page } = result
    printRows(columns, body, flags.format, io, page?.totalRows)
    if (isTruncated) io.printError(`cut after ${page?.totalRows ?? rowCount} rows, the endpoint's max_rows\n`)
    if (page?.next) io.printError(`next: --cursor ${page.next}\n`)
    return EXIT.clean
  } finally {
    await runner.close()
  }
}

/** The arguments in the URL of an HTTP call that are flags of this command. */
const FLAGS: Readonly<Record<string, string>> = {
  [FORMAT_NAME]: '--format',
  [PAGE_SIZE]: '--page-size',
  [CURSOR]: '--cursor',
}

/**
 * Refuses what HTTP would only report or ignore: a mistyped argument would otherwise change the result silently.
 * @throws RunnerError ENDPOINT_UNKNOWN, ENDPOINT_BROKEN, ARGUMENT_INVALID; UsageError.
 */
function checkCall(runner: Runner, name: string, args: CallArguments): Endpoint {
  const endpoint = runner.find(name)
  const declared = new Set(endpoint.parameters.map(parameter => parameter.name))
  for (const [argument, flag] of Object.entries(FLAGS)) {
    if (!Object.hasOwn(args, argument) || declared.has(argument)) continue
    throw new UsageError([`the ${argument} is a flag here: ${flag} ${String(args[argument])}`])
  }
  const listHint = (parameter: string): string => `repeat the name, ${parameter}=a ${parameter}=b`
  bindParams({ ...endpoint, rejectsUnknown: true }, parsedArguments(args, true), listHint)
  return endpoint
}
