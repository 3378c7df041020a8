/** Which features of BigQuery's language work, and how many of the cases in test/cases/googlesql/ show each of them. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Call, Query, Script } from '../googlesql/ast/nodes.js'
import { childrenOf, type Node } from '../googlesql/ast/walk.js'
import { allFunctions, findFunction } from '../googlesql/functions/all.js'
import type { FunctionEntry, Refusal } from '../googlesql/functions/catalogue.js'
import { documentationUrl, listRefusals } from '../googlesql/functions/listing.js'
import { SPECIAL_SYNTAX } from '../googlesql/functions/special-syntax.js'
import { parseScript } from '../googlesql/parse/parse.js'
import type { Expr } from '../googlesql/plan/nodes.js'
import { visitScan } from '../googlesql/plan/walk.js'
import { resolveQuery } from '../googlesql/resolve/resolve.js'
import { SqlError } from '../googlesql/sql-error.js'
import { type TableCatalogue, tableCatalogue } from '../googlesql/tables.js'
import { parseTypeName } from '../googlesql/types/parse-type-name.js'
import { isRangeKind, type Type } from '../googlesql/types/types.js'
import { caseFiles, caseTables, readCases, type SqlCase } from '../test/googlesql/case-files.js'
import { ENGINE_LIMITS, REFUSED_CLAUSES } from './refused-clauses.js'

/** A case as its syntax tree and its plan. */
interface Examined {
  readonly error: string
  readonly script: Script | null
  readonly nodes: readonly Node[]
  /** The functions that it calls, as the catalogue and the special syntax name them. */
  readonly functions: ReadonlySet<string>
  /** The kinds of types of all expressions of its plan. */
  readonly types: ReadonlySet<string>
}

export interface Row {
  readonly group: string
  readonly feature: string
  readonly documentation: string
  readonly how: string
  readonly cases: number
}

type Shows = (one: Examined) => boolean

const QUERY = 'query-syntax'
const WORKS = 'works'

function examine(each: SqlCase, catalogue: TableCatalogue): Examined {
  const error = each.error ?? ''
  let script: Script
  try {
    script = parseScript(each.sql)
  } catch (thrown) {
    if (!(thrown instanceof SqlError)) throw thrown
    return { error, script: null, nodes: [], functions: new Set(), types: new Set() }
  }
  const nodes: Node[] = []
  const add = (node: Node): void => {
    nodes.push(node)
    for (const child of childrenOf(node)) add(child)
  }
  add(script.query)
  for (const { body } of script.functions) if (body.kind !== 'javascript') add(body)
  for (const { value } of script.variables) if (value !== null) add(value)
  return { error, script, nodes, functions: functionsOf(nodes), types: typesOf(each, catalogue) }
}

function functionsOf(nodes: readonly Node[]): Set<string> {
  const names = new Set<string>()
  for (const node of nodes) {
    if (node.kind === 'call') names.add(calledName(node))
    if (node.kind === 'cast') names.add(node.isSafe ? 'SAFE_CAST' : 'CAST')
    if (node.kind === 'extract' || node.kind === 'interval' || node.kind === 'case') names.add(node.kind.toUpperCase())
    if (node.kind === 'subquery' && 'form' in node && node.form !== 'scalar') names.add(node.form.toUpperCase())
  }
  return names
}

function calledName({ path }: Call): string {
  const name = path.map(part => part.name.toUpperCase()).join('.')
  const own = name.startsWith('SAFE.') ? name.slice('SAFE.'.length) : name
  return findFunction(own)?.name ?? own
}

