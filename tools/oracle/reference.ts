/** The reference implementation of GoogleSQL as a function from a query to its rows. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseTypeName } from '../../googlesql/types/parse-type-name.js'
import type { StructField, Type } from '../../googlesql/types/types.js'
import type { BoundValue } from '../../runner/index.js'
import type { CaseTable } from '../../test/googlesql/case-files.js'
import { startReference } from './serve.js'
import { withShards } from './shards.js'
import {
  type TypeMessage,
  typeMessage,
  typeOfMessage,
  UnknownValueError,
  type ValueMessage,
  valueMessage,
  valueOfMessage,
} from './values.js'

export interface ReferenceResult {
  /** The columns; a name is empty where the reference does not name the column. */
  readonly columns: readonly StructField[]
  /** Values in the form that `valueOfMessage` returns. */
  readonly rows: readonly (readonly unknown[])[]
}

export interface Reference {
  /** The version of the npm package that contains the reference. */
  readonly version: string
  /** @throws RejectedError when the reference does not run the query */
  readonly evaluate: (sql: string, parameters?: Readonly<Record<string, BoundValue>>) => Promise<ReferenceResult>
  readonly close: () => void
}

/** The reference refused the query, or failed to run it. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError'
  /** True: the query may be valid; the reference lacks a feature, crashed or took too long. */
  readonly isUnsupported: boolean

  constructor(message: string, isUnsupported: boolean) {
    super(message)
    this.isUnsupported = isUnsupported
  }
}

const PACKAGE = '@fivetrandevelopers/zetasql'
const DEADLINE_MS = 5_000
/** The gRPC codes DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE. */
const NOT_THE_QUERYS_FAULT = new Set([4, 12, 13, 14])

/** Features that BigQuery does not have, or has in another form. */
const NOT_BIGQUERY = /SPANNER|PROTO|TIMESTAMP_NANOS|ENUM_|FLOAT_TYPE|SQL_MACROS/
/** Features that BigQuery has although the reference lists them as under development. */
const BIGQUERY =
  /INTERVAL|TIME_BUCKET|GROUPING|INVERSE_TRIG|LIKE_ANY|JSON|ARRAY_ORD|PERCENTILE|CORRESPONDING|NUMERIC|ROLLUP|PIVOT|QUALIFY/
const STRICTER = /GROUP_BY_JSON|DISABLE|NO_|LEGACY/
/**
 * The reference needs rewrites to run a query. All are enabled except names of the enumeration that are not rewrites, and the
 * rewrites of differential privacy.
 */
const UNUSED_REWRITE = /INVALID|switch|ANONYM|DIFFER|AGGREGATION_THRESH/

interface EnumDefinition {
  readonly type: { readonly value: readonly { readonly name: string }[] }
}
type Call = (
  request: object,
  options: { readonly deadline: number },
  done: (error: { readonly code: number; readonly details: string } | null, answer: unknown) => void,
) => void
interface Client {
  readonly close: () => void
  readonly [method: string]: Call | (() => void)
}
interface Grpc {
  readonly loadPackageDefinition: (definition: object) => {
    readonly zetasql: {
      readonly local_service: { readonly ZetaSqlLocalService: new (at: string, with_: object) => Client }
    }
  }
  readonly credentials: { readonly createInsecure: () => object }
}
interface ProtoLoader {
  readonly loadSync: (file: string, options: object) => Readonly<Record<string, EnumDefinition>>
}
interface EvaluateAnswer {
  readonly prepared: { readonly columns?: readonly { readonly name?: string; readonly type: TypeMessage }[] }
  readonly content?: {
    readonly tableData?: { readonly row?: readonly { readonly cell?: readonly (ValueMessage | null)[] }[] }
  } | null
}

