/**
 * Reads the GoogleSQL cases and the tables that they may name; the reference implementation is checked with the same cases.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { LineCounter, parse, parseDocument, visit } from 'yaml'
import type { SchemaField } from '../../googlesql/tables.js'
import { parseTypeName } from '../../googlesql/types/parse-type-name.js'
import { type StructField, typeName } from '../../googlesql/types/types.js'
import type { BoundValue, EmbeddedTable } from '../../runner/index.js'

/** A query and its outcome in BigQuery: rows or an error. */
export interface SqlCase {
  /** What the case shows, where its SQL does not say it by itself: `an alias hides a column of its name`. */
  readonly says?: string
  readonly sql: string
  /** What the reference implementation is asked instead, where it has not what `sql` uses. */
  readonly reference?: string
  readonly parameters?: Readonly<Record<string, BoundValue>>
  /** The rows, in the JSON form of HTTP results. */
  readonly rows?: readonly (readonly unknown[])[]
  /** The names of the columns. */
  readonly columns?: readonly string[]
  /** True: the rows may come in any order. */
  readonly unordered?: boolean
  /** A part of the error message. */
  readonly error?: string
  /** The exact SQL for DuckDB. Where the key is present, with or without a value, UPDATE_CASES=1 writes the SQL. */
  readonly duckdb?: string | null
  /** Why the reference implementation differs from the case or cannot run it, and where the rows come from instead. */
  readonly oracle?: { readonly differs: string } | { readonly skip: string }
}

/** A case and its place. */
export interface FiledCase extends SqlCase {
  /** The file's path below the folder of the cases: `analyst/sessions.yaml`. */
  readonly file: string
  /** The line at which the case begins, from 1. */
  readonly line: number
}

const FOLDER = 'test/cases/googlesql'
const TABLES = 'tables'
const KEYS = ['says', 'sql', 'reference', 'parameters', 'rows', 'columns', 'unordered', 'error', 'duckdb', 'oracle']

/** The case files as paths below their folder, sorted. */
export function caseFiles(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.yaml') && !name.startsWith(TABLES))
    .sort()
}

/** The path of a case file. */
export const pathOfCases = (file: string): string => join(FOLDER, file)

/** What was read of each case file: many test files of one process read them all. */
const readFiles = new Map<string, { readonly text: string; readonly cases: readonly FiledCase[] }>()

/** @throws SyntaxError with the file and the line, when a case is malformed. */
export function readCases(file: string): readonly FiledCase[] {
  const text = readFileSync(pathOfCases(file), 'utf8')
  const known = readFiles.get(file)
  // UPDATE_CASES=1 may have written it again.
  if (known?.text === text) return known.cases
  const cases = parseCases(file, text)
  readFiles.set(file, { text, cases })
  return cases
}

function parseCases(file: string, text: string): readonly FiledCase[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [first] = document.errors
  if (first) throw new SyntaxError(`${file}: ${first.message}`)
  const places: number[] = []
  visit(document, {
    Map: (_, node, path) => {
      if (path.length === 2) places.push(lines.linePos(node.range![0]).line)
    },
  })
  return (document.toJS() as SqlCase[]).map((each, index) => {
    const line = places[index]!
    const wrong = mistakeIn(each)
    if (wrong) throw new SyntaxError(`${file}:${line}: ${wrong}`)
    return { ...each, file, line }
  })
}

function mistakeIn(each: SqlCase): string | undefined {
  const unknown = Object.keys(each).find(key => !KEYS.includes(key))
  if (unknown) return `${unknown} is not a key of a case`
  if ((each.rows === undefined) === (each.error === undefined)) return 'a case has either rows or an error'
  const oracle = each.oracle && Object.entries(each.oracle)
  if (oracle && (oracle.length !== 1 || !/^(differs|skip)$/.test(oracle[0]![0]) || !oracle[0]![1])) {
    return 'oracle is {differs: reason} or {skip: reason}'
  }
  return undefined
}

/** A table that the cases read. */
export interface CaseTable {
  readonly columns: readonly StructField[]
  /** The rows, in the JSON form of HTTP results and in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[]
}

let readTables: ReadonlyMap<string, CaseTable> | null = null

/** The tables that every case may read, by name. */
export function caseTables(): ReadonlyMap<string, CaseTable> {
  readTables ??= parseTables()
  return readTables
}

function parseTables(): ReadonlyMap<string, CaseTable> {
  const folder = join(FOLDER, TABLES)
  return new Map(
    readdirSync(folder).map(name => {
      const { columns, rows }: { columns: Record<string, string>; rows: unknown[][] } = parse(
        readFileSync(join(folder, name), 'utf8'),
      )
      const fields = Object.entries(columns).map(([column, type]) => ({ name: column, type: parseTypeName(type)! }))
      return [basename(name, '.yaml'), { columns: fields, rows }]
    }),
  )
}

/** The tables in the form that the embedded engine accepts. */
export function embeddedTables(tables: ReadonlyMap<string, CaseTable>): Readonly<Record<string, EmbeddedTable>> {
  return Object.fromEntries(
    [...tables].map(([name, { columns, rows }]) => [
      name,
      {
        schema: columns.map(schemaField),
        rows: rows.map(row => Object.fromEntries(columns.map((column, i) => [column.name, row[i]]))),
      },
    ]),
  )
}

function schemaField({ name, type }: StructField): SchemaField {
  switch (type.kind) {
    case 'ARRAY':
      return { ...schemaField({ name, type: type.element }), mode: 'REPEATED' }
    case 'STRUCT':
      return { name, type: 'RECORD', fields: type.fields.map(schemaField) }
    default:
      return { name, type: typeName(type) }
  }
}

/**
 * The text of a case file with new DuckDB SQL for the cases that have the key `duckdb`; `sqlOfLine` has the SQL by the line
 * of the case. The rest of the text stays as it is.
 */
export function withDuckdbSql(text: string, sqlOfLine: ReadonlyMap<number, string>): string {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, keepSourceTokens: true })
  const edits: { from: number; to: number; sql: string }[] = []
  visit(document, {
    Pair: (_, pair, path) => {
      const key = pair.key as { value: unknown; range: [number, number, number] }
      if (path.length !== 3 || key.value !== 'duckdb') return
      const map = path[2] as { range: [number, number, number] }
      const value = pair.value as { range: [number, number, number] } | null
      const sql = sqlOfLine.get(lines.linePos(map.range[0]).line)
      if (sql === undefined) return
      edits.push({ from: key.range[1], to: endOfLine(text, value?.range[1] ?? key.range[1]), sql })
    },
  })
  let edited = text
  for (const { from, to, sql } of edits.reverse()) {
    const block = sql.split('\n').map(line => (line === '' ? '' : `    ${line}`))
    edited = `${edited.slice(0, from)}: |-\n${block.join('\n')}\n${edited.slice(to)}`
  }
  return edited
}

/** The offset of the next line. The range of a block value ends after its line break, that of any other value before it. */
function endOfLine(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset
  const at = text.indexOf('\n', offset)
  return at < 0 ? text.length : at + 1
}
