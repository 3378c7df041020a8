/** Conducts the loading of test files: find → read → check against the schema and the tables. Reports all mistakes, with their places. */

import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join, posix, sep } from 'node:path'
import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar } from 'yaml'
import {
  PARTITION_TIME,
  type StructField,
  type TableCatalogue,
  type TableDefinition,
} from '../../../googlesql/index.js'
import { schemaChecker, schemaDiagnostics } from '../../../runner/manifest/check/schema.js'
import { noSuchPath, readOne, type SourceText, unreadable } from '../../../runner/manifest/discover.js'
import { namesBelow } from '../../../runner/manifest/names-below.js'
import { diagnosticAt, type More } from '../../../runner/manifest/report.js'
import { type FilePlace, type ManifestSource, type NodePath, placeAt } from '../../../runner/manifest/source.js'
import { parseManifest } from '../../../runner/manifest/yaml/parse.js'
import { compareDiagnostics, type Diagnostic } from '../../../runner/model/diagnostic.js'
import { lineStartsOf } from '../../../runner/model/line-starts.js'
import { didYouMean } from '../../../runner/model/suggest.js'
import { readTimestamp } from '../../../runner/model/typed-value.js'
import { isNull, readPlain, readTableRow, textOf } from './read-value.js'
import type { Expectation, TestArguments, TestCase, TestTable } from './test-file.js'

export const TEST_ENDING = '.test.yaml'

export type FoundTests = Awaited<ReturnType<typeof findTests>>

/**
 * Reads the test files that these paths name: a test file, a manifest (the test file beside it) or a folder. Without paths, it reads
 * those in the folder of manifests.
 */
export async function findTests(paths: readonly string[], endpointsDir: string) {
  const diagnostics: Diagnostic[] = []
  const files = new Set<string>()
  const refuse = (file: string, message: string): void =>
    void diagnostics.push(diagnosticAt({ file, line: 1, column: 1 }, 'tests/no-tests', message))
  for (const path of paths.length > 0 ? paths : [endpointsDir]) {
    const file = path.split(sep).join('/').replace(/\/+$/, '')
    try {
      if ((await stat(path)).isDirectory()) {
        const names = (await namesBelow(path)).map(name => posix.join(file, name))
        for (const name of names.filter(one => one.endsWith(TEST_ENDING))) files.add(name)
        for (const name of names.filter(one => one.endsWith('.test.yml'))) {
          refuse(name, `a test file ends in ${TEST_ENDING}; rename this one, or its tests do not run`)
        }
      } else if (file.endsWith(TEST_ENDING)) files.add(posix.normalize(file))
      else if (!file.endsWith('.yaml')) refuse(file, `a test file ends in ${TEST_ENDING}, and a manifest in .yaml`)
      else if (fileExists(testFileOf(file))) files.add(posix.normalize(testFileOf(file)))
      else refuse(file, `it has no tests: there is no file ${testFileOf(file)}`)
    } catch (error) {
      const isMissing = (error as { code?: unknown }).code === 'ENOENT'
      // Reading the manifests reports that their folder is missing.
      if (!isMissing) diagnostics.push(unreadable(file, error))
      else if (paths.length > 0) diagnostics.push(noSuchPath(file))
    }
  }
  const sources = await Promise.all([...files].sort().map(file => readOne(file, file, diagnostics)))
  return { files: sources.filter(text => text !== null), diagnostics: diagnostics.sort(compareDiagnostics) }
}

/** The test file beside a manifest, whether it is there or not: `a/b.yaml` → `a/b.test.yaml`. */
export const testFileOf = (manifest: string): string => manifest.replace(/\.yaml$/, TEST_ENDING)

function fileExists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

const findMistakes = schemaChecker('#test-schema')

export type ReadTests = ReturnType<typeof readTests>

/** Reads one test file, whose rows are checked against these tables; `tests` is null where the file has mistakes. */
export function readTests({ file, text }: SourceText, tables: TableCatalogue) {
  const { source, value, diagnostics: broken } = parseManifest(file, text)
  if (source === null || broken.length > 0) return { tests: null, diagnostics: broken }
  const mistakes = schemaDiagnostics(findMistakes(value), source)
  if (mistakes.length > 0) return { tests: null, diagnostics: [...mistakes].sort(compareDiagnostics) }
  const reader = new TestFileReader(file, text, source, tables)
  const cases = reader.cases()
  const diagnostics = reader.diagnostics.sort(compareDiagnostics)
  const subject = posix.basename(file).slice(0, -TEST_ENDING.length)
  const isSound = diagnostics.every(({ severity }) => severity !== 'error')
  return { tests: isSound ? { file, text, source, subject, cases } : null, diagnostics }
}

/** The options with which test files are parsed, the same as for manifests. */
export const PARSE_OPTIONS = { version: '1.2', schema: 'core', prettyErrors: false, keepSourceTokens: false } as const