/** The kinds of types in the plan of the case; empty where the case has no plan. */
function typesOf({ sql, parameters = {} }: SqlCase, catalogue: TableCatalogue): Set<string> {
  const types = new Set<string>()
  const add = (type: Type): void => {
    types.add(isRangeKind(type.kind) ? 'RANGE' : type.kind)
    if (type.kind === 'ARRAY') add(type.element)
    if (type.kind === 'STRUCT') for (const field of type.fields) add(field.type)
  }
  const declared = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!])
  try {
    const { columns, scan } = resolveQuery(sql, catalogue, Object.fromEntries(declared))
    for (const { type } of columns) add(type)
    visitScan(scan, (expr: Expr) => add(expr.type))
  } catch (thrown) {
    if (!(thrown instanceof SqlError)) throw thrown
  }
  return types
}

const some =
  (test: (node: Node) => boolean): Shows =>
  one =>
    one.nodes.some(test)
const kind = (...kinds: readonly Node['kind'][]): Shows => some(node => kinds.includes(node.kind))
const inScript =
  (test: (script: Script) => boolean): Shows =>
  one =>
    one.script !== null && test(one.script)
const query = (test: (query: Query) => boolean): Shows => some(node => node.kind === 'query' && test(node))
const calls = (test: (call: Call) => boolean): Shows => some(node => node.kind === 'call' && test(node))
const reads = (test: (names: readonly string[]) => boolean): Shows =>
  some(node => node.kind === 'table' && test(node.path.map(part => part.name)))
const mentions = (...names: readonly string[]): Shows =>
  some(
    node =>
      (node.kind === 'name' && names.includes(node.name.toUpperCase())) ||
      (node.kind === 'dot' && names.includes(node.name.name.toUpperCase())),
  )
const groups = (...kinds: readonly string[]): Shows =>
  some(
    node =>
      (node.kind === 'select' || node.kind === 'pipe-aggregate') &&
      (node.groupBy?.items.some(item => kinds.includes(item.kind)) ?? false),
  )

const TYPES = [
  ...['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL', 'STRING', 'BYTES', 'DATE', 'TIME', 'DATETIME', 'TIMESTAMP'],
  ...['INTERVAL', 'JSON', 'ARRAY', 'STRUCT', 'RANGE', 'GEOGRAPHY'],
]
function anchorOfType(type: string): string {
  if (type === 'BOOL') return 'boolean_type'
  if (/^(?:INT|FLOAT)64$/.test(type)) return 'numeric_types'
  return /NUMERIC$/.test(type) ? 'decimal_types' : `${type.toLowerCase()}_type`
}

