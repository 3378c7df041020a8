/** `sluice query --functions`: lists the functions that run, and those that are refused. */
import { type ListedFunction, listFunctions, listRefusals } from '../../googlesql/index.js'
import { UsageError } from '../../runner/model/errors.js'
import { EXIT, type Io } from '../terminal/io.js'
import type { QueryFlags } from './query.js'

/** Prints the catalogue, as a table for people or as JSON: `{"functions": […], "refused": […]}`. */
export function printFunctions(sql: string | undefined, { file, format }: QueryFlags, io: Io): number {
  if (sql !== undefined || file !== undefined) throw new UsageError(['--functions lists functions, and takes no SQL'])
  if (format !== 'text' && format !== 'json') throw new UsageError(['--functions prints --format text or json'])
  const functions = listFunctions()
  const refused = listRefusals()
  const entries = refused.map(entry => entryText(entry.name, [entry.reason], entry.documentation))
  io.print(
    format === 'json'
      ? `${JSON.stringify({ functions, refused })}\n`
      : `${[...functions.map(functionText), '', 'Refused', '', ...entries].join('\n')}\n`,
  )
  return EXIT.clean
}

function functionText({ name, signatures, aliases, modes, documentation, isInBigQuery }: ListedFunction): string {
  const notes = [
    ...signatures,
    ...(modes.length === 0 ? [] : [`with ${modes.join(', ')}`]),
    ...(aliases.length === 0 ? [] : [`also ${aliases.join(', ')}`]),
    ...(isInBigQuery ? [] : ["not in BigQuery's documentation"]),
  ]
  return entryText(name, notes, documentation)
}

/** One entry of the list: the name in the first column, its signatures and documentation in the second. */
function entryText(name: string, lines: readonly string[], documentation: string): string {
  return [...lines, documentation].map((line, index) => (index === 0 ? name : '').padEnd(NAME_WIDTH) + line).join('\n')
}

/** The width of the first column: the longest name and two spaces. */
const NAME_WIDTH = 31
