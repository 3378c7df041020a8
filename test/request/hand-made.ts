/** An endpoint without a manifest and an engine without a database, for tests of the code between callers and engines. */

import type { LoadedEndpoint } from '../../runner/manifest/load.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { RunnerError } from '../../runner/model/errors.js'
import { type ArgumentValue, type Parameter, type ParameterType, splitType } from '../../runner/model/param.js'
import type { Engine, RunOptions } from '../../runner/model/ports.js'
import type { Query, ResultSet } from '../../runner/model/query.js'

export function parameter(name: string, rest: Partial<Parameter> = {}): Parameter {
  return { name, type: 'string', isRequired: false, description: `The ${name}.`, examples: [], ...rest }
}

export const ENDPOINT_ID = '0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11'

/**
 * An endpoint whose query binds every argument under its parameter's name, and `@now`. Its columns are what the query binds, as
 * the engine below answers with it.
 */
export function handMadeEndpoint(rest: Partial<Endpoint> = {}): Endpoint {
  const parameters = rest.parameters ?? [
    parameter('project', { isRequired: true }),
    parameter('size', { type: 'int64' }),
  ]
  return {
    id: ENDPOINT_ID,
    name: 'tests.echo',
    description: 'Gives its arguments back.',
    parameters,
    tenant: null,
    columns:
      rest.render === undefined
        ? [...parameters.map(({ name, type }) => column(name, columnType(type))), column('now', 'STRING')]
        : Object.entries(rest.render({}, 0n).parameters).map(([name, { value }]) => column(name, typeOf(value))),
    tables: [],
    maxRows: 1000,
    cache: {
      ttlMs: 900_000,
      warmMs: null,
      staleIfErrorMs: 0,
      staleWhileRevalidateMs: 0,
      untilDataChanges: false,
      settledMs: null,
    },
    pages: null,
    timeoutMs: 30_000,
    timestamps: 'iso8601',
    maxBytesBilled: null,
    maxResultBytes: null,
    export: null,
    labels: {},
    revision: 'r1',
    example: null,
    rejectsUnknown: false,
    settings: { max_rows: 1000, cache: { ttl_seconds: 900 } },
    render: (args, nowMicros) => ({
      sql: 'SELECT @project AS project',
      parameters: {
        ...Object.fromEntries(
          parameters.map(({ name, type }) => [name, { type: 'STRING', value: args[name] ?? absent(type) }]),
        ),
        now: { type: 'TIMESTAMP', value: String(nowMicros) },
      },
    }),
    ...rest,
  }
}

/** The endpoint as a load gives it. */
export const loadedOf = (endpoint: Endpoint): LoadedEndpoint => ({
  endpoint,
  file: `${endpoint.name}.yaml`,
  variants: [],
  lookupRows: {},
})

const column = (name: string, type: string): Endpoint['columns'][number] => ({
  name,
  type,
  description: `The ${name}.`,
  required: false,
  json: null,
  unit: null,
})

/** The type of a column that gives an argument back as it was bound. */
function columnType(type: ParameterType): string {
  const { scalar, isArray } = splitType(type)
  const element = scalar === 'float64' ? 'FLOAT64' : scalar === 'bool' ? 'BOOL' : 'STRING'
  return isArray ? `ARRAY<${element}>` : element
}

/** The value of a column where the argument is not given: an ARRAY is never NULL. */
const absent = (type: ParameterType): ArgumentValue => (splitType(type).isArray ? [] : null)

export interface CountingEngine extends Engine {
  /** All queries that were run, in order. */
  readonly queries: readonly Query[]
  /** The number of runs that were aborted by their signal. */
  readonly cancelled: () => number
  /** The next runs fail with this error; null: they give rows again. */
  fail(error: RunnerError | null): void
  /** Makes runs wait until the returned function is called. */
  hold(): () => void
}

/** An engine that answers with one row of the bound values and records each run. */
export function countingEngine(): CountingEngine {
  const queries: Query[] = []
  let failure: RunnerError | null = null
  let gate: Promise<void> = Promise.resolve()
  let cancelled = 0
  return {
    name: 'duckdb',
    queries,
    cancelled: () => cancelled,
    fail(error) {
      failure = error
    },
    hold() {
      let release = () => {}
      gate = new Promise(resolve => {
        release = resolve
      })
      return release
    },
    async run(query: Query, options: RunOptions): Promise<ResultSet> {
      queries.push(query)
      await untilOpen(gate, options.signal, () => {
        cancelled += 1
      })
      if (failure) throw failure
      const row = Object.fromEntries(Object.entries(query.parameters).map(([name, { value }]) => [name, value]))
      const rows = [row].slice(0, options.maxRows)
      return {
        columns: Object.entries(row).map(([name, value]) => ({ name, type: typeOf(value) })),
        rowCount: rows.length,
        isTruncated: rows.length < 1,
        body: Buffer.from(JSON.stringify({ result: rows })),
      }
    },
    check: async () => ({ ok: true, columns: [] }),
    explain: async () => ({ engineSql: '', plan: '' }),
    dryRun: async () => ({ engine: 'duckdb', tables: [], files: 0, bytes: 0 }),
    ping: async () => {
      if (failure) throw failure
    },
    close: async () => {},
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'ARRAY<STRING>'
  return typeof value === 'number' ? 'FLOAT64' : 'STRING'
}

function untilOpen(gate: Promise<void>, signal: AbortSignal, onCancel: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      onCancel()
      reject(new RunnerError('CALL_ABANDONED'))
    })
    gate.then(resolve, reject)
  })
}