const CLAUSES: readonly (readonly [feature: string, documentation: string, shows: Shows])[] = [
  ['WITH', `${QUERY}#with_clause`, query(({ ctes }) => ctes.length > 0)],
  ['WITH RECURSIVE', `${QUERY}#recursive_keyword`, query(({ isRecursive }) => isRecursive)],
  ['JOIN', `${QUERY}#join_types`, kind('join', 'pipe-join')],
  [
    'LEFT, RIGHT and FULL JOIN',
    `${QUERY}#join_types`,
    some(node => (node.kind === 'join' || node.kind === 'pipe-join') && ['left', 'right', 'full'].includes(node.join)),
  ],
  ['USING', `${QUERY}#using_clause`, some(node => node.kind === 'join' && node.using !== null)],
  ['UNNEST', `${QUERY}#unnest_operator`, kind('unnest')],
  [
    'WITH OFFSET',
    `${QUERY}#unnest_operator`,
    some(node => (node.kind === 'unnest' || node.kind === 'table') && node.offset !== null),
  ],
  [
    'Subqueries in expressions',
    'subqueries#expression_subquery_concepts',
    some(node => (node.kind === 'subquery' && 'form' in node) || node.kind === 'in-query'),
  ],
  ['GROUP BY', `${QUERY}#group_by_clause`, some(node => node.kind === 'select' && node.groupBy !== null)],
  ['GROUP BY ALL', `${QUERY}#group_by_all`, some(node => node.kind === 'select' && node.groupBy?.isAll === true)],
  [
    'ROLLUP, CUBE and GROUPING SETS',
    `${QUERY}#group_by_grouping_item`,
    groups('rollup', 'cube', 'grouping-sets', 'empty'),
  ],
  ['HAVING', `${QUERY}#having_clause`, some(node => node.kind === 'select' && node.having !== null)],
  ['QUALIFY', `${QUERY}#qualify_clause`, some(node => node.kind === 'select' && node.qualify !== null)],
  ['Window functions: OVER', 'window-function-calls', calls(({ over }) => over !== null)],
  [
    'Frames: ROWS and RANGE',
    'window-function-calls#def_window_frame',
    calls(({ over }) => over !== null && over.frame !== null),
  ],
  ['WINDOW', `${QUERY}#window_clause`, some(node => node.kind === 'select' && node.windows.length > 0)],
  ['UNION, INTERSECT and EXCEPT', `${QUERY}#set_operators`, kind('set-operation', 'pipe-set-operation')],
  [
    'BY NAME and CORRESPONDING',
    `${QUERY}#by_name_or_corresponding`,
    some(node => (node.kind === 'set-operation' || node.kind === 'pipe-set-operation') && node.match !== 'position'),
  ],
  ['PIVOT', `${QUERY}#pivot_operator`, kind('pivot', 'pipe-pivot')],
  ['UNPIVOT', `${QUERY}#unpivot_operator`, kind('unpivot', 'pipe-unpivot')],
  ['SELECT DISTINCT', `${QUERY}#select_distinct`, some(node => node.kind === 'select' && node.isDistinct)],
  [
    'SELECT AS STRUCT and AS VALUE',
    `${QUERY}#select_as_typename`,
    some(node => node.kind === 'select' && node.as !== null),
  ],
  [
    '`* EXCEPT` and `* REPLACE`',
    `${QUERY}#select_except`,
    some(
      node =>
        (node.kind === 'select' || node.kind === 'pipe-extend') &&
        node.items.some(item => item.kind === 'star' && (item.except.length > 0 || item.replace.length > 0)),
    ),
  ],
  ['ORDER BY', `${QUERY}#order_by_clause`, query(({ orderBy }) => orderBy.length > 0)],
  [
    'NULLS FIRST and NULLS LAST',
    `${QUERY}#order_by_clause`,
    query(({ orderBy }) => orderBy.some(item => item.nulls !== null)),
  ],
  ['LIMIT and OFFSET', `${QUERY}#limit_and_offset_clause`, query(({ limit }) => limit !== null)],
  ['Pipe syntax', 'pipe-syntax', some(node => node.kind === 'from' || node.kind.startsWith('pipe-'))],
  ['Query parameters: `@name`', 'lexical#query_parameters', kind('parameter')],
]

const TABLES: readonly (readonly [feature: string, documentation: string, shows: Shows])[] = [
  ['Wildcard tables', 'wildcard-table-reference', reads(names => names.some(name => name.endsWith('*')))],
  [
    '`_TABLE_SUFFIX`',
    'wildcard-table-reference#filtering_selected_tables_using_table_suffix',
    mentions('_TABLE_SUFFIX'),
  ],
  [
    'INFORMATION_SCHEMA',
    'information-schema-intro',
    reads(names => names.some(name => name.toUpperCase().includes('INFORMATION_SCHEMA'))),
  ],
]

const STATEMENTS: readonly (readonly [feature: string, documentation: string, shows: Shows])[] = [
  [
    'DECLARE and SET before the query',
    'procedural-language#declare',
    inScript(({ variables }) => variables.length > 0),
  ],
  [
    'Temporary functions in SQL',
    'user-defined-functions#sql-udf-structure',
    inScript(({ functions }) => functions.some(({ body }) => body.kind !== 'javascript')),
  ],
  [
    'Temporary functions with ANY TYPE',
    'user-defined-functions#templated-sql-udf-parameters',
    inScript(({ functions }) => functions.some(({ parameters }) => parameters.some(({ type }) => type === null))),
  ],
  [
    'Temporary functions in JavaScript',
    'user-defined-functions#javascript-udf-structure',
    inScript(({ functions }) => functions.some(({ body }) => body.kind === 'javascript')),
  ],
  [
    'Named arguments',
    'functions-reference#function_call_rules',
    calls(call => call.arguments.some(one => one.name !== null)),
  ],
  [
    '`SAFE.`',
    'functions-reference#safe_prefix',
    calls(({ path }) => path[0]!.name.toUpperCase() === 'SAFE' && path.length > 1),
  ],
]

