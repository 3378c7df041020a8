/** The catalogue as plain data, for the command line and the documentation. */
import { allFunctions } from './all.js'
import type { AggregateTraits, FunctionEntry, FunctionKind, Refusal } from './catalogue.js'
import { OPERATOR_SYMBOLS } from './definitions/operators.js'
import { REFUSED_FUNCTIONS } from './refused.js'
import { SPECIAL_SYNTAX } from './special-syntax.js'

export interface ListedFunction {
  /** The function's name, or an operator's symbol. */
  readonly name: string
  readonly kind: FunctionKind | 'operator' | 'form'
  readonly aliases: readonly string[]
  /** Each signature with the name: `LOWER(STRING) -> STRING`. */
  readonly signatures: readonly string[]
  /** The clauses that a call may have inside or after its parentheses: `DISTINCT`, `ORDER BY`, `OVER`, … */
  readonly modes: readonly string[]
  /** The URL of the function's documentation. */
  readonly documentation: string
  /** False: only the open language documents it; BigQuery itself does not know the name. */
  readonly isInBigQuery: boolean
}

/** Catalogue entries that are listed as special forms, with their own syntax, instead of by their signatures. */
const SPECIAL_FORMS: ReadonlySet<string> = new Set(['$extract', '$interval'])

const BIGQUERY = 'https://cloud.google.com/bigquery/docs/reference/standard-sql/'
const OPEN_LANGUAGE = 'https://github.com/google/googlesql/blob/master/docs/'

/** The URL of a page and anchor of BigQuery's documentation. */
export const documentationUrl = (documentation: string): string => BIGQUERY + documentation

/** Every supported function, sorted by name, and then every supported operator. */
export function listFunctions(): readonly ListedFunction[] {
  const entries = allFunctions().filter(entry => !SPECIAL_FORMS.has(entry.name))
  const functions = [
    ...entries.filter(entry => !isOperator(entry)).map(listEntry),
    ...SPECIAL_SYNTAX.map(
      (form): ListedFunction => ({
        name: form.name,
        kind: 'form',
        aliases: [],
        signatures: form.forms,
        modes: [],
        documentation: documentationUrl(form.documentation),
        isInBigQuery: true,
      }),
    ),
  ]
  return [...functions.sort((a, b) => (a.name < b.name ? -1 : 1)), ...entries.filter(isOperator).map(listEntry)]
}

/** Every function that is refused, sorted by name, with the URL of its documentation. */
export function listRefusals(): readonly Refusal[] {
  return [...REFUSED_FUNCTIONS]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(refused => ({ ...refused, documentation: documentationUrl(refused.documentation) }))
}

const isOperator = (entry: FunctionEntry): boolean => entry.name.startsWith('$') && entry.name !== '$count_star'

function listEntry(entry: FunctionEntry): ListedFunction {
  const isBeyond = entry.isBeyondBigQuery === true
  const [page, anchor] = entry.documentation.split('#')
  return {
    name: isOperator(entry) ? OPERATOR_SYMBOLS[entry.name]! : shownName(entry),
    kind: isOperator(entry) ? 'operator' : entry.kind,
    aliases: entry.aliases ?? [],
    signatures: entry.signatures.map(signature => withName(entry, signature)),
    modes: entry.aggregate ? modesOf(entry.aggregate) : [],
    documentation: isBeyond ? `${OPEN_LANGUAGE}${page}.md#${anchor}` : documentationUrl(entry.documentation),
    isInBigQuery: !isBeyond,
  }
}

const shownName = (entry: FunctionEntry): string => (entry.name === '$count_star' ? 'COUNT' : entry.name)

function withName(entry: FunctionEntry, signature: string): string {
  if (entry.name === '$count_star') return 'COUNT(*) -> INT64'
  if (!isOperator(entry)) return entry.name + signature
  return `(${OPERATOR_SYMBOLS[entry.name]}) ${signature}`
}

function modesOf(traits: AggregateTraits): readonly string[] {
  const modes: readonly (readonly [string, boolean | undefined])[] = [
    ['DISTINCT', traits.allowsDistinct],
    ['IGNORE NULLS', traits.allowsNullsClause],
    ['HAVING MAX', traits.allowsHaving],
    ['ORDER BY', traits.allowsOrderBy],
    ['LIMIT', traits.allowsLimit],
    ['OVER', traits.allowsOver],
  ]
  return modes.flatMap(([mode, isAllowed]) => (isAllowed ? [mode] : []))
}
