/** Passes an expensive argument that the SQL reads several times to a lambda, so that DuckDB computes it once. */
import { isVolatile } from '../../googlesql/functions/facts.js'
import type { Expr } from '../../googlesql/plan/nodes.js'
import { columnsRead, hasSubquery, partsOf, readsColumn } from '../../googlesql/plan/walk.js'
import { INT64 } from '../../googlesql/types/types.js'
import { WRITERS } from '../functions/all.js'
import type { FieldsSql } from '../functions/function-sql.js'
import { type Entry, type Env, entryOf, type SqlScope } from './context.js'
import { type Fragment, fill, fragment, path, slot, templateOf, writesLambda } from './fragment.js'
import { keepNameIfMacro } from './keep-name.js'
import { variable } from './quote.js'
import { columnEntry } from './scans/select-block.js'

type Args = readonly (Expr | null)[]
export type Parts = readonly (Fragment | null)[]
/** Writes the SQL of a call, given the SQL of each argument: a slot, a word, or a struct_pack call with a slot for each field. */
export type Write = (sql: readonly (string | null)[], fields?: readonly (FieldsSql | undefined)[]) => string

/** The arguments as slots of a template; words are written as they are. */
const slotsOf = (args: Args, parts: Parts): (string | null)[] =>
  parts.map((part, i) => (part === null ? null : args[i]?.kind === 'word' ? part.text : slot(i)))

/**
 * The SQL that `write` returns for the arguments. `write` receives a struct_pack argument with one slot for each field, so that
 * it can use a field without the struct.
 */
export function writeCall(args: Args, parts: Parts, write: Write): Fragment {
  const all = [...parts]
  const withSlots = (part: Fragment, index: number): FieldsSql[number] => {
    const fields = part.fields?.map(({ sql }) => withSlots(sql, all.push(sql) - 1))
    if (!fields) return { sql: slot(index) }
    return {
      sql: `struct_pack(${fields.map(({ sql }, i) => `${part.fields![i]!.name} := ${sql}`).join(', ')})`,
      fields,
    }
  }
  const pieces = parts.map((part, i) => part && (args[i]?.kind === 'word' ? { sql: part.text } : withSlots(part, i)))
  return fill(
    write(
      pieces.map(part => part?.sql ?? null),
      pieces.map(part => part?.fields),
    ),
    all,
  )
}

/**
 * The SQL that `write` returns for the arguments. An argument that the SQL would repeat becomes the argument of a lambda around the SQL, so
 * that it is computed once. So does an argument marked in `isBound`, if it is not a column or a constant.
 *
 * A lambda costs some tens of nanoseconds per row, so cheap arguments are computed twice instead. DuckDB allows no subqueries
 * in lambdas; SQL with a subquery stays as it is.
 */
export function shareArguments(
  args: Args,
  parts: Parts,
  write: (parts: Parts) => Fragment,
  env: Env,
  isBound: readonly boolean[] = [],
): Fragment {
  const costs = args.map((argument, i) => costOfArgument(argument) || costOfEntry(argument, parts[i]!))
  if (costs.every(cost => cost === 0)) return write(parts)
  const mustBind = costs.map((cost, i) => cost > 0 && (isBound[i] ?? false))
  const slots = parts.map((part, i) => (part && args[i]?.kind !== 'word' ? path(slot(i)) : part))
  const template = templateOf(write(slots).text)
  if (template.hasQuery) return write(parts)
  const chosen = args.flatMap((argument, i) => {
    if (costs[i] === 0) return []
    const extra = (template.uses.get(i) ?? 0) - 1
    const isRandom = argument !== null && isVolatile(argument)
    const isShared =
      extra > 0 && (isRandom || isWorthBinding(costs[i]!, extra) || isLarge(parts[i]!, isFolded(argument) ? 1 : extra))
    return mustBind[i] || isShared ? [i] : []
  })
  if (chosen.length === 0) return write(parts)
  args.forEach((argument, i) => {
    if (argument && !chosen.includes(i) && (hasSubquery(argument) || parts[i]!.hasQuery)) chosen.push(i)
  })
  // DuckDB binds the body of a lambda several times, so that nested bodies would take exponential time. So an argument that contains a
  // lambda becomes an argument of this lambda, too, and is not in its body.
  args.forEach((argument, i) => {
    if (argument && !chosen.includes(i) && costs[i]! > 0 && parts[i]!.hasLambda) chosen.push(i)
  })
  // In a correlated subquery, DuckDB's lambdas cannot capture outer columns. If the lambda's argument reads an outer column, they cannot
  // capture any column. So every argument that reads columns becomes part of the lambda's argument.
  const isCorrelated = args.some(argument => argument !== null && readsOuter(argument, env.scope))
  if (isCorrelated) {
    args.forEach((argument, i) => {
      if (argument && !chosen.includes(i) && columnsRead([argument]).size > 0) chosen.push(i)
    })
  }
  const name = variable(env.newColumn('', args[chosen[0]!]!.type))
  const reference = (i: number): Fragment => path(chosen.length === 1 ? name : `${name}.a${i}`)
  const inner = write(parts.map((part, i) => (chosen.includes(i) ? reference(i) : part)))
  const packed =
    chosen.length === 1
      ? parts[chosen[0]!]!
      : fragment`struct_pack(${chosen.map(i => fragment`a${i} := ${isCorrelated ? keepNameIfMacro(parts[i]!) : parts[i]!}`)})`
  return applyLambda(packed, name, inner)
}

