/**
 * Features of BigQuery that the reference lacks: recognised by its message, with the documentation that the rows are from.
 */
import { findFunction } from '../../googlesql/functions/all.js'

interface Family {
  /** `sql` matches the query, `message` the reference's message. */
  readonly sql?: RegExp
  readonly message?: RegExp
  readonly what: string
  /** The page and anchor of the documentation that the rows are from. */
  readonly documentation: string
}

const FAMILIES: readonly Family[] = [
  {
    message: /^(rejects: )?(Syntax error.*(keyword FROM|"\|"|keyword AS)|Statement not supported: CreateFunctionStmt)/,
    sql: /\|>|^\s*FROM\b/,
    what: 'pipe syntax',
    documentation: 'pipe-syntax',
  },
  { message: /CreateFunctionStmt/, what: 'temporary functions', documentation: 'user-defined-functions#sql-udfs' },
  {
    sql: /\bGROUPING\s+SETS\b|\bROLLUP\b|\bCUBE\b|\bGROUPING\s*\(/i,
    what: 'grouping sets: it gives the finest one alone',
    documentation: 'query-syntax#group_by_clause',
  },
  { message: /GROUP BY ALL is not/, what: 'GROUP BY ALL', documentation: 'query-syntax#group_by_all' },
  {
    message: /Column propagation mode|CORRESPONDING BY|keyword (BY|INNER)/,
    sql: /CORRESPONDING|BY\s+NAME/i,
    what: 'BY NAME and its modes',
    documentation: 'query-syntax#by_name_or_corresponding',
  },
]

const MISSING =
  /Unsupported built-in function: (\S+)|Function not found: ([\w.]+)|(\w+) is an optional function implementation/i

/** Why the reference cannot confirm a case, from its message `found`; undefined when the difference has to be examined. */
export function reasonWhyUnbuilt(sql: string, found: string): string | undefined {
  const missing = MISSING.exec(found)
  const name = (missing?.[1] ?? missing?.[2] ?? missing?.[3])?.toUpperCase()
  const entry = name && findFunction(name)
  if (entry) return reason(name, entry.documentation)
  const family = FAMILIES.find(one => (one.sql?.test(sql) ?? true) && (one.message?.test(found) ?? true))
  return family && reason(family.what, family.documentation)
}

const reason = (what: string, documentation: string): string =>
  `The reference does not have ${what}; the rows are from the documentation, ${documentation}.`

/**
 * The reason why an error is right although the reference returns rows: BigQuery's rules for results, or a refusal by name.
 */
export function reasonOfResultRule(error: string): string | undefined {
  if (error.startsWith('Array cannot have a null element')) {
    return 'BigQuery refuses NULL elements in the arrays of a result (data-types#array_nulls), the reference gives them.'
  }
  if (error.startsWith('Duplicate column names in the result')) {
    return 'BigQuery refuses two columns of one name in a result (query-syntax#duplicate_aliases), the reference gives them.'
  }
  return error.includes('not supported') && /embedded engine|is not supported/.test(error)
    ? 'The embedded engine refuses this by name; docs/dialect.md says why.'
    : undefined
}
