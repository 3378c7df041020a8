/** Makes a manifest from a query with `@parameters`, whose text stays as it is. */
import type { TableCatalogue } from '../../googlesql/index.js'
import { orMistake, resolveQuery, SqlError, tokenize, withAdvice, zoneParameters } from '../../googlesql/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import { LoadError } from '../../runner/model/errors.js'
import type { NewManifest } from './from-table.js'
import { asTemplate, missingCase, type TestSpec, testText } from './manifest-text.js'
import { parameterTypes, type TypedParameter, typeOf } from './parameter-types.js'
import { sampleArgument, sampleRow } from './sample-row.js'

/** `file` names the text in messages. @throws LoadError for a query that is not valid, at its place in the file. */
export function manifestOfSql(file: string, sql: string, tables: TableCatalogue): NewManifest {
  const manifest = orMistake(() => manifestOf(file, sql, tables))
  if (!(manifest instanceof SqlError)) return manifest
  const { message } = withAdvice(manifest.problem, sql)
  throw new LoadError([diagnosticAt({ file, ...manifest.place }, 'sql/error', message)])
}

function manifestOf(file: string, sql: string, tables: TableCatalogue): NewManifest {
  refuseNames(sql)
  const inferred = parameterTypes(sql, tables)
  const types = Object.fromEntries(inferred.map(({ name, type }) => [name, typeOf(type)]))
  const query = resolveQuery(sql, tables, { ...types, now: typeOf('timestamp') })
  const zones = new Set([...zoneParameters(query)].map(name => name.toLowerCase()))
  const parameters = inferred.map(
    (parameter): TypedParameter =>
      zones.has(parameter.name.toLowerCase()) ? { ...parameter, type: 'timezone' } : parameter,
  )
  const samples = Object.fromEntries(parameters.map(({ name, type }) => [name, sampleArgument(type)]))
  const readsNow = query.parameters.some(name => name.toLowerCase() === 'now')
  const knownTables = query.tables.filter(name => tables.find(name) !== undefined)
  const rows = Object.fromEntries(knownTables.map(name => [name, [sampleRow(tables.find(name)!.columns)]]))
  const columns = query.columns.map(({ name }) => name)
  const caseOf = (name: string, args = samples): TestSpec => ({ name, arguments: args, expect: { columns, count: 0 } })
  const nullTested = findNullTests(sql)
  // An absent array is empty, and never NULL.
  const isRequired = ({ name, type }: TypedParameter): boolean =>
    !nullTested.has(name.toLowerCase()) || type.startsWith('array<')
  const names = parameters.filter(isRequired).map(({ name }) => name)
  const fewest = Object.fromEntries(names.map(name => [name, samples[name]]))
  const missing = names.length === 0 ? [] : [missingCase('every required parameter is missing', names)]
  const sparse = names.length === parameters.length ? [] : [caseOf('without the arguments that may be absent', fewest)]
  return {
    description: `The rows of ${file.replace(/^.*[\\/]/, '')}.`,
    tenant: null,
    parameters: Object.fromEntries(
      parameters.map(item => [
        item.name,
        { type: item.type, ...(isRequired(item) && { required: true }), examples: [samples[item.name]].flat() },
      ]),
    ),
    settings: { max_rows: 1000, ...(readsNow && { cache: { ttl_seconds: 60 } }) },
    interval: null,
    columns: [],
    sql: asTemplate(sql),
    tables: query.tables,
    tests: [
      ...(query.tables.length === 0 ? [] : [testText(rows, [caseOf('one row in each table'), ...sparse, ...missing])]),
      testText({}, [caseOf('without rows'), ...sparse, ...missing]),
      ...(missing.length === 0 ? [] : [testText({}, missing)]),
    ],
  }
}

/** The parameters, in lower case, that the query tests with IS NULL, as in `@level IS NULL OR level = @level`. */
function findNullTests(sql: string): ReadonlySet<string> {
  const tokens = tokenize(sql)
  const tested = tokens.flatMap(({ term }, i) => {
    const [name, is, ...after] = tokens.slice(i + 1, i + 5)
    const isTest = is?.term === 'IS' && after[after[0]?.term === 'NOT' ? 1 : 0]?.term === 'NULL'
    return term === '@' && name && isTest ? [name.text.toLowerCase()] : []
  })
  return new Set(tested)
}

/** Refuses, at its place in the query, a name that SQL takes and a manifest does not. */
function refuseNames(sql: string): void {
  const spellings = new Map<string, string>()
  const tokens = tokenize(sql)
  for (const [i, { term, at }] of tokens.entries()) {
    const name = tokens[i + 1]
    if (term !== '@' || (name?.kind !== 'identifier' && name?.kind !== 'quoted')) continue
    const key = name.text.toLowerCase()
    const spelling = spellings.get(key)
    spellings.set(key, spelling ?? name.text)
    if (spelling !== undefined && spelling !== name.text) {
      throw new SqlError(`@${name.text} is written @${spelling} before; write both alike`, sql, at)
    }
    if (!/^[A-Za-z][A-Za-z0-9_]{0,127}$/.test(name.text)) {
      throw new SqlError(`@${name.text}: a parameter is named with a letter, then letters, digits and _`, sql, at)
    }
  }
}
