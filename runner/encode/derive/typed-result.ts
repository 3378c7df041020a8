/** What the formats with types, Arrow and Parquet, need of a result besides its rows. */
import { parseTypeName, type Type } from '../../../googlesql/index.js'
import type { ResultColumn } from '../../model/query.js'
import type { ResultFacts } from './facts.js'

/** @throws TypeError when a column's type cannot be read. */
export function columnTypes(columns: readonly ResultColumn[]): readonly Type[] {
  return columns.map(({ name, type }) => {
    const parsed = parseTypeName(type)
    if (!parsed) throw new TypeError(`The type ${type} of the column ${name} cannot be read`)
    return parsed
  })
}

/** The metadata of the schema, by key. */
export const schemaMetadata = ({ endpoint, revision, isTruncated }: ResultFacts): ReadonlyMap<string, string> =>
  new Map([
    ['sluice.endpoint', endpoint],
    ['sluice.revision', revision],
    ['sluice.truncated', String(isTruncated)],
  ])