const PAGE_NAMES: Readonly<Record<string, string>> = {
  'time-series-functions': 'Time series functions',
  'data-types': 'Literals',
  'bigqueryml-syntax-ai-generate': 'AI functions',
  'bigqueryml-syntax-predict': 'ML functions',
  'graph-sql-functions': 'Graph functions',
  'table-functions-built-in': 'Built-in table functions',
  aead_encryption_functions: 'AEAD encryption functions',
  dlp_functions: 'DLP encryption functions',
  hll_functions: 'HyperLogLog++ functions',
  json_functions: 'JSON functions',
  kll_functions: 'KLL quantile functions',
  net_functions: 'Net functions',
  objectref_functions: 'ObjectRef functions',
  vectorindex_functions: 'Vector index functions',
}
const pageName = (page: string): string =>
  PAGE_NAMES[page] ?? page.replace(/[-_]/g, ' ').replace(/^./, first => first.toUpperCase())
const pageOf = (documentation: string): string => documentation.split('#')[0]!

let examined: readonly Examined[] | undefined
function allExamined(): readonly Examined[] {
  if (!examined) {
    const catalogue = tableCatalogue([...caseTables()].map(([name, { columns }]) => ({ name, columns })))
    examined = caseFiles()
      .flatMap(readCases)
      .map(each => examine(each, catalogue))
  }
  return examined
}

const countOf = (shows: Shows): number => allExamined().filter(shows).length

/** The beginnings of messages that do not name the clause as the list of refused clauses does. */
const OTHER_MESSAGES: Readonly<Record<string, string>> = {
  'A statement other than one query, with DECLARE, SET and temporary functions before it':
    'Only one query (SELECT or WITH) is supported',
  'A positional parameter, ?': 'Positional parameters are not supported',
  'A system variable, @@name': 'System variables (@@) are not supported',
}

/** The number of cases that show that this clause is refused, including cases of syntax errors. */
export function casesOfClause(clause: string): number {
  const message = OTHER_MESSAGES[clause] ?? clause
  return [...allExamined().map(({ error }) => error), ...syntaxErrors()].filter(error => error.startsWith(message))
    .length
}

/** The number of cases that show that the function, or a function of its family, is refused. */
export function casesOfRefusedFunction(name: string): number {
  const named = new RegExp(
    `^(?:(?:Table f|F)unction )?${name.replaceAll('.', '\\.').replace('*', '\\w+')} is not supported`,
  )
  return countOf(({ error }) => named.test(error))
}

const SYNTAX_CASES = 'test/cases/googlesql-syntax/refused.yaml'
const syntaxErrors = (): readonly string[] =>
  (parse(readFileSync(SYNTAX_CASES, 'utf8')) as readonly { readonly error: string }[]).map(({ error }) => error)

/** The number of cases that call one of these functions. */
const casesOfFunctions = (names: readonly string[]): number =>
  countOf(({ functions }) => names.some(name => functions.has(name)))

/** The number of cases. */
export const numberOfCases = (): number => allExamined().length

