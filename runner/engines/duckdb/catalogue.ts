/** The tables that queries can name: those that are declared, and those that a process of the engine has found. */
import {
  type BrokenTables,
  type FunctionSources,
  type TableCatalogue,
  type TableDefinition,
  type TableNaming,
  tableCatalogue,
  wildcardOver,
} from '../../../googlesql/index.js'
import type { Discovery, TableSource } from './process/messages.js'

export interface CatalogueOptions {
  readonly tables: readonly TableSource[]
  /** The functions that queries may call besides those of the language. @default none */
  readonly functions?: FunctionSources
  /** Tables whose schemas have mistakes, which no query can read. @default none */
  readonly broken?: BrokenTables
  /** How names in SQL map to tables. @default names are used unchanged */
  readonly naming?: TableNaming
}

/** The tables that a query sees, by name. Two views have different keys if a name means different tables in them. */
export interface TableView {
  readonly key: string
  readonly tables: () => TableCatalogue
}

/** The next revision, unique among all engines of the process: engines cannot use each other's compiled queries. */
let nextRevision = 0

export class Catalogue {
  readonly #options: CatalogueOptions
  discovery: Discovery = { tables: [], unreadable: [], hasNewDatasets: false }
  tables: TableCatalogue
  /** Changes with the tables: a table discovered later may change the meaning of a text. */
  revision = nextRevision++
  /** The view in which each name means its own table. */
  readonly view: TableView = { key: '', tables: () => this.tables }

  constructor(options: CatalogueOptions) {
    this.#options = options
    this.tables = this.#buildTables()
  }

  /** Takes over the tables that a process has found. Returns whether they differ from the tables found before. */
  applyDiscovery(discovery: Discovery): boolean {
    if (JSON.stringify(discovery) === JSON.stringify(this.discovery)) return false
    this.discovery = discovery
    this.tables = this.#buildTables()
    this.revision = nextRevision++
    return true
  }

  /** A view in which `testTables` replace the tables that their keys name. */
  viewWith(testTables: ReadonlyMap<string, TableDefinition>): TableView {
    const key = JSON.stringify([...testTables].map(([name, table]) => [name, table.name]))
    const find = (name: string): TableDefinition | undefined => {
      const table = this.tables.find(name)
      return table && (testTables.get(table.name) ?? wildcardOver(table, testTables))
    }
    return { key, tables: () => ({ ...this.tables, find }) }
  }

  #buildTables(): TableCatalogue {
    const { tables, naming, functions, broken } = this.#options
    const declared = tables.map(({ definition }) => definition)
    const absences = new Map(this.discovery.unreadable.map(({ table, reason }) => [table, { reason }]))
    return tableCatalogue([...this.discovery.tables, ...declared], naming, absences, functions, broken)
  }
}
