/** What queries may name besides the functions of the language: the tables that have a schema, and functions kept in datasets. */
import type { FunctionSources, TableDefinition } from '../../googlesql/index.js'

export interface Definitions {
  readonly tables: readonly TableDefinition[]
  readonly functions: FunctionSources
}
