/** What a resolved query tells of its columns, as an engine's check answers it. */
import { type OutputColumn, typeName } from '../../googlesql/index.js'
import type { CheckedColumn } from '../model/query.js'

/** A column of a translation; one that was not resolved from GoogleSQL has no facts. */
export type FactualColumn = Pick<OutputColumn, 'name' | 'type'> &
  Partial<Pick<OutputColumn, 'isNeverNull' | 'isSmallInteger'>>

export const checkedColumn = ({ name, type, isNeverNull, isSmallInteger }: FactualColumn): CheckedColumn => ({
  name,
  type: typeName(type),
  ...(isNeverNull && { required: true }),
  ...(isSmallInteger && { json: 'number' }),
})
