/** Which members of each kind of node are its parts. */
import type { Parts } from '../parts.js'
import type { Expr, Scan } from './nodes.js'

const SORT_KEY = { expr: 'expr' } as const
const BOUND = { offset: 'expr' } as const

export const CALL_PARTS = {
  arguments: 'expr',
  having: { expr: 'expr' },
  orderBy: SORT_KEY,
  limit: 'expr',
  filter: 'expr',
} as const
export const WINDOW_PARTS = {
  call: CALL_PARTS,
  partitionBy: 'expr',
  orderBy: SORT_KEY,
  frame: { start: BOUND, end: BOUND },
} as const

/**
 * The expressions (`expr`) and scans (`scan`) directly in a node, and the columns (`column`) that it names. Except in a node
 * of kind `column`, these are columns that the node defines or outputs.
 */
export const PARTS: Readonly<Record<Expr['kind'] | Scan['kind'], Parts>> = {
  literal: {},
  parameter: {},
  word: {},
  column: { column: 'column' },
  call: { arguments: 'expr' },
  cast: { operand: 'expr', format: 'expr', timeZone: 'expr' },
  field: { operand: 'expr' },
  struct: { fields: 'expr' },
  array: { items: 'expr' },
  case: { branches: { when: 'expr', then: 'expr' }, otherwise: 'expr' },
  subquery: { scan: 'scan' },
  'in-query': { operand: 'expr', scan: 'scan' },
  lambda: { parameters: 'column', body: 'expr' },
  let: { bindings: { column: 'column', expr: 'expr' }, result: 'expr' },

  'one-row': {},
  table: { columns: 'column' },
  cte: { columns: 'column' },
  unnest: { columns: 'column', element: 'column', offset: 'column', array: 'expr', condition: 'expr', input: 'scan' },
  join: { columns: 'column', condition: 'expr', left: 'scan', right: 'scan' },
  filter: { columns: 'column', condition: 'expr', input: 'scan' },
  project: { columns: 'column', computed: { column: 'column', expr: 'expr' }, input: 'scan' },
  aggregate: {
    columns: 'column',
    keys: { column: 'column', expr: 'expr' },
    aggregates: { column: 'column', call: CALL_PARTS },
    groupingCalls: { column: 'column' },
    input: 'scan',
  },
  window: { columns: 'column', functions: { column: 'column', call: WINDOW_PARTS }, input: 'scan' },
  set: { columns: 'column', inputs: 'scan' },
  order: { columns: 'column', keys: SORT_KEY, input: 'scan' },
  limit: { columns: 'column', limit: 'expr', offset: 'expr', input: 'scan' },
  with: {
    columns: 'column',
    ctes: { columns: 'column', scan: 'scan', recursion: { terms: 'scan' } },
    body: 'scan',
  },
}
