/** Options of the BigQuery engine for tests that only run queries. */
import { randomUUID } from 'node:crypto'

export const PLAIN_OPTIONS = {
  tables: [],
  location: null,
  defaultDataset: null,
  maxBytesBilled: null,
  reservation: null,
  priority: 'interactive',
  dataPollMs: 10_000,
  maxResultBytes: 64_000_000,
  newJobId: randomUUID,
} as const
