/** BigQuery's names for the types of parameters. */
import type { Manifest } from '../model/manifest.js'
import { type ParameterType, SQL_TYPES, splitType } from '../model/param.js'

/** `array<int64>` is `ARRAY<INT64>`. */
export function bigqueryType(type: ParameterType): string {
  const { scalar, isArray } = splitType(type)
  return isArray ? `ARRAY<${SQL_TYPES[scalar]}>` : SQL_TYPES[scalar]
}

/** The types of all arguments that the SQL may read, by name. */
export const argumentTypes = ({ parameters = {} }: Manifest): Readonly<Record<string, string>> => ({
  now: 'TIMESTAMP',
  ...Object.fromEntries(Object.entries(parameters).map(([name, { type }]) => [name, bigqueryType(type)])),
})
