/** The tables of a dataset in BigQuery: their names, and what each is like. */

import type { Dataset, GetTablesOptions, GetTablesResponse } from '@google-cloud/bigquery'
import { clientFailure, type OpenedAccess } from '../../runner/engines/bigquery/index.js'
import { raced } from '../../runner/model/deadline.js'
import { SetupError } from '../../runner/model/errors.js'
import { type RoutineResource, routineResource } from './routine-resource.js'
import { type TableResource, tableResource } from './table-resource.js'

/** A table's place; `project` is the project of the settings where a name has none. */
export interface TablePlace {
  readonly project: string
  readonly dataset: string
  readonly table: string
}

/** As BigQuery calls it: TABLE, VIEW, MATERIALIZED_VIEW, EXTERNAL, SNAPSHOT. */
export interface ListedTable {
  readonly table: string
  readonly kind: string
}

export interface DescribedTable {
  readonly kind: string
  readonly resource: TableResource
}

export interface WarehouseTables {
  /** The project of the settings. */
  readonly project: string
  /** Every table of the dataset, sorted by name; null where there is no such dataset. @throws SetupError. */
  list(place: Omit<TablePlace, 'table'>): Promise<readonly ListedTable[] | null>
  /** Null where there is no such table. @throws SetupError. */
  describe(place: TablePlace): Promise<DescribedTable | null>
  /** The function of this name, which is `table` of the place; null for an unknown one. @throws SetupError. */
  describeFunction(place: TablePlace): Promise<RoutineResource | null>
}

/** The largest page that BigQuery gives. */
const PAGE_TABLES = 1000
/** The client waits for an answer without end. */
const WITHIN_MS = 120_000

/** No request is sent to BigQuery yet. */
export function openWarehouseTables({ client, project: ownProject }: OpenedAccess): WarehouseTables {
  const datasetOf = (project: string, dataset: string): Dataset =>
    client.dataset(encodeURIComponent(dataset), { projectId: encodeURIComponent(project) })
  const within = <T>(answer: Promise<T>): Promise<T> => raced(answer, AbortSignal.timeout(WITHIN_MS))

  return {
    project: ownProject,
    async list({ project, dataset }) {
      const found: ListedTable[] = []
      try {
        let query: GetTablesOptions | null | undefined = { maxResults: PAGE_TABLES, autoPaginate: false }
        while (query) {
          const [tables, next]: GetTablesResponse = await within(datasetOf(project, dataset).getTables(query))
          for (const { id, metadata } of tables) found.push({ table: id!, kind: metadata.type ?? 'TABLE' })
          query = next
        }
      } catch (cause) {
        if (isNotFound(cause)) return null
        throw setupError(`cannot list the tables of ${project}.${dataset}`, cause)
      }
      return found.sort((a, b) => (a.table < b.table ? -1 : 1))
    },
    async describe({ project, dataset, table }) {
      try {
        const [resource] = await within(datasetOf(project, dataset).table(encodeURIComponent(table)).getMetadata())
        return { kind: resource.type ?? 'TABLE', resource: tableResource(resource) }
      } catch (cause) {
        if (isNotFound(cause)) return null
        throw setupError(`cannot read the schema of ${project}.${dataset}.${table}`, cause)
      }
    },
    async describeFunction({ project, dataset, table }) {
      try {
        const [resource] = await within(datasetOf(project, dataset).routine(encodeURIComponent(table)).getMetadata())
        return routineResource(resource)
      } catch (cause) {
        if (isNotFound(cause)) return null
        throw setupError(`cannot read the function ${project}.${dataset}.${table}`, cause)
      }
    },
  }
}

const NOT_FOUND = 404
const isNotFound = (cause: unknown): boolean => clientFailure(cause).status === NOT_FOUND

const setupError = (what: string, cause: unknown): SetupError =>
  new SetupError(`${what}: ${clientFailure(cause).text}`, { cause })
