/** `sluice tables infer`: a table schema from files of rows. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { externalConfiguration } from '../../googlesql/index.js'
import { filesInPlace } from '../../runner/engines/duckdb/index.js'
import { isTableName } from '../../runner/manifest/tables/load.js'
import { UsageError } from '../../runner/model/errors.js'
import { SETTING } from '../../runner/platform/write-failure.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { tableOf } from '../terminal/table.js'
import { writeAtomically } from '../terminal/write-atomically.js'
import { MAX_BAD_ROWS, printBadRows } from './bad-rows.js'
import { inferTable } from './infer/infer-table.js'
import type { InferredColumn, InferredTable } from './infer/inferred-table.js'
import { type TextFormFlags, textFormOfFlags } from './text-form-flags.js'

export interface InferFlags extends TextFormFlags {
  /** The paths of columns and fields that are to be JSON. */
  readonly json?: readonly string[]
  readonly inputFormat?: string
  /** Whether a schema that is there is replaced. */
  readonly force?: boolean
  /** Whether the schema is printed instead of written. */
  readonly dryRun?: boolean
}

/** Writes `<tables>/<table>.json`, and prints what it found and what it doubts. Without `force` it replaces no file. */
export async function inferSchema(
  table: string,
  files: readonly string[],
  { tablesDir, dataDir }: Pick<Settings, 'tablesDir' | 'dataDir'>,
  { inputFormat, json, force = false, dryRun = false, ...form }: InferFlags,
  io: Io,
): Promise<number> {
  const path = join(tablesDir, `${table}.json`)
  if (!isTableName(table))
    throw new UsageError([
      `${JSON.stringify(table)} is not the name of a table: dataset.table or project.dataset.table`,
    ])
  if (!force && !dryRun && existsSync(path)) {
    io.printError(`sluice: ${path} is there already; --force writes over it, and --dry-run prints what it would be\n`)
    return EXIT.problems
  }
  const inferred = await inferTable({
    files,
    inputFormat: inputFormat ?? null,
    standardInput: io.standardInput,
    maxBadRows: MAX_BAD_ROWS,
    ...(json && { asJson: json }),
    textForm: textFormOfFlags(form, files, inputFormat),
  })
  if (inferred.badRows.length > 0) {
    printBadRows(inferred.badRows, io)
    io.printError(`${plural(inferred.badRows.length, 'row')} cannot be read; nothing was written\n`)
    return EXIT.problems
  }
  const schema = `${JSON.stringify(declarationOf(inferred), null, 2)}\n`
  const printReport = dryRun ? io.printError : io.print
  printReport(reportOf(table, files, inferred))
  if (dryRun) {
    io.print(schema)
    return EXIT.clean
  }
  await writeAtomically({ what: 'the table schema', path, setting: SETTING.tables }, schema)
  io.print(`wrote ${path}\n`)
  const place = relative('.', join(dataDir, ...table.split(/\.(?=[^.]*$)/)))
  if (files.some(file => !relative('.', file).startsWith(place))) {
    io.print(
      `its rows are read from ${place}.parquet, .ndjson, .jsonl, .json, .csv or .tsv, or from such files below ${place}/: put the files there, or run \`sluice import ${table} ${files.length === 1 ? files[0] : '…'}${inputFormat ? ` --input-format ${inputFormat}` : ''}\`\n`,
    )
  }
  for (const { path: unread, reason } of filesInPlace(dataDir, table).unread)
    io.print(`doubt: ${relative('.', unread)} is not read: ${reason}\n`)
  return EXIT.clean
}

/** The list of fields, or a table resource if its text files need a form other than the default. */
function declarationOf({ fields, textForm }: InferredTable): unknown {
  const form = externalConfiguration(textForm)
  return form ? { schema: { fields }, externalDataConfiguration: form } : fields
}

function reportOf(table: string, files: readonly string[], { rows, columns, doubts }: InferredTable): string {
  const where = files.length === 1 ? files[0] : plural(files.length, 'file')
  const doubted = doubts.map(({ path, message }) => `doubt: ${path} ${message}\n`).join('')
  return `${table}: ${plural(rows, 'row')} in ${where}\n${tableOf(columns, REPORT_COLUMNS, ['nulls'])}${doubted}`
}

const REPORT_COLUMNS: Readonly<Record<string, (column: InferredColumn) => unknown>> = {
  column: ({ path }) => path,
  type: ({ field }) => (field.mode === 'REPEATED' ? `${field.type} REPEATED` : field.type),
  nulls: ({ nulls }) => nulls ?? '',
  'first value': ({ example }) => example ?? '',
}