/**
 * Evaluates `body`, in which `name` is bound to the value, by a lambda over a list of one:
 * `list_extract(list_transform([value], lambda x$: body), 1)`.
 */
export const applyLambda = (value: Fragment, name: string, body: Fragment): Fragment =>
  fragment`list_extract(list_transform([${value}], lambda ${name}: ${body}), 1)`

export type Captures = NonNullable<ReturnType<typeof capturesOf>>

/**
 * The columns that lambdas among a call's arguments read, as fields of the struct from which the call is computed, and the scope in which
 * the lambdas are written. Null where lambdas may read the columns themselves: no argument reads an outer column, and no lambda reads a
 * column whose SQL is a subquery.
 */
export function capturesOf(args: Args, env: Env) {
  const lambdas = args.filter(argument => argument?.kind === 'lambda')
  if (lambdas.length === 0) return null
  const isForeign = args.some(argument => argument !== null && readsOuter(argument, env.scope))
  if (!isForeign && !lambdas.some(lambda => readsQuery(lambda, env.scope))) return null
  const struct = variable(env.newColumn('', INT64))
  const entries = new Map<number, Entry>()
  const fields: Fragment[] = []
  for (const id of columnsRead(lambdas as Expr[])) {
    const entry = entryOf(id, env.scope)
    if (!entry) continue
    entries.set(id, columnEntry(entry.column, path(`${struct}.k${fields.length}`)))
    fields.push(entry.sql)
  }
  const scope: SqlScope = { entries, outer: env.scope, isLambda: true }
  return { struct, scope, fields }
}

/** Whether the expression reads a column whose SQL contains a subquery, as the value of a `let` binding may. */
export function readsQuery(expr: Expr, scope: SqlScope | null): boolean {
  return [...columnsRead([expr])].some(id => entryOf(id, scope)?.sql.hasSelect)
}

/**
 * The SQL that `write` returns for the arguments, in a form that is valid in any subquery. DuckDB looks for all columns of a lambda in one
 * query. So where a call contains a lambda and reads outer columns, all columns that it reads become fields of one struct, and the call
 * reads only that struct. Subqueries become fields too, since a lambda may not contain them.
 */
