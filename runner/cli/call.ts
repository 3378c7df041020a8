/** `sluice call`: runs one endpoint in this process, just as a call over HTTP would. */
import { type CallArguments, createRunner, type Explained, type Runner } from '../compose/runner.js'
import { UsageError } from '../model/errors.js'
import { RESULT_FORMATS, type ResultColumn, type ResultFormat } from '../model/query.js'
import { bindParams } from '../request/bind-params.js'
import { FORMAT_NAME } from '../request/negotiate.js'
import { rawArguments as readArguments } from '../request/raw-arguments.js'
import { readSettings } from '../settings/settings.js'
import { rawArguments, timeArgument } from './arguments.js'
import { checkDryRun, printReads } from './dry-run.js'
import { EXIT, type Io } from './io.js'
import { textTable } from './table.js'

type Flags = Readonly<Record<string, string | boolean | undefined>>

/** Runs the endpoint and prints its result; a repeated argument name becomes a list, as in a URL. */
export async function callEndpoint(name: string, texts: readonly string[], flags: Flags, io: Io): Promise<number> {
  const settings = readSettings(flags as Readonly<Record<string, string | undefined>>, io.environment)
  const args = rawArguments(texts)
  if (flags['dryRun']) checkDryRun(flags)
  const now = flags['now']
  const frozen = typeof now === 'string' ? { nowMicros: timeArgument('--now', now) } : {}
  const runner = await createRunner(settings)
  try {
    checkCall(runner, name, args)
    if (flags['dryRun']) {
      const reads = await runner.dryRun(name, args, frozen)
      printReads(reads, settings.pricePerTib, flags['format'], io)
      return EXIT.clean
    }
    if (flags['explain']) {
      io.print(explanationText(await runner.explain(name, args, frozen)))
      return EXIT.clean
    }
    const shown = flags['format'] as ShownFormat
    const format = formatBehind(shown)
    const result = await runner.call(name, args, { ...frozen, format, signal: io.interruption() })
    printRows(result.columns, result.body, shown, io)
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
  bindParams({ ...endpoint, rejectsUnknown: true }, readArguments(args))
}

/** How rows are printed: as a table for people, or as the bytes that HTTP sends in one of its formats. */
export const SHOWN_FORMATS = ['text', ...RESULT_FORMATS] as const
export type ShownFormat = (typeof SHOWN_FORMATS)[number]

/** The format whose bytes `printRows` takes. */
export const formatBehind = (shown: ShownFormat): ResultFormat => (shown === 'text' ? 'table' : shown)

/** Prints a result. @param body its bytes in the format that `formatBehind` names. */
export function printRows(columns: readonly ResultColumn[], body: Uint8Array, shown: ShownFormat, io: Io): void {
  if (shown !== 'text') {
    io.print(body)
    if (shown === 'json') io.printError('\n')
    return
  }
  const { rows } = JSON.parse(Buffer.from(body).toString()) as { readonly rows: readonly (readonly unknown[])[] }
  io.print(textTable(columns, rows))
  io.printError(`${rows.length} ${rows.length === 1 ? 'row' : 'rows'}\n`)
}

/** The explanation as text: sections with a heading each. */
export function explanationText(explained: Explained): string {
  const parameters = Object.entries(explained.parameters).map(
    ([name, { type, value }]) => `@${name} ${type} = ${JSON.stringify(value)}`,
  )
  const timings = Object.entries(explained.timingsMs).map(([what, ms]) => `${what} ${ms.toFixed(2)} ms`)
  const sections: readonly (readonly [string, string])[] = [
    ...(explained.variant === null ? [] : [['Variant', explained.variant] as const]),
    ['BigQuery SQL', explained.sql.trimEnd()],
    ['Arguments', parameters.length > 0 ? parameters.join('\n') : 'none'],
    ['Engine SQL', explained.engineSql],
    ['Plan', explained.plan.trimEnd()],
    ['Timings', timings.join('\n')],
  ]
  return sections.map(([heading, text]) => `== ${heading}\n${text}\n`).join('\n')
}