/** The features whose result differs from BigQuery's, and the difference. */
export function differences(): readonly Row[] {
  const beyond = allFunctions()
    .filter(entry => entry.isBeyondBigQuery)
    .map(({ name }) => name)
  const approximate = ['APPROX_QUANTILES', 'APPROX_COUNT_DISTINCT', 'APPROX_TOP_COUNT', 'APPROX_TOP_SUM']
  const row = (feature: string, documentation: string, how: string, cases: number): Row => ({
    group: 'Differences',
    feature,
    documentation: documentationUrl(documentation),
    how,
    cases,
  })
  return [
    row(
      approximate.map(name => `\`${name}\``).join(', '),
      'approximate_aggregate_functions',
      'exact here; on BigQuery they are estimates',
      casesOfFunctions(approximate),
    ),
    row(
      `${beyond.length} functions that BigQuery's documentation does not have`,
      'functions-all',
      "they are in the open language's documentation and run here; BigQuery does not find them",
      casesOfFunctions(beyond),
    ),
    row(
      "The texts of JavaScript's own errors",
      'user-defined-functions#javascript-udf-structure',
      'those of QuickJS; BigQuery runs V8',
      countOf(
        one => one.error !== '' && (one.script?.functions.some(({ body }) => body.kind === 'javascript') ?? false),
      ),
    ),
  ]
}

/** The features that work, by group. */
export function conformance(): readonly Row[] {
  const row =
    (group: string) =>
    ([feature, documentation, shows]: readonly [string, string, Shows]): Row => ({
      group,
      feature,
      documentation: documentationUrl(documentation),
      how: WORKS,
      cases: countOf(shows),
    })
  const refused = new Map(REFUSED_CLAUSES.map(({ clause, reason }) => [clause, reason]))
  const types = TYPES.map((type): Row => {
    const reason = refused.get(`Type ${type}`)
    const isLimited = ENGINE_LIMITS.some(({ clause }) => clause.startsWith(`${type} `))
    return {
      group: 'Types',
      feature: type,
      documentation: documentationUrl(`data-types#${anchorOfType(type)}`),
      how: reason === undefined ? `${WORKS}${isLimited ? ', within limits' : ''}` : `refused: ${reason}`,
      cases: reason === undefined ? countOf(one => one.types.has(type)) : casesOfClause(`Type ${type}`),
    }
  })
  return [
    ...types,
    ...CLAUSES.map(row('Clauses')),
    ...TABLES.map(row('Tables')),
    ...STATEMENTS.map(row('Statements and calls')),
    ...families(),
  ]
}

/** The functions by page of BigQuery's documentation: how many work and how many are refused. */
function families(): readonly Row[] {
  const works = new Map<string, string[]>()
  const add = (page: string, name: string): void => void works.set(page, [...(works.get(page) ?? []), name])
  const isFunction = ({ name, isBeyondBigQuery }: FunctionEntry): boolean => !name.startsWith('$') && !isBeyondBigQuery
  for (const entry of allFunctions().filter(isFunction)) add(pageOf(entry.documentation), entry.name)
  for (const { name, documentation } of SPECIAL_SYNTAX) {
    if (documentation.includes('function') || documentation.includes('conditional')) add(pageOf(documentation), name)
  }
  for (const { documentation } of listRefusals()) {
    const page = pageOf(documentation.slice(documentationUrl('').length))
    if (!works.has(page)) works.set(page, [])
  }
  return [...works]
    .sort(([a], [b]) => (pageName(a) < pageName(b) ? -1 : 1))
    .map(([page, names]): Row => {
      const url = documentationUrl(page)
      const refused = listRefusals().filter(({ documentation }) => `${documentation}#`.startsWith(`${url}#`))
      return {
        group: 'Functions',
        feature: pageName(page),
        documentation: url,
        how: howMany(names, refused),
        cases: casesOfFunctions(names) + refused.reduce((sum, { name }) => sum + casesOfRefusedFunction(name), 0),
      }
    })
}

function howMany(names: readonly string[], refused: readonly Refusal[]): string {
  if (names.length === 0) return refused.some(({ name }) => name.endsWith('*')) ? 'all are refused' : 'refused'
  const works = names.length === 1 ? '1 works' : `${names.length} work`
  if (refused.length === 0) return works
  return `${works}, ${refused.length === 1 ? '1 is' : `${refused.length} are`} refused`
}
