/** Reads the GoogleSQL cases and the tables that they may name; the reference implementation is held against the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { LineCounter, parse, parseDocument, visit } from 'yaml'
import type { SchemaField } from '../../googlesql/tables.js'
import { parseTypeName } from '../../googlesql/types/type-name.js'
import { type StructField, typeName } from '../../googlesql/types/types.js'
import type { BoundValue, EmbeddedTable } from '../../runner/index.js'

/** What BigQuery does with a query: rows or an error. */
export interface SqlCase {
  /** What the case shows, where its SQL does not say it by itself: `an alias hides a column of its name`. */
  readonly says?: string
  readonly sql: string
  readonly parameters?: Readonly<Record<string, BoundValue>>
  /** As JSON values on the wire. */
  readonly rows?: readonly (readonly unknown[])[]
  /** The names of the columns. */
  readonly columns?: readonly string[]
  /** The rows may come in any order. */
  readonly unordered?: boolean
  /** Part of the message. */
  readonly error?: string
  /** What DuckDB is given, exactly; written by UPDATE_CASES=1 where the key stands, with or without a value. */
  readonly duckdb?: string | null
  /** Why the reference implementation does not, or cannot, bear the case out; and where its rows come from instead. */
  readonly oracle?: { readonly differs: string } | { readonly skip: string }
}

/** A case and where it stands. */
export interface FiledCase extends SqlCase {
  /** Below the cases' folder: `analyst/sessions.yaml`. */
  readonly file: string
  /** From 1. */
  readonly line: number
}

const FOLDER = 'test/cases/googlesql'
const TABLES = 'tables'
const KEYS = ['says', 'sql', 'parameters', 'rows', 'columns', 'unordered', 'error', 'duckdb', 'oracle']

/** Files of cases below their folder, by name. */
export function caseFiles(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.yaml') && !name.startsWith(TABLES))
    .sort()
}

/** The path of a file of cases. */
export const pathOfCases = (file: string): string => join(FOLDER, file)

/** @throws SyntaxError, naming the file and the line, when a case is not one. */
export function readCases(file: string): readonly FiledCase[] {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(pathOfCases(file), 'utf8'), { lineCounter: lines })
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
  if (unknown) return `${unknown} is no key of a case`
  if ((each.rows === undefined) === (each.error === undefined)) return 'a case has either rows or an error'
  const oracle = each.oracle && Object.entries(each.oracle)
  if (oracle && (oracle.length !== 1 || !/^(differs|skip)$/.test(oracle[0]![0]) || !oracle[0]![1])) {
    return 'oracle is {differs: reason} or {skip: reason}'
  }
  return undefined
}

/** A table of the cases. */
export interface CaseTable {
  readonly columns: readonly StructField[]
  /** As JSON values on the wire, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[]
}

/** The tables that every case may read, by name. */
export function caseTables(): ReadonlyMap<string, CaseTable> {
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

/** The tables as the embedded engine takes them. */
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
 * The text of a file of cases with the DuckDB SQL of those that ask for it, by the case's line; all else stays as it was
 * written.
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

/** A block's range ends after its line break, that of any other value before it. */
function endOfLine(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset
  const at = text.indexOf('\n', offset)
  return at < 0 ? text.length : at + 1
}
