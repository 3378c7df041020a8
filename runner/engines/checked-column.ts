/** Turns columns of a resolved query into columns of an engine's check. */
import { type OutputColumn, type OutputFacts, typeName } from '../../googlesql/index.js'
import type { CheckedColumn, ColumnPromise } from '../model/query.js'

/** A column of a query; without facts if the query was not resolved from GoogleSQL. */
type QueryColumn = Pick<OutputColumn, 'name' | 'type'> & Partial<OutputFacts>

export const checkedColumn = ({ name, type, isNeverNull, isSmallInteger, fields }: QueryColumn): CheckedColumn => ({
  name,
  type: typeName(type),
  ...(isNeverNull && { required: true }),
  ...(isSmallInteger && { json: 'number' }),
  ...(fields && { fields: fields.map(promiseOf) }),
})

const promiseOf = ({ isNeverNull, isSmallInteger, fields }: OutputFacts): ColumnPromise => ({
  required: isNeverNull,
  json: isSmallInteger ? 'number' : null,
  ...(fields && { fields: fields.map(promiseOf) }),
})