/** Starts the reference that `installReference` installed into `cache`. The caller closes it. */
export async function openReference(cache: string, tables: ReadonlyMap<string, CaseTable>): Promise<Reference> {
  const require = createRequire(join(cache, 'package.json'))
  const home = join(cache, 'node_modules', PACKAGE)
  const version: string = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version
  const server = await startReference(join(home, 'lib/zetasql'))
  const grpc = require('@grpc/grpc-js') as Grpc
  const protos = (require('@grpc/proto-loader') as ProtoLoader).loadSync('local_service.proto', {
    defaults: false,
    oneofs: true,
    longs: String,
    enums: String,
    includeDirs: [join(home, 'lib/zetasql/protos')],
  })
  const { ZetaSqlLocalService } = grpc.loadPackageDefinition(protos).zetasql.local_service
  const client = new ZetaSqlLocalService(server.address, grpc.credentials.createInsecure())
  const call = <T>(method: string, request: object): Promise<T> =>
    new Promise((resolve, reject) => {
      ;(client[method] as Call).call(client, request, { deadline: Date.now() + DEADLINE_MS }, (error, answer) => {
        if (error) reject(new RejectedError(error.details, NOT_THE_QUERYS_FAULT.has(error.code)))
        else resolve(answer as T)
      })
    })

  const languageOptions = await bigqueryOptions(call, protos)
  const { registeredId } = await call<{ registeredId: string }>('RegisterCatalog', {
    simpleCatalog: {
      name: 'bigquery',
      builtinFunctionOptions: { languageOptions },
      table: [...tables].map(([name, { columns }], index) => ({
        name,
        serializationId: index + 1,
        column: columns.map(({ name, type }) => ({ name, type: typeMessage(type) })),
      })),
    },
    tableContent: Object.fromEntries([...tables].map(([name, table]) => [name, { tableData: tableData(table) }])),
  })
  const options = {
    languageOptions,
    defaultTimezone: 'UTC',
    pruneUnusedColumns: true,
    errorMessageMode: 'ERROR_MESSAGE_ONE_LINE',
    enabledRewrites: namesOf(protos, 'zetasql.ResolvedASTRewrite').filter(name => !UNUSED_REWRITE.test(name)),
  }
  return {
    version,
    evaluate: async (sql, parameters = {}) => {
      const typed = Object.entries(parameters).map(([name, { type, value }]) => ({
        name,
        type: typeNamed(type),
        value,
      }))
      const answer = await call<EvaluateAnswer>('EvaluateQuery', {
        sql: withQuotedNames(withShards(sql, tables), [...tables.keys()]),
        registeredCatalogId: registeredId,
        options: { ...options, queryParameters: typed.map(({ name, type }) => ({ name, type: typeMessage(type) })) },
        params: typed.map(({ name, type, value }) => ({ name, value: valueMessage(value, type) })),
      })
      return resultOf(answer)
    },
    close: () => {
      client.close()
      server.stop()
    },
  }
}

const namesOf = (protos: Readonly<Record<string, EnumDefinition>>, name: string): readonly string[] =>
  protos[name]!.type.value.map(value => value.name)

async function bigqueryOptions(
  call: <T>(method: string, request: object) => Promise<T>,
  protos: Readonly<Record<string, EnumDefinition>>,
): Promise<object> {
  const maximum = await call<{ enabledLanguageFeatures: string[] }>('GetLanguageOptions', { maximumFeatures: true })
  const features = new Set(maximum.enabledLanguageFeatures.filter(feature => !NOT_BIGQUERY.test(feature)))
  for (const feature of namesOf(protos, 'zetasql.LanguageFeature')) {
    if (BIGQUERY.test(feature) && !STRICTER.test(feature)) features.add(feature)
  }
  return {
    productMode: 'PRODUCT_EXTERNAL',
    nameResolutionMode: 'NAME_RESOLUTION_DEFAULT',
    enabledLanguageFeatures: [...features],
    supportedStatementKinds: ['RESOLVED_QUERY_STMT'],
    reservedKeywords: ['QUALIFY'],
  }
}

/**
 * Quotes the names of tables: BigQuery accepts `types.every` with and without backticks, the reference only as one quoted
 * name.
 */
function withQuotedNames(sql: string, names: readonly string[]): string {
  return names.reduce(
    (text, name) =>
      text.replace(new RegExp(`(?<![\\w\`])${name.replaceAll('.', '\\.')}(?![\\w\`])`, 'g'), `\`${name}\``),
    sql,
  )
}

function tableData({ columns, rows }: CaseTable): object {
  return { row: rows.map(row => ({ cell: columns.map(({ type }, i) => valueMessage(row[i], type)) })) }
}

function typeNamed(name: string): Type {
  const type = parseTypeName(name)
  if (!type) throw new UnknownValueError(`${name} is not a type of BigQuery's`)
  return type
}

function resultOf({ prepared, content }: EvaluateAnswer): ReferenceResult {
  const columns = (prepared.columns ?? []).map(({ name = '', type }) => ({
    name: name.startsWith('$') ? '' : name,
    type: typeOfMessage(type),
  }))
  const rows = (content?.tableData?.row ?? []).map(({ cell = [] }) =>
    columns.map(({ type }, i) => valueOfMessage(cell[i] ?? null, type)),
  )
  return { columns, rows }
}
