/** Descriptions of endpoints for callers: the contract, never the SQL. */
import type { ContractColumn, Endpoint } from '../model/endpoint.js'
import type { ArgumentValue, Parameter } from '../model/param.js'
import type { Caller } from '../model/ports.js'

/**
 * `{id, name, description, parameters, columns, settings, pinned}`, and `tenant` where the endpoint declares one. `pinned` has
 * the arguments that the caller's token fixes, by name.
 */
export function describeEndpoint(
  endpoint: Endpoint,
  { pinned }: Pick<Caller, 'pinned'>,
): Readonly<Record<string, unknown>> {
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

/** A column with the manifest's keys; `json` and `unit` are left out where they are null. */
function describeColumn({ json, unit, ...column }: ContractColumn): Readonly<Record<string, unknown>> {
  return { ...column, ...(json !== null && { json }), ...(unit !== null && { unit }) }
}

/** A parameter with the manifest's keys; members without a value are left out. */
function describeParameter(parameter: Parameter): Readonly<Record<string, unknown>> {
  const { name, type, isRequired, description, examples, pattern, maxLength, format, pinnedAs } = parameter
  const allowed = allowedOf(parameter)
  return {
    name,
    type,
    required: isRequired,
    description,
    ...(examples.length > 0 && { examples }),
    ...(parameter.default !== undefined && { default: parameter.default }),
    ...(allowed && { enum: allowed }),
    ...(pattern && { pattern: pattern.source }),
    ...(parameter.minimum !== undefined && { minimum: parameter.minimum }),
    ...(parameter.maximum !== undefined && { maximum: parameter.maximum }),
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(format && { format }),
    ...(pinnedAs && { pinned_as: pinnedAs.source }),
  }
}

/** The only values that are allowed: those of `enum` that are also rows of lookup tables that reject others, or one of both. */
function allowedOf({ enum: values, rows }: Parameter): readonly ArgumentValue[] | undefined {
  return values && rows ? values.filter(value => rows.includes(String(value))) : (values ?? rows)
}
