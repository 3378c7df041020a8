/** The columns of a result with their types, as tools need them. */
import { parseOpenTypeName } from '../../googlesql/data.js'
import type { PublishedEndpoint } from '../../runner/model/published-endpoint.js'

export type TypedColumn = ReturnType<typeof typedColumns>[number]

export const typedColumns = ({ columns }: PublishedEndpoint) =>
  columns.map(column => {
    const parsed = parseOpenTypeName(column.type)
    /** `parsed` is undefined for a type that this version does not know. `scalar` is null for such a type, and for ARRAY and STRUCT. */
    return {
      ...column,
      parsed,
      scalar: !parsed || parsed.kind === 'ARRAY' || parsed.kind === 'STRUCT' ? null : parsed.kind,
    }
  })

/** Whether a TIMESTAMP is an integer of microseconds since 1970. */
export const hasUnixTimes = ({ settings }: PublishedEndpoint): boolean => settings['timestamps'] === 'unix_micros'
