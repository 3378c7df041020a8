/** `--dry-run`: what a query would read, and on a warehouse what it would cost. */
import { UsageError } from '../../runner/model/errors.js'
import type { FileReads, QueryReads, TableReads } from '../../runner/model/query.js'
import type { Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import type { ShownFormat } from '../terminal/print-result.js'
import { sizeText } from '../terminal/size-text.js'
import { priceOf, usdText } from './query-price.js'

export interface DryRunFlags {
  readonly dryRun?: boolean
  readonly explain?: boolean
  readonly format: ShownFormat
}

/** @throws UsageError for flags that cannot be combined with --dry-run. */
export function checkDryRun({ dryRun, explain, format }: DryRunFlags): void {
  if (!dryRun) return
  if (explain) throw new UsageError(['--dry-run or --explain, not both'])
  if (format !== 'text' && format !== 'json') {
    throw new UsageError([`--dry-run needs --format text or json, found ${format}`])
  }
}

/** Prints the reads: as lines for people, or with `--format json` as one JSON object. */
export function printReads(reads: QueryReads, usdPerTib: number, format: ShownFormat, io: Io): void {
  const usd = reads.engine === 'bigquery' ? priceOf(reads, usdPerTib) : null
  if (format === 'json') {
    io.print(`${JSON.stringify({ ...reads, ...(usd !== null && { usd }) })}\n`)
    return
  }
  if (reads.engine === 'duckdb') for (const line of fileLines(reads)) io.print(`${line}\n`)
  else io.print(`${plural(reads.tables, 'table')}, ${sizeText(reads.bytes)}, ${usdText(usd!)}\n`)
}

function fileLines({ tables, files, bytes }: FileReads): readonly string[] {
  if (tables.length === 0) return ['no table is read']
  const total = `total: ${plural(files, 'file')}, ${sizeText(bytes)}`
  return [...tables.map(reads => `${reads.table}: ${tableText(reads)}`), total]
}

function tableText({ files, bytes, parts }: TableReads): string {
  const size =
    files === null || bytes === null ? 'in the database file' : `${plural(files, 'file')}, ${sizeText(bytes)}`
  return parts === null ? size : `${parts.read} of ${parts.of} ${parts.kind}, ${size}`
}
