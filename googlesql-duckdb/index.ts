/**
 * Translates GoogleSQL to DuckDB SQL; does not load DuckDB. Code outside may import only this file, names-and-types.ts and
 * runtime/index.ts.
 */

export type * from '../googlesql/index.js'
export type { SqlMistake } from '../googlesql/mistakes.js'
export { monthLength } from '../googlesql/values/civil-date.js'
export type { FalliblePlaces } from './analysis/tolerate.js'
export { quoteName, quotePath, quoteText } from './emit/quote.js'
export type { PartitionRead, ShardCondition, ShardRead } from './emit/shard-views.js'
export { duckdbType } from './emit/type.js'
export type { GeneratedSql, GenerateOptions } from './generate.js'
export type { Delay } from './passes/delayed-constants.js'
export { type TranslatedQuery, translate } from './translate.js'
export { wholeTables } from './whole-tables.js'
