/**
 * The passes that change a plan before it is written as SQL, in this order; nothing else changes a plan. Each pass is a file
 * whose first comment says what it expects of a plan (before) and what holds for its result (after). The analyses in analysis/
 * only read a plan.
 */
import type { ResolvedQuery } from '../../googlesql/plan/nodes.js'
import { type Delay, delayConstants } from './delayed-constants.js'
import { computeWithinFrames } from './frame-arguments.js'
import { orderGroupTies } from './group-ties.js'
import { guardBranches } from './guard-branches.js'
import { applyHaving } from './having-extreme.js'
import { hoistArguments } from './hoist-arguments.js'
import { hoistSubqueries } from './hoist-subqueries.js'
import { checkIntervalKeys } from './interval-keys.js'
import { moveJoinConditions } from './join-conditions.js'
import { limitBeforeUnnest } from './limit-before-unnest.js'
import { prune } from './prune.js'
import { narrowQuantiles } from './quantile-offsets.js'

export interface PassOptions {
  /** Which constants are evaluated only for the rows that reach them, see delayed-constants.ts; null for none. */
  readonly delay: Delay | null
  /** Whether the query may fail where too few rows were read, see limit-before-unnest.ts. */
  readonly limitsEarly: boolean
}

export interface Pass {
  /** The name of the pass's file, without the extension. */
  readonly name: string
  readonly why: string
  readonly run: (query: ResolvedQuery, options: PassOptions) => ResolvedQuery
}

/** The passes that run first, for every query. */
export const PASSES: readonly Pass[] = [
  {
    name: 'delayed-constants',
    why: 'DuckDB computes constants while it plans, and fails for one that no row reaches',
    run: (query, { delay }) => delayConstants(query, delay),
  },
  {
    name: 'guard-branches',
    why: 'DuckDB computes a subquery ahead of the CASE around it, and fails for a branch that is not taken',
    run: (query, { delay }) => guardBranches(query, delay === 'rows'),
  },
  { name: 'prune', why: 'expressions that nothing reads need not be computed, and then cannot fail', run: prune },
  {
    name: 'group-ties',
    why: 'DuckDB returns groups in the order of its hash table, which differs from run to run',
    run: orderGroupTies,
  },
  {
    name: 'quantile-offsets',
    why: 'the quantiles that a query reads are cheaper than all those that APPROX_QUANTILES gives',
    run: narrowQuantiles,
  },
  {
    name: 'hoist-subqueries',
    why: 'DuckDB plans deeply nested subqueries in exponential time, and common table expressions in linear time',
    run: hoistSubqueries,
  },
  {
    name: 'limit-before-unnest',
    why: 'the lists of rows that a LIMIT leaves out need not be read',
    run: (query, { limitsEarly }) => (limitsEarly ? limitBeforeUnnest(query) : query),
  },
]

/** The passes that run last: they replace features that DuckDB does not have. */
export const LAST_PASSES: readonly Pass[] = [
  {
    name: 'interval-keys',
    why: 'DuckDB tells INTERVALs of equal length apart where the signs of their parts differ',
    run: checkIntervalKeys,
  },
  {
    name: 'join-conditions',
    why: 'DuckDB has no outer joins whose condition has a subquery or reads an outer query',
    run: moveJoinConditions,
  },
  { name: 'having-extreme', why: 'DuckDB has no HAVING MAX and HAVING MIN in an aggregate', run: applyHaving },
  {
    name: 'frame-arguments',
    why: 'DuckDB computes the arguments of a window function for rows that are in no frame, and fails for them',
    run: computeWithinFrames,
  },
  {
    name: 'hoist-arguments',
    why: 'arguments that an aggregate would compute several times, or could not read, are columns of its input',
    run: hoistArguments,
  },
]

export const runPasses = (query: ResolvedQuery, passes: readonly Pass[], options: PassOptions): ResolvedQuery =>
  passes.reduce((current, pass) => pass.run(current, options), query)
