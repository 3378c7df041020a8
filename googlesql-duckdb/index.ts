/**
 * Translates GoogleSQL to DuckDB SQL; does not load DuckDB. Code outside may import only this file, names-and-types.ts and
 * runtime/index.ts.
 */

// The types of googlesql/index.ts are listed one by one, because `export type *` would also export the names of its functions, which a
// program could then import but not call.
export type * from '../googlesql/ast/nodes.js'
export type {
  Absence,
  ArrayType,
  BodyText,
  ConstantCall,
  ConstantChecks,
  FunctionCatalogue,
  FunctionSource,
  InformationSchemaView,
  PartitionUnit,
  ScalarKind,
  ScalarType,
  Shard,
  StoredDefinition,
  StoredFunction,
  StructField,
  StructType,
  TableCatalogue,
  TableDefinition,
  TableNaming,
  TextEncoding,
  TextForm,
  Type,
  TypeLimits,
  UnreadableColumn,
  Wildcard,
  WrittenConstant,
  WrongConstant,
} from '../googlesql/index.js'
export type { MistakeData, Named, Proposing, SqlMistake, SyntaxForm } from '../googlesql/mistakes.js'
export type * from '../googlesql/plan/nodes.js'
export { monthLength } from '../googlesql/values/civil-date.js'
export type { FalliblePlaces } from './analysis/tolerate-failures.js'
export { quoteName, quotePath, quoteText } from './emit/quote.js'
export type { PartitionRead, ShardCondition, ShardRead } from './emit/shard-views.js'
export { duckdbType } from './emit/type.js'
export type { GeneratedSql, GenerateOptions } from './generate.js'
export type { Delay } from './passes/delayed-constants.js'
export { type TranslatedQuery, translate } from './translate.js'
export { wholeTables } from './whole-tables.js'
