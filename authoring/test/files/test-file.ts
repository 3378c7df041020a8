/** What a test file says, once it is read: cases, each with its tables, its call and what is expected of it. */
import type { TableDefinition } from '../../../googlesql/index.js'
import type { ManifestSource, NodePath } from '../../../runner/manifest/source.js'

/** The rows of one table in one or more cases. */
export interface TestTable {
  /** Its columns, under a name of its own that tells where the rows come from. */
  readonly definition: TableDefinition
  /** The name of the table that queries read. */
  readonly standsFor: string
  /** The rows by column name, as data files have them; null where they are in `file`. */
  readonly rows: readonly object[] | null
  /** The path of a data file; null where the rows are given. */
  readonly file: string | null
}

/** Arguments as a caller writes them; a list is an array. */
export type TestArguments = Readonly<Record<string, string | readonly string[]>>

export type Row = Readonly<Record<string, unknown>>

export interface ExpectedProblem {
  readonly status?: number
  readonly code?: string
  readonly parameters?: readonly string[]
}

/** What a result must be, by the names that test files have; each member that is there must hold. */
export interface Expectation {
  readonly rows?: readonly Row[]
  readonly rows_unordered?: readonly Row[]
  readonly contains?: readonly Row[]
  readonly count?: number
  readonly columns?: readonly string[]
  /** `revenue desc` */
  readonly ordered_by?: readonly string[]
  readonly truncated?: boolean
  readonly same_as?: { readonly arguments: TestArguments }
  readonly problem?: ExpectedProblem
}

export interface TestCase {
  readonly name: string
  /** The path to the case in its file. */
  readonly path: NodePath
  readonly arguments: TestArguments
  /** Microseconds since 1970; null for the real time. */
  readonly nowMicros: bigint | null
  /** The tables that are not empty. */
  readonly tables: readonly TestTable[]
  readonly expect: Expectation
}

export interface TestFile {
  /** The path as diagnostics show it. */
  readonly file: string
  readonly text: string
  readonly source: ManifestSource
  /** The file's name without `.test.yaml`: the name of the manifest beside it, or of the endpoint. */
  readonly subject: string
  readonly cases: readonly TestCase[]
}
