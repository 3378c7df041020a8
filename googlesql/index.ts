/**
 * GoogleSQL: text to tokens, to a syntax tree, to a plan with types. Code outside this folder imports only this file or
 * data.ts.
 */

export type { Proposal } from './advice/context.js'
export { meantType } from './advice/foreign-names.js'
export { type AdvisedMessage, blamedOffset, withAdvice } from './advice/with-advice.js'
export type * from './ast/nodes.js'
export type { Absence, BrokenTables } from './broken-tables.js'
export type { ConstantCall } from './constant-calls.js'
export { type ConstantChecks, constantChecks, type WrongConstant, zoneParameters } from './constant-checks.js'
export * from './data.js'
export { type FunctionSignature, functionSignature, isSameSql } from './function-signature.js'
export type { FunctionKind, Refusal, Volatility } from './functions/catalogue.js'
export { volatilityOf } from './functions/facts.js'
export { type ListedFunction, listFunctions, listRefusals } from './functions/listing.js'
export { ingestionTimeColumns } from './ingestion-time.js'
export { RESERVED_KEYWORDS } from './lex/keywords.js'
export { checkCharacters, endOf, readToken, skipBlank, type Token, type TokenKind, tokenize } from './lex/tokenize.js'
export {
  type MistakeData,
  type Named,
  type Proposing,
  rootOf,
  type SyntaxForm,
} from './mistakes.js'
export { parseScript } from './parse/parse.js'
export type { BodyText, StoredDefinition } from './parse/udf.js'
export type * from './plan/nodes.js'
export type { TimeBound, TimeWindow } from './refresh/bounds.js'
export { type KeptQuery, type KeptQueryOptions, keptQuery, type UpperQuery } from './refresh/kept-query.js'
export type { NotKept } from './refresh/not-kept.js'
export type { Cells } from './refresh/time-cells.js'
export type { TableTime, TimeType } from './refresh/time-column.js'
export type { TimeExpr } from './refresh/time-expr.js'
export {
  boundaryAfter,
  boundaryBefore,
  bucketBoundary,
  bucketMicros,
  closedWindow,
  firstTime,
  justBefore,
  lastTime,
  timeValue,
} from './refresh/window.js'
export { impliedName } from './resolve/expressions/expression.js'
export { inferParameters, type UndeclaredParameter } from './resolve/infer-parameters.js'
export { functionMistakes, resolveQuery } from './resolve/resolve.js'
export type { FunctionMistake } from './resolve/stored-functions.js'
export { offsetOf, orMistake, type Place, SqlError } from './sql-error.js'
export {
  type FunctionCatalogue,
  type FunctionSource,
  type FunctionSources,
  NO_FUNCTIONS,
  type StoredFunction,
  storedFunction,
} from './stored-functions.js'
export type { Wildcard } from './table-definition.js'
export {
  fieldsToColumns,
  fieldType,
  requiredPaths,
  type SchemaField,
  standardTypeName,
  type TableCatalogue,
  type TableNaming,
  tableCatalogue,
  typeLimits,
} from './tables.js'
export { type BrokenPath, type ColumnPath, findColumnPath } from './tenants/column-path.js'
export type { TenantParameter } from './tenants/conditions.js'
export type { TenantScan } from './tenants/relation.js'
export { type TenantColumnOf, unboundedScans } from './tenants/unbounded-scans.js'
export type { ArrayType } from './types/types.js'
export type { CanonicalJson } from './values/json-text.js'
export { newestShard, wildcardOver } from './wildcard-tables.js'
export type { WrittenConstant } from './write-constant.js'