export function withCapturedColumns(
  args: Args,
  parts: Parts,
  write: Write,
  captures: Captures | null,
  env: Env,
): Fragment {
  const hasSelect = parts.some(part => part?.hasSelect)
  if (!captures && !hasSelect && !args.some(argument => argument !== null && readsOuter(argument, env.scope))) {
    return writeCall(args, parts, write)
  }
  const isPacked = args.map(argument => argument !== null && argument.kind !== 'lambda' && !isConstantPart(argument))
  if (!captures && !writesLambda(write(slotsOf(args, parts)))) return writeCall(args, parts, write)
  const struct = captures?.struct ?? variable(env.newColumn('', INT64))
  const inner = writeCall(
    args,
    parts.map((part, i) => (isPacked[i] ? path(`${struct}.a${i}`) : part)),
    write,
  )
  const fields = [
    ...parts.flatMap((part, i) => (isPacked[i] ? [fragment`a${i} := ${keepNameIfMacro(part!)}`] : [])),
    ...(captures?.fields.map((part, i) => fragment`k${i} := coalesce(${part}, NULL)`) ?? []),
  ]
  return applyLambda(fragment`struct_pack(${fields})`, struct, inner)
}

/**
 * Whether the argument is constant. Constants are not put into the struct: functions handle constants specially, and the SQL of
 * a constant is valid in every place.
 */
const isConstantPart = (expr: Expr): boolean => expr.kind === 'word' || isFolded(expr)

/** Whether a lambda is cheaper than repeating the argument. A function costs more than a lambda, operators only by the dozen. */
const isWorthBinding = (cost: number, extraUses: number): boolean =>
  cost >= 10 ? extraUses > 0 : cost * extraUses >= 60

/**
 * Whether the repeated text is so large that nested calls would make DuckDB plan for seconds. DuckDB's binder processes each
 * copy, so copies of more than a constant size at each level make the plan grow exponentially with the depth of the query.
 */
export const isLarge = (sql: Fragment, extraUses: number): boolean => sql.size * extraUses > MAX_REPEATED_SIZE
const MAX_REPEATED_SIZE = 24

/**
 * Whether the expression contains an outer reference: it reads a column of a query around the query that the scope belongs to.
 */
export function readsOuter(expr: Expr, scope: SqlScope | null): boolean {
  let own = scope
  while (own?.isLambda) own = own.outer
  if (!own?.outer) return false
  for (const id of columnsRead([expr])) if (isOuter(id, scope)) return true
  return false
}

/**
 * Whether the column belongs to a query around the query of the scope. The scope of a lambda belongs to the query that contains
 * the lambda.
 */
function isOuter(id: number, scope: SqlScope | null): boolean {
  for (let current = scope; current; current = current.outer) {
    if (current.entries.has(id)) return false
    if (!current.isLambda) break
  }
  return entryOf(id, scope) !== null
}

/**
 * The cost of a column whose SQL is more than a name, such as the aggregate of a list that is written in place of the column.
 */
const costOfEntry = (argument: Expr | null, sql: Fragment | null): number =>
  argument?.kind === 'column' && sql !== null && sql.size > MAX_READ_SIZE ? 1 : 0
const MAX_READ_SIZE = 8

function costOfArgument(argument: Expr | null): number {
  const cost = costOf(argument)
  return cost > 1 && isFolded(argument) ? 1 : cost
}

/** Whether DuckDB folds the expression: it computes the value once for the whole query. */
const isFolded = (expr: Expr | null): boolean =>
  expr !== null && !readsColumn(expr) && !isVolatile(expr) && !hasSubquery(expr)

/**
 * The rough cost of an expression per row, in tens of nanoseconds: 0 for a column or constant, 1 for an operator, 10 for a
 * function.
 */
export function costOf(expr: Expr | null): number {
  if (expr === null) return 0
  switch (expr.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'word':
    case 'lambda':
      return 0
    case 'field':
      return costOf(expr.operand)
    case 'call':
      return (
        sum(expr.arguments.map(costOf)) +
        (expr.name.startsWith('$') && !WRITERS.get(expr.name)?.isHeavyOperator ? 1 : 10)
      )
    case 'cast':
      return costOf(expr.operand) + (CHEAP_CASTS.has(`${expr.operand.type.kind} ${expr.type.kind}`) ? 1 : 10)
    case 'subquery':
    case 'in-query':
      return 100
    default:
      return 1 + sum(partsOf(expr).map(costOf))
  }
}

const CHEAP_CASTS = new Set([
  'INT64 FLOAT64',
  'INT64 NUMERIC',
  'BOOL INT64',
  'DATE DATETIME',
  'DATE TIMESTAMP',
  'DATETIME TIMESTAMP',
])

const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0)
