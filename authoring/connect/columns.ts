/** The columns of a result with their types, as tools need them. */
import { parseColumnType } from '../../runner/manifest/column-type.js'
import type { PublishedEndpoint } from '../../runner/model/published-endpoint.js'

export type TypedColumn = ReturnType<typeof typedColumns>[number]

export const typedColumns = ({ columns }: PublishedEndpoint) =>
  columns.map(column => {
    const parsed = parseColumnType(column.type)
    /** `parsed` is null for a type that this version does not know; `scalar` for ARRAY and STRUCT too. */
    return { ...column, parsed, scalar: parsed?.kind === 'scalar' ? parsed.name : null }
  })

/** Whether a TIMESTAMP is an integer of microseconds since 1970. */
export const hasUnixTimes = ({ settings }: PublishedEndpoint): boolean => settings['timestamps'] === 'unix_micros'
