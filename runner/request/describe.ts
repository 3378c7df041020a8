/** Descriptions of endpoints for callers: the contract, never the SQL. */
import type { ContractColumn, Endpoint } from '../model/endpoint.js'
import { allowedOf, type Parameter } from '../model/param.js'
import type { Caller } from '../model/ports.js'
import type {
  PublishedColumn,
  PublishedEndpoint,
  PublishedField,
  PublishedParameter,
} from '../model/published-endpoint.js'
import type { ColumnPromise } from '../model/query.js'

/** What a caller with these pins may know of an endpoint. */
export function describeEndpoint(endpoint: Endpoint, { pinned }: Pick<Caller, 'pinned'>): PublishedEndpoint {
  const { id, name, description, parameters, columns, settings, tenant } = endpoint
  return {
    id,
    name,
    description,
    parameters: parameters.map(describeParameter),
    columns: columns.map(describeColumn),
    settings,
    pinned,
    ...(tenant !== null && { tenant }),
  }
}

function describeColumn({ json, unit, fields, ...column }: ContractColumn): PublishedColumn {
  return {
    ...column,
    ...(json !== null && { json }),
    ...(unit !== null && { unit }),
    ...(fields && { fields: fields.map(describeField) }),
  }
}

function describeField({ required, json, fields }: ColumnPromise): PublishedField {
  return { required, ...(json === 'number' && { json }), ...(fields && { fields: fields.map(describeField) }) }
}

function describeParameter(parameter: Parameter): PublishedParameter {
  const { name, type, description, examples, maxLength, maxElementLength } = parameter
  const allowed = allowedOf(parameter)
  return {
    name,
    type,
    required: parameter.isRequired,
    description,
    ...(examples.length > 0 && { examples }),
    ...(parameter.default !== undefined && { default: parameter.default }),
    ...(allowed && { enum: allowed }),
    ...(parameter.pattern && { pattern: parameter.pattern.source }),
    ...(parameter.minimum !== undefined && { minimum: parameter.minimum }),
    ...(parameter.maximum !== undefined && { maximum: parameter.maximum }),
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(maxElementLength !== undefined && { max_element_length: maxElementLength }),
    ...(parameter.format && { format: parameter.format }),
    ...(parameter.schema && { schema: parameter.schema.source }),
    ...(parameter.pinnedAs && { pinned_as: parameter.pinnedAs.source }),
    ...(parameter.role && { role: parameter.role }),
  }
}
