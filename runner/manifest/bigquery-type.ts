/** BigQuery's name for a parameter's type. */
import type { ParameterType } from '../model/param.js'

/** `array<int64>` is `ARRAY<INT64>`. */
export const bigqueryType = (type: ParameterType): string => type.toUpperCase()
