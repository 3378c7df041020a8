/** The tables of a dataset in BigQuery: their names and resources. */

import type { Dataset, GetTablesOptions, GetTablesResponse } from '@google-cloud/bigquery'
import { clientFailure, type OpenedAccess } from '../../runner/engines/bigquery/index.js'
import { raced } from '../../runner/model/deadline.js'
import { SetupError } from '../../runner/model/errors.js'
import { routineResource } from './routine-resource.js'
import { tableResource } from './table-resource.js'

/** A dataset's place. For a name without a project, `project` is the project of the settings. */
export interface DatasetPlace {
  readonly project: string
  readonly dataset: string
}

export interface TablePlace extends DatasetPlace {
  readonly table: string
}

/** `kind` is BigQuery's word: TABLE, VIEW, MATERIALIZED_VIEW, EXTERNAL, SNAPSHOT. */
export interface ListedTable {
  readonly table: string
  readonly kind: string
}

/** The largest page that BigQuery gives. */
const PAGE_TABLES = 1000
/** The longest wait for an answer, in milliseconds: Google's client itself would wait for ever. */
const TIMEOUT_MS = 120_000

/** The tables and functions of the warehouse; each method resolves to null for one that does not exist. No request is sent yet. */
export function openWarehouseTables({ client, project: ownProject }: OpenedAccess) {
  const datasetOf = (project: string, dataset: string): Dataset =>
    client.dataset(encodeURIComponent(dataset), { projectId: encodeURIComponent(project) })
  const inTime = <T>(answer: Promise<T>): Promise<T> => raced(answer, AbortSignal.timeout(TIMEOUT_MS))

  /** @throws SetupError */
  async function nullIfMissing<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask()
    } catch (cause) {
      const { status, text } = clientFailure(cause)
      if (status === NOT_FOUND) return null
      throw new SetupError(`cannot ${what}: ${text}`, { cause })
    }
  }

  return {
    /** The project of the settings. */
    project: ownProject,
    /** Every table of the dataset, sorted by name. */
    list: ({ project, dataset }: DatasetPlace) =>
      nullIfMissing(`list the tables of ${project}.${dataset}`, async () => {
        const listed: ListedTable[] = []
        let query: GetTablesOptions | null | undefined = { maxResults: PAGE_TABLES, autoPaginate: false }
        while (query) {
          const [tables, next]: GetTablesResponse = await inTime(datasetOf(project, dataset).getTables(query))
          for (const { id, metadata } of tables) listed.push({ table: id!, kind: metadata.type ?? 'TABLE' })
          query = next
        }
        return listed.sort((a, b) => (a.table < b.table ? -1 : 1))
      }),
    describe: ({ project, dataset, table }: TablePlace) =>
      nullIfMissing(`read the schema of ${project}.${dataset}.${table}`, async () => {
        const [resource] = await inTime(datasetOf(project, dataset).table(encodeURIComponent(table)).getMetadata())
        return { kind: resource.type ?? 'TABLE', resource: tableResource(resource) }
      }),
    /** The function at this place; `table` is its name. */
    describeFunction: ({ project, dataset, table }: TablePlace) =>
      nullIfMissing(`read the function ${project}.${dataset}.${table}`, async () => {
        const [resource] = await inTime(datasetOf(project, dataset).routine(encodeURIComponent(table)).getMetadata())
        return routineResource(resource)
      }),
  }
}

export type WarehouseTables = ReturnType<typeof openWarehouseTables>

const NOT_FOUND = 404
