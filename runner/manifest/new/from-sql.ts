/** A new manifest of a query with `@parameters`, whose text stays as it is. */
import type { TableCatalogue } from '../../../googlesql/index.js'
import { resolveQuery, SqlError, withAdvice } from '../../../googlesql/index.js'
import type { Diagnostic } from '../../model/diagnostic.js'
import { diagnosticAt } from '../report.js'
import type { NewManifest } from './from-table.js'
import { asTemplate, flow } from './manifest-text.js'
import { parameterTypes, typeOf } from './parameter-types.js'
import { sampleArgument, sampleRow, TEST_NOW } from './sample-row.js'

/** The manifest; or, for a query that is not valid, the mistake at its place in the file. */
export type FromSql =
  | { readonly ok: true; readonly manifest: NewManifest }
  | { readonly ok: false; readonly diagnostic: Diagnostic }

/** `file` names the text in messages. */
export function manifestOfSql(file: string, sql: string, tables: TableCatalogue): FromSql {
  try {
    return { ok: true, manifest: manifestOf(file, sql, tables) }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    const message = withAdvice(error.reason, sql, error.offset)
    return { ok: false, diagnostic: diagnosticAt({ file, ...error.place }, 'sql/error', message) }
  }
}

function manifestOf(file: string, sql: string, tables: TableCatalogue): NewManifest {
  const parameters = parameterTypes(sql, tables)
  const types = Object.fromEntries(parameters.map(({ name, type }) => [name, typeOf(type)]))
  const query = resolveQuery(sql, tables, { ...types, now: typeOf('timestamp') })
  const given = Object.fromEntries(parameters.map(({ name, type }) => [name, sampleArgument(type)]))
  const isAskedForNow = query.parameters.some(name => name.toLowerCase() === 'now')
  const rows = query.tables.flatMap(name => {
    const table = tables.find(name)
    return table === undefined ? [] : [`  ${flow(name)}:\n    - ${flow(sampleRow(table.columns))}`]
  })
  const answers = (says: string): readonly string[] => [
    `  - name: ${says}`,
    ...(parameters.length === 0 ? [] : [`    arguments: ${flow(given)}`]),
    '    expect:',
    `      columns: ${flow(query.columns.map(({ name }) => name))}`,
    '      count: 0',
  ]
  const problem = { status: 400, code: 'ARGUMENT_INVALID', parameters: parameters.map(({ name }) => name) }
  const missing =
    parameters.length === 0
      ? []
      : ['  - name: every parameter is required', '    expect:', `      problem: ${flow(problem)}`]
  return {
    description: `The rows of ${file.replace(/^.*[\\/]/, '')}.`,
    tenant: null,
    parameters: Object.fromEntries(
      parameters.map(({ name, type }) => [name, { type, required: true, examples: [sampleArgument(type)].flat() }]),
    ),
    settings: { max_rows: 1000, ...(isAskedForNow && { cache: { ttl_seconds: 60 } }) },
    interval: null,
    columns: [],
    sql: asTemplate(sql),
    tests: [
      ...(rows.length === 0 ? [] : [testFile(rows, [...answers('one row in each table'), ...missing])]),
      testFile([], [...answers('without rows'), ...missing]),
      ...(missing.length === 0 ? [] : [testFile([], missing)]),
    ],
  }
}

const testFile = (rows: readonly string[], cases: readonly string[]): string =>
  [`now: ${TEST_NOW}`, ...(rows.length === 0 ? [] : ['tables:', ...rows]), 'tests:', ...cases, ''].join('\n')
