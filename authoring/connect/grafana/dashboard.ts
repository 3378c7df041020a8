/** A dashboard of Grafana with one panel that shows an endpoint's result. */
import { wellFormed } from '../address.js'
import { typedColumns } from '../columns.js'
import type { ConnectCall } from '../tool.js'
import { fieldOf, type GrafanaField } from './fields.js'
import { infinityQuery } from './infinity-query.js'
import { unitOf } from './units.js'
import { dashboardVariables } from './variables.js'

/** The data source that dataSource() provisions. */
const DATA_SOURCE = { type: 'yesoreyeram-infinity-datasource', uid: 'sluice' } as const

/** The version of Grafana's schema of dashboards; newer versions of Grafana migrate it. */
const SCHEMA_VERSION = 36

export function dashboard(call: ConnectCall): Readonly<Record<string, unknown>> {
  const { endpoint } = call
  const fields = typedColumns(endpoint).map(column => fieldOf(column, endpoint))
  return {
    // At most 40 letters, digits, `-` and `_`: the endpoint's UUID, so that a renamed endpoint keeps its dashboard.
    uid: endpoint.id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 40),
    title: wellFormed(endpoint.name),
    description: wellFormed(endpoint.description),
    tags: ['sluice'],
    editable: true,
    graphTooltip: 1,
    timezone: 'browser',
    schemaVersion: SCHEMA_VERSION,
    time: { from: 'now-24h', to: 'now' },
    templating: { list: dashboardVariables(call) },
    annotations: { list: [] },
    panels: [panel(call, fields)],
  }
}

function panel(call: ConnectCall, fields: readonly GrafanaField[]): Readonly<Record<string, unknown>> {
  const { endpoint } = call
  const time = fields.find(({ type }) => type === 'timestamp')
  const isSeries = time !== undefined && fields.some(({ type }) => type === 'number')
  return {
    id: 1,
    type: isSeries ? 'timeseries' : 'table',
    title: wellFormed(endpoint.name),
    description: wellFormed(endpoint.description),
    gridPos: { h: 20, w: 24, x: 0, y: 0 },
    datasource: DATA_SOURCE,
    targets: [{ refId: 'A', datasource: DATA_SOURCE, ...infinityQuery(call, fields, isSeries) }],
    // Grafana draws a line in the order of the rows, and many results begin with the newest row.
    transformations: isSeries ? [{ id: 'sortBy', options: { fields: {}, sort: [{ field: time.name }] } }] : [],
    options: {},
    fieldConfig: { defaults: {}, overrides: fields.flatMap(unitOverride) },
  }
}

function unitOverride({ name, unit }: GrafanaField): readonly object[] {
  if (unit === null) return []
  return [{ matcher: { id: 'byName', options: name }, properties: [{ id: 'unit', value: unitOf(unit) }] }]
}
