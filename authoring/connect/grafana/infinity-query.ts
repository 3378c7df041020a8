/** A query of the plugin Infinity: the address, its arguments, and the types of the columns. */

import { splitType } from '../../../runner/model/param.js'
import type { PublishedParameter } from '../../../runner/model/published-endpoint.js'
import { endpointAddress, wellFormed } from '../address.js'
import type { ConnectCall } from '../tool.js'
import type { GrafanaField } from './fields.js'
import { isVariable, variableName } from './variables.js'

export function infinityQuery(
  call: ConnectCall,
  fields: readonly GrafanaField[],
  isSeries: boolean,
): Readonly<Record<string, unknown>> {
  return {
    type: 'json',
    source: 'url',
    parser: 'backend',
    format: isSeries ? 'timeseries' : 'table',
    url: endpointAddress(call),
    url_options: { method: 'GET', data: '', params: paramsOf(call) },
    root_selector: '$.result',
    columns: fields.map(({ name, type, timeFormat }) => ({
      selector: name,
      text: name,
      type,
      ...(timeFormat !== null && { timestampFormat: timeFormat }),
    })),
    filters: [],
  }
}

function paramsOf({ endpoint }: ConnectCall): readonly object[] {
  return endpoint.parameters
    .filter(({ name }) => !Object.hasOwn(endpoint.pinned, name))
    .map(parameter => ({
      key: wellFormed(parameter.name),
      value: isVariable(parameter) ? reference(variableName(parameter)) : timeMacro(parameter),
    }))
}

/** The beginning or the end of the dashboard's period, in the form of the parameter's type; milliseconds for a number. */
function timeMacro({ type, role }: PublishedParameter): string {
  const name = role === 'start' ? '__timeFrom' : '__timeTo'
  const format = { date: ':date:YYYY-MM-DD', datetime: ':date:YYYY-MM-DD HH:mm:ss', int64: '' }[
    splitType(type).scalar as string
  ]
  return reference(name + (format ?? ':date:iso'))
}

/** A reference, which Grafana or Infinity replaces by a value. */
const reference = (name: string): string => `\${${name}}`
