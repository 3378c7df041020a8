/** The types that the parameters of a manifest have in its SQL. */
import { parseTypeName, type Type } from '../../googlesql/index.js'
import { bigqueryType } from '../../runner/manifest/bigquery-type.js'
import type { ParameterType } from '../../runner/model/param.js'

type Parameters = Readonly<Record<string, { readonly type?: unknown }>>

/** The types by name, @now included; a parameter whose type is not known is left out. */
export const typesOfParameters = (parameters: Parameters): Readonly<Record<string, Type>> =>
  Object.fromEntries(
    Object.entries({ now: { type: 'timestamp' }, ...parameters }).flatMap(([name, { type }]) => {
      const sqlType = typeof type === 'string' ? parseTypeName(bigqueryType(type as ParameterType)) : undefined
      return sqlType ? [[name, sqlType]] : []
    }),
  )
