/**
 * JSON Schemas of the files that provision Grafana, as far as `sluice connect` writes them, from the documentation: "Provision
 * Grafana", the schema of dashboards (kinds/dashboard), and the types of the plugin Infinity 3.11 (query.types.ts,
 * config.types.ts). Members that these do not name are mistakes.
 */

const object = (
  required: Readonly<Record<string, unknown>>,
  optional: Readonly<Record<string, unknown>> = {},
): object => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
})
const list = (items: unknown, more: object = {}): object => ({ type: 'array', items, ...more })
const STRING = { type: 'string' }
const TEXT = { type: 'string', minLength: 1 }
const BOOLEAN = { type: 'boolean' }
const COUNT = { type: 'integer', minimum: 0 }

const UID = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,40}$' }
const DATA_SOURCE_REF = object({ type: { const: 'yesoreyeram-infinity-datasource' }, uid: { const: 'sluice' } })

export const DATA_SOURCES = object({
  apiVersion: { const: 1 },
  datasources: list(
    object({
      name: TEXT,
      uid: UID,
      type: { const: 'yesoreyeram-infinity-datasource' },
      access: { enum: ['proxy', 'direct'] },
      jsonData: object({
        // With a header of its own, Infinity wants the hosts that it may be sent to.
        allowedHosts: list({ type: 'string', pattern: '^https?://[^/?#]+$' }, { minItems: 1 }),
        httpHeaderName1: { const: 'X-API-KEY' },
      }),
      secureJsonData: object({ httpHeaderValue1: { const: '$SLUICE_TOKEN' } }),
    }),
    { minItems: 1 },
  ),
})

export const PROVIDERS = object({
  apiVersion: { const: 1 },
  providers: list(
    object({
      name: TEXT,
      folder: TEXT,
      type: { const: 'file' },
      options: object({ path: { type: 'string', pattern: '^/' } }),
    }),
    { minItems: 1 },
  ),
})

const OPTION = object({ text: STRING, value: STRING }, { selected: BOOLEAN })
const VARIABLE = {
  name: { type: 'string', pattern: '^[A-Za-z0-9_]+$' },
  label: STRING,
  description: STRING,
  hide: { enum: [0, 1, 2] },
  skipUrlSync: BOOLEAN,
  query: STRING,
  current: OPTION,
  options: list(OPTION),
}

const KEY_VALUE = object({ key: TEXT, value: TEXT })
const COLUMN = object(
  { selector: STRING, text: STRING, type: { enum: ['string', 'number', 'timestamp', 'boolean'] } },
  { timestampFormat: TEXT },
)

const TARGET = object({
  refId: { const: 'A' },
  datasource: DATA_SOURCE_REF,
  type: { const: 'json' },
  source: { const: 'url' },
  parser: { const: 'backend' },
  format: { enum: ['table', 'timeseries'] },
  url: { type: 'string', format: 'uri', pattern: '^https?://' },
  url_options: object({ method: { const: 'GET' }, data: { const: '' }, params: list(KEY_VALUE) }),
  root_selector: { const: '$.result' },
  columns: list(COLUMN),
  filters: list({}, { maxItems: 0 }),
})

const PANEL = object({
  id: COUNT,
  type: { enum: ['timeseries', 'table'] },
  title: TEXT,
  description: STRING,
  gridPos: object({
    h: COUNT,
    w: { type: 'integer', minimum: 1, maximum: 24 },
    x: { type: 'integer', maximum: 23 },
    y: COUNT,
  }),
  datasource: DATA_SOURCE_REF,
  targets: list(TARGET, { minItems: 1 }),
  transformations: list(
    object({
      id: { const: 'sortBy' },
      options: object({ fields: object({}), sort: list(object({ field: STRING }), { minItems: 1 }) }),
    }),
  ),
  options: object({}),
  fieldConfig: object({
    defaults: object({}),
    overrides: list(
      object({
        matcher: object({ id: { const: 'byName' }, options: STRING }),
        properties: list(object({ id: { const: 'unit' }, value: TEXT })),
      }),
    ),
  }),
})

export const DASHBOARD = object({
  uid: UID,
  title: TEXT,
  description: STRING,
  tags: list(TEXT),
  editable: BOOLEAN,
  graphTooltip: { enum: [0, 1, 2] },
  timezone: { enum: ['browser', 'utc'] },
  schemaVersion: { type: 'integer', minimum: 36 },
  time: object({ from: { type: 'string', pattern: '^now' }, to: { const: 'now' } }),
  templating: object({
    list: list({
      oneOf: [
        object({ type: { const: 'textbox' }, ...VARIABLE }),
        object({
          type: { const: 'custom' },
          ...VARIABLE,
          options: list(OPTION, { minItems: 2 }),
          multi: { const: false },
          includeAll: { const: false },
          allowCustomValue: BOOLEAN,
        }),
      ],
    }),
  }),
  annotations: object({ list: list({}) }),
  panels: list(PANEL, { minItems: 1, maxItems: 1 }),
})
