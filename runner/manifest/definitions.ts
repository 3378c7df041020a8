/** What queries may name besides the functions of the language: the tables that have a schema, and functions kept in datasets. */
import { createHash } from 'node:crypto'
import {
  type Absence,
  type BrokenTables,
  type FunctionSources,
  rootOf,
  type TableDefinition,
} from '../../googlesql/index.js'
import { compareDiagnostics, type Diagnostic } from '../model/diagnostic.js'
import type { Loaded } from './load.js'
import { tableOf } from './tables/load.js'

export interface Definitions {
  readonly tables: readonly TableDefinition[]
  readonly functions: FunctionSources
  /** The mistakes in table schemas, whose tables no query can read, and files that hold no function. */
  readonly mistakes: readonly Diagnostic[]
}

/** A hash that changes with any table or function. The revision of every endpoint changes with it. */
export function hashDefinitions({ tables, functions }: Definitions): string {
  const texts = functions.functions.map(({ name, text }) => [name, text])
  return createHash('sha256')
    .update(JSON.stringify([tables, texts]))
    .digest('hex')
}

/** The first mistake of each broken schema, by the name of its table. */
export function brokenTables(mistakes: readonly Diagnostic[]): BrokenTables {
  const broken = new Map<string, Absence>()
  for (const { rule, file, line, column, message } of mistakes) {
    if (rule.startsWith('function/') || broken.has(tableOf(file))) continue
    broken.set(tableOf(file), {
      reason: `its schema has a mistake: ${file}:${line}:${column}: ${message}`,
      schema: file,
    })
  }
  return broken
}

/**
 * Adds the mistakes in definitions, and leaves out the diagnostics that they cause in manifests, functions and tests. A broken
 * endpoint has the cause instead.
 */
export function withCauses(loaded: Loaded, mistakes: readonly Diagnostic[]): Loaded {
  const wrong = [...mistakes, ...loaded.diagnostics.filter(({ rule }) => rule === 'function/sql')]
  const causesOf = (diagnostic: Diagnostic): readonly Diagnostic[] => {
    const file = causingFile(diagnostic, mistakes)
    return file === null ? [] : wrong.filter(mistake => mistake.file === file)
  }
  const own = loaded.diagnostics.filter(diagnostic => causesOf(diagnostic).length === 0)
  return {
    ...loaded,
    diagnostics: [...mistakes, ...own].sort(compareDiagnostics),
    broken: loaded.broken.map(endpoint => {
      const diagnostics = endpoint.diagnostics.flatMap(diagnostic => {
        const causes = causesOf(diagnostic)
        return causes.length === 0 ? [diagnostic] : causes
      })
      return { ...endpoint, diagnostics: [...new Set(diagnostics)].sort(compareDiagnostics) }
    }),
  }
}

/** The file whose mistake is the only reason for this diagnostic; null where the diagnostic has a reason of its own. */
function causingFile({ file, data: { sql, missing } = {} }: Diagnostic, mistakes: readonly Diagnostic[]) {
  const root = rootOf(sql)
  if (root?.code === 'unknown-table' && root.schema !== undefined) return root.schema
  if (sql?.code === 'in-function' && sql.file !== null && sql.file !== file) return sql.file
  if (sql?.code === 'unknown-function' || sql?.code === 'unknown-table-function') {
    const called = sql.name.slice(sql.name.lastIndexOf('.') + 1).toLowerCase()
    const isOf = (mistake: Diagnostic): boolean =>
      mistake.rule === 'function/file-name' && /([^./]+)\.sql$/.exec(mistake.file)?.[1]?.toLowerCase() === called
    return mistakes.find(isOf)?.file ?? null
  }
  if (missing === undefined) return null
  const namesOf = (table: string): readonly string[] => [table, table.replace(/^[^.]+\.(?=.*\.)/, '')]
  return mistakes.find(mistake => namesOf(tableOf(mistake.file)).includes(missing))?.file ?? null
}