/** Reads a document that the schema has accepted. */
class TestFileReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #file: string
  readonly #source: ManifestSource
  readonly #tables: TableCatalogue
  readonly #document: ReturnType<typeof parseDocument>
  readonly #placeOf: (offset: number) => FilePlace

  constructor(file: string, text: string, source: ManifestSource, tables: TableCatalogue) {
    this.#file = file
    this.#source = source
    this.#tables = tables
    const plain = text.replace(/^\ufeff/, '')
    const starts = lineStartsOf(plain)
    this.#document = parseDocument(plain, PARSE_OPTIONS)
    this.#placeOf = offset => placeAt(file, starts, offset)
  }

  cases(): readonly TestCase[] {
    const now = this.#time(['now'])
    const shared = this.#tablesAt(['tables'])
    const firstLines = new Map<string, number>()
    return this.#items(['tests']).map((_, index) => {
      const path: NodePath = ['tests', index]
      const name = textOf(this.#node([...path, 'name']) as Scalar)
      const place = this.#source.valueAt([...path, 'name'])
      const line = firstLines.get(name)
      if (line === undefined) firstLines.set(name, place.line)
      else {
        const message = `another test has the name "${name}", in line ${line}; give this one a name of its own`
        this.#report(place, 'tests/duplicate-name', message)
      }
      const ownTables = this.#tablesAt([...path, 'tables'])
      const replacedNames = new Set(ownTables.map(table => table.standsFor))
      return {
        name,
        path,
        arguments: this.#arguments([...path, 'arguments']),
        nowMicros: this.#time([...path, 'now']) ?? now,
        tables: [...shared.filter(table => !replacedNames.has(table.standsFor)), ...ownTables],
        expect: this.#expectation([...path, 'expect']),
      }
    })
  }

  #report(...diagnostic: Parameters<typeof diagnosticAt>): void {
    this.diagnostics.push(diagnosticAt(...diagnostic))
  }

  #node(path: NodePath): Node | null {
    return (this.#document.getIn(path, true) as Node | null | undefined) ?? null
  }

  #items(path: NodePath): readonly Node[] {
    const node = this.#node(path)
    return isSeq(node) ? (node.items as Node[]) : []
  }

  #time(path: NodePath): bigint | null {
    const node = this.#node(path)
    if (!isScalar(node)) return null
    const micros = readTimestamp(textOf(node))
    if (micros === null) {
      const message = `now must be an ISO 8601 time such as 2026-01-31T12:00:00Z, found ${JSON.stringify(textOf(node))}`
      this.#report(this.#source.valueAt(path), 'tests/time', message)
    }
    return micros
  }

  #tablesAt(path: NodePath): readonly TestTable[] {
    const node = this.#node(path)
    if (!isMap(node)) return []
    return node.items.flatMap(({ key, value }): TestTable[] => {
      const name = String((key as Scalar).value)
      const table = this.#tables.find(name)
      const place = this.#source.keyAt([...path, name])
      if (table === undefined) {
        const proposal = didYouMean(name, this.#tables.names(), `; write its schema, ${name}.json, first`)
        this.#report(place, 'tests/table', `no table schema has the name "${name}"`, { missing: name, ...proposal })
        return []
      }
      if (table.wildcard) {
        const message = `"${name}" is a wildcard table: name its shards, such as "${table.wildcard.prefix}20260131"`
        this.#report(place, 'tests/table', message)
        return []
      }
      // Messages about the rows show this name.
      const definition = { ...table, name: `${table.name} in ${this.#file}:${place.line}` }
      const common = { definition, standsFor: table.name }
      if (!isSeq(value)) return [{ ...common, rows: null, file: this.#fixture([...path, name, 'file']) }]
      const report = (node: Node, message: string, more?: More): void =>
        this.#report(this.#placeOf(node.range?.[0] ?? 0), 'tests/row', message, more)
      const rowTable = { ...table, columns: rowColumns(table) }
      const rows = (value.items as Node[]).map(row => readTableRow(row, rowTable, report))
      return [{ ...common, rows, file: null }]
    })
  }

  #fixture(path: NodePath): string {
    const file = join(dirname(this.#file), textOf(this.#node(path) as Scalar))
    if (!fileExists(file)) {
      const message = `there is no file ${file.split(sep).join('/')}; a fixture is named relative to this file`
      this.#report(this.#source.valueAt(path), 'tests/fixture', message)
    }
    return file
  }

  #arguments(path: NodePath): TestArguments {
    const node = this.#node(path)
    if (!isMap(node)) return {}
    return Object.fromEntries(
      node.items.map(({ key, value }) => [
        String((key as Scalar).value),
        isSeq(value) ? (value.items as Scalar[]).map(textOf) : isNull(value) ? '' : textOf(value as Scalar),
      ]),
    )
  }

  #expectation(path: NodePath): Expectation {
    const expectation = readPlain(this.#node(path)) as Expectation
    const { same_as, problem } = expectation
    if (problem !== undefined) {
      for (const key of Object.keys(expectation).filter(one => one !== 'problem')) {
        const message = `a problem has no rows: "${key}" cannot stand beside "problem"`
        this.#report(this.#source.keyAt([...path, key]), 'tests/problem-with-rows', message)
      }
    }
    return same_as
      ? { ...expectation, same_as: { arguments: this.#arguments([...path, 'same_as', 'arguments']) } }
      : expectation
  }
}

/** The columns that a row of a test may have; for a table partitioned by ingestion time, also the column of its partition. */
const rowColumns = ({ columns, pseudoColumns = [] }: TableDefinition): readonly StructField[] => [
  ...columns,
  ...pseudoColumns.filter(({ name }) => name === PARTITION_TIME),
]
