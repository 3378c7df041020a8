/** Loads the functions that are kept in datasets: `functions/<dataset>.<name>.sql`. */
import { sep } from 'node:path'
import {
  type FunctionMistake,
  type FunctionSources,
  functionMistakes,
  orMistake,
  SqlError,
  storedFunction,
  type TableCatalogue,
} from '../../../googlesql/index.js'
import { compareDiagnostics, type Diagnostic } from '../../model/diagnostic.js'
import { lineStartsOf } from '../../model/line-starts.js'
import { readFolder, type SourceText } from '../discover.js'
import { diagnosticAt, diagnosticOf } from '../report.js'
import { placeAt } from '../source.js'
import { findOddCharacter } from '../yaml/characters.js'
import { MAX_MANIFEST_LENGTH, TOO_LONG } from '../yaml/limits.js'

/** Whether a path in the folder of functions is a function's file. Subfolders and names that begin with a dot are skipped. */
export const isFunctionFile = (name: string): boolean => /^[^./][^/]*\.sql$/.test(name)

/**
 * Reads every `<dataset>.<name>.sql` and `<project>.<dataset>.<name>.sql` in `dir`; a missing folder is empty. The diagnostics are
 * about files that are left out: they are unreadable or too large, or have a wrong name or a refused character.
 */
export async function loadFunctions(dir: string) {
  const diagnostics: Diagnostic[] = []
  const texts = await readFolder(dir, isFunctionFile, diagnostics)
  const { functions, diagnostics: textDiagnostics } = readFunctions(dir.split(sep).join('/'), texts)
  return { functions, diagnostics: [...diagnostics, ...textDiagnostics].sort(compareDiagnostics) }
}

/** The functions of these texts. A message about a missing function names `folder`. */
export function readFunctions(folder: string, texts: readonly SourceText[]) {
  const sources = texts.map(({ file, text }) => ({ name: nameOf(file), file, text: text.replace(/^\ufeff/, '') }))
  const diagnostics = sources.flatMap(source => mistakeIn(source) ?? [])
  const refused = new Set(diagnostics.map(({ file }) => file))
  const functions = sources.filter(({ file }) => !refused.has(file))
  return { functions: { folder, functions }, diagnostics }
}

/** The name of the function that is in this file. */
const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.sql$/, '')

/** `dataset.name`, or `project.dataset.name` for a function of another project. BigQuery takes letters, digits and underscores. */
const FUNCTION_NAME = /^(?:(?:[a-z0-9.-]+:)?[a-z0-9-]+\.)?\w+\.\w+$/

function mistakeIn({ name, file, text }: SourceText & { readonly name: string }): Diagnostic | null {
  if (!FUNCTION_NAME.test(name)) {
    const nameInSql = /\bFUNCTION\s+(?:IF\s+NOT\s+EXISTS\s+)?`?((?:[\w-]+\.)+\w+)/i.exec(text)?.[1]
    const hint = nameInSql === undefined ? '' : `; rename this file to ${nameInSql}.sql`
    const message = `the file of a function must be named <dataset>.<name>.sql or <project>.<dataset>.<name>.sql${hint}`
    return diagnosticOf(file, 'function/file-name', message)
  }
  if (text.length > MAX_MANIFEST_LENGTH) return diagnosticOf(file, 'function/sql', TOO_LONG)
  const mistake = findOddCharacter(text)
  if (mistake === null) return null
  return diagnosticAt(placeAt(file, lineStartsOf(text), mistake.offset), 'function/sql', mistake.message)
}

/** The mistakes in the SQL of the functions, over the tables that an engine knows. */
export const functionDiagnostics = (tables: TableCatalogue): readonly Diagnostic[] =>
  functionMistakes(tables).map(diagnosticOfMistake)

/** The mistakes that can be found without tables: mistakes in syntax, but not unknown names of tables and functions. */
export const functionSyntaxDiagnostics = ({ functions }: FunctionSources): readonly Diagnostic[] =>
  functions.flatMap(source => {
    const parsed = orMistake(() => storedFunction(source))
    return parsed instanceof SqlError ? [diagnosticOfMistake({ source, error: parsed })] : []
  })

function diagnosticOfMistake({ source: { file, text }, error }: FunctionMistake): Diagnostic {
  const { reason, mistake } = error
  const facts =
    mistake === undefined ? {} : { sql: mistake, ...(mistake.meant !== undefined && { meant: mistake.meant }) }
  return diagnosticAt(placeAt(file, lineStartsOf(text), error.offset), 'function/sql', reason, facts)
}
