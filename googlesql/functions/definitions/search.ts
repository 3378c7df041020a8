/** Search functions. Source: the language reference, "Search functions". */
import { hasSubquery, readsColumn } from '../../plan/walk.js'
import { checkScope, SearchError, textSearch } from '../../values/text-search.js'
import { type Args, CAN_FAIL, type FunctionEntry, functionsOf } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

const OPTIONS = ['search_query', 'json_scope', 'analyzer', 'analyzer_options'] as const

/** Checks the arguments that are literals, before the query runs. */
function checkSearch(args: Args): string | null {
  const options = args.slice(1)
  const texts = options.map(option => (option?.kind === 'literal' ? (option.value as string | null) : undefined))
  const notConstant = options.findIndex(option => option && (readsColumn(option) || hasSubquery(option)))
  if (notConstant >= 0) return `SEARCH: ${OPTIONS[notConstant]} must be a literal, a parameter or a constant expression`
  const nullOption = texts.indexOf(null)
  if (nullOption >= 0) return `SEARCH: ${OPTIONS[nullOption]} must not be NULL`
  const [query, scope, analyzer, analyzerOptions] = texts
  const areLiterals = options.every(option => !option || option.kind === 'literal')
  if (!areLiterals) return null
  try {
    checkScope(scope ?? 'JSON_VALUES')
    textSearch(query!, analyzer ?? 'LOG_ANALYZER', analyzerOptions ?? null)
    return null
  } catch (error) {
    if (error instanceof SearchError) return error.message
    throw error
  }
}

export const SEARCH_FUNCTIONS: readonly FunctionEntry[] = [
  functionsOf('search_functions')(
    'SEARCH',
    CAN_FAIL,
    UNKNOWN,
    ['(ANY, STRING, json_scope => STRING, analyzer => STRING, analyzer_options => STRING) -> BOOL'],
    { check: checkSearch },
  ),
]
