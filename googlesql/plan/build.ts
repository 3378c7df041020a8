/** Makes nodes of the plan, so that the fields of a node are filled in one place. */
import type { Type } from '../types/types.js'
import type {
  AggregateCall,
  AggregateScan,
  CallExpr,
  CaseExpr,
  CastExpr,
  Column,
  ColumnExpr,
  Computed,
  Expr,
  FilterScan,
  LiteralExpr,
  ProjectScan,
  Scan,
} from './nodes.js'

/** A scalar call whose arguments are coerced already. */
export const call = (
  name: string,
  type: Type,
  args: readonly (Expr | null)[],
  at: number,
  isSafe = false,
): CallExpr => ({ kind: 'call', type, name, arguments: args, isSafe, at })

export const literal = (type: Type, value: LiteralExpr['value'], at: number): LiteralExpr => ({
  kind: 'literal',
  type,
  value,
  at,
})

export const columnExpr = (column: Column, isCorrelated: boolean, at: number): ColumnExpr => ({
  kind: 'column',
  type: column.type,
  column,
  isCorrelated,
  at,
})

/** A cast without a format. */
export const castExpr = (operand: Expr, type: Type, isImplicit: boolean): CastExpr => ({
  kind: 'cast',
  type,
  operand,
  isSafe: false,
  isImplicit,
  format: null,
  timeZone: null,
  typeParameters: null,
  at: operand.at,
})

/** `CASE WHEN when THEN then ELSE otherwise END`; `otherwise` is null for ELSE NULL. */
export const caseWhen = (when: Expr, then: Expr, otherwise: Expr | null, at: number = then.at): CaseExpr => ({
  kind: 'case',
  type: then.type,
  branches: [{ when, then }],
  otherwise,
  at,
})

/** An aggregate call with arguments and no other clause. */
export const aggregateCall = (name: string, type: Type, args: readonly Expr[], at: number): AggregateCall => ({
  type,
  name,
  arguments: args,
  isDistinct: false,
  ignoresNulls: false,
  having: null,
  orderBy: [],
  limit: null,
  filter: null,
  isSafe: false,
  at,
})

/** GROUP BY without grouping sets: the keys, and then the aggregates. */
export const aggregateScan = (
  input: Scan,
  keys: readonly Computed[],
  aggregates: AggregateScan['aggregates'] = [],
): AggregateScan => ({
  kind: 'aggregate',
  input,
  keys,
  aggregates,
  groupingSets: null,
  groupingCalls: [],
  columns: [...keys, ...aggregates].map(({ column }) => column),
})

export const filterScan = (input: Scan, condition: Expr): FilterScan => ({
  kind: 'filter',
  input,
  condition,
  columns: input.columns,
})

/** The scan with computed columns after its own columns. */
export const withComputed = (input: Scan, computed: readonly Computed[]): ProjectScan => ({
  kind: 'project',
  input,
  computed,
  columns: [...input.columns, ...computed.map(({ column }) => column)],
})

/** The scan with only these columns, in this order. */
export function project(scan: Scan, columns: readonly Column[]): Scan {
  const isSame =
    scan.columns.length === columns.length && scan.columns.every((column, i) => column.id === columns[i]!.id)
  return isSame ? scan : { kind: 'project', input: scan, computed: [], columns }
}
