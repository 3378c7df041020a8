/** The columns of a result with their types, as tools need them. */
import { type ColumnType, parseColumnType } from '../../runner/manifest/column-type.js'
import type { PublishedColumn, PublishedEndpoint } from '../../runner/model/published-endpoint.js'

export interface TypedColumn extends PublishedColumn {
  /** Null for a type that this version does not know. */
  readonly parsed: ColumnType | null
  /** The name of a scalar type; null for ARRAY, STRUCT and types that are not known. */
  readonly scalar: string | null
}

export function typedColumns({ columns }: PublishedEndpoint): readonly TypedColumn[] {
  return columns.map(column => {
    const parsed = parseColumnType(column.type)
    return { ...column, parsed, scalar: parsed?.kind === 'scalar' ? parsed.name : null }
  })
}

/** Whether a TIMESTAMP is an integer of microseconds since 1970. */
export const hasUnixTimes = ({ settings }: PublishedEndpoint): boolean => settings['timestamps'] === 'unix_micros'
