/** The BigQuery engine's options where nothing is asked of it but to run queries. */
import { randomUUID } from 'node:crypto'

export const PLAIN_OPTIONS = {
  tables: [],
  location: null,
  defaultDataset: null,
  maxBytesBilled: null,
  reservation: null,
  priority: 'interactive',
  maxResultBytes: 64_000_000,
  maxQueries: 256,
  newRequestId: randomUUID,
} as const
