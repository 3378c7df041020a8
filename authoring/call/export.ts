/** `sluice call NAME --export FILE`: writes all rows of an endpoint to a file, which appears only when it is complete. */
import { extname } from 'node:path'
import { EXPORT_FORMATS } from '../../runner/formats/index.js'
import { UsageError } from '../../runner/model/errors.js'
import { SETTING } from '../../runner/platform/write-failure.js'
import type { CallArguments, CallOptions, Runner } from '../../runner/serve/runner.js'
import type { Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import type { ShownFormat } from '../terminal/print-result.js'
import { fillAtomically } from '../terminal/write-atomically.js'

export type ExportTarget = ReturnType<typeof exportTarget>

/** The file and its format, which --format or else the file's ending names. @throws UsageError. */
export function exportTarget(path: string, formatFlag: ShownFormat) {
  const ending = extname(path).slice(1).toLowerCase()
  const isRequested = ({ name, extension }: (typeof EXPORT_FORMATS)[number]): boolean =>
    formatFlag === 'text' ? name === ending || extension === ending : name === formatFlag
  const format = EXPORT_FORMATS.find(isRequested)
  if (format) return { path, format: format.name }
  const names = EXPORT_FORMATS.map(({ name }) => name).join(', ')
  throw new UsageError([
    `an export has one of the formats ${names}; choose one with --format, or with the file's ending`,
  ])
}

/** @throws RunnerError as `exportFor` does, SetupError where the file cannot be written. */
export async function exportToFile(
  runner: Runner,
  name: string,
  args: CallArguments,
  { path, format }: ExportTarget,
  options: CallOptions,
  io: Io,
): Promise<void> {
  let count = 0
  await fillAtomically({ what: 'the export', path, setting: SETTING.export }, async file => {
    count = await runner.export(name, args, bytes => file.writeFile(bytes), { ...options, format })
  })
  io.printError(`${plural(count, 'row')} in ${path}\n`)
}
