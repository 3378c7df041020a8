/** Functions that BigQuery has and this project refuses, each with the reason. */
import type { Refusal } from './catalogue.js'

const refusal = (names: readonly string[], page: string, reason: string): readonly Refusal[] =>
  names.map(name => ({ name, documentation: `${page}${anchorOf(name)}`, reason }))

/** The anchor of a function is its name without dots; a family has a page of its own and needs no anchor. */
const anchorOf = (name: string): string => (name.endsWith('*') ? '' : `#${name.toLowerCase().replaceAll('.', '')}`)

const MODELS = 'models live in BigQuery, where such a query runs; here a table can hold what a model has predicted'
const GRAPHS = 'there are no property graphs here; a recursive WITH follows the rows of a table'
const PATTERNS =
  'it belongs to MATCH_RECOGNIZE, and DuckDB has no row patterns; FIRST_VALUE, LAST_VALUE, LAG and LEAD look at other rows'

export const REFUSED_FUNCTIONS: readonly Refusal[] = [
  ...refusal(
    ['HLL_COUNT.*'],
    'hll_functions',
    "HLL++ sketches are of BigQuery's own making; COUNT(DISTINCT …) and APPROX_COUNT_DISTINCT are exact here",
  ),
  ...refusal(
    ['KLL_QUANTILES.*'],
    'kll_functions',
    "KLL sketches are of BigQuery's own making; APPROX_QUANTILES is exact here",
  ),
  ...refusal(['COLLATE'], 'string_functions', 'texts have no collation here; compare LOWER(…) of both sides'),
  ...refusal(
    ['SESSION_USER'],
    'security_functions',
    'callers send a token and are not users of the database; a pinned parameter tells tenants apart',
  ),
  ...refusal(
    ['RANGE_SESSIONIZE'],
    'range-functions',
    'table functions are not run here; LAG and a running SUM make sessions',
  ),
  ...refusal(
    ['GAP_FILL'],
    'time-series-functions',
    'it takes a table as an argument; a LEFT JOIN from UNNEST(GENERATE_TIMESTAMP_ARRAY(…)) fills gaps, and LAST_VALUE(… IGNORE NULLS) carries values on',
  ),
  ...refusal(
    ['APPENDS', 'CHANGES'],
    'time-series-functions',
    'tables here are files, which have no history; a column with the time of each row tells what is new',
  ),
  ...refusal(
    ['ST_*', 'S2_*'],
    'geography_functions',
    'the type GEOGRAPHY is not supported, and no function computes on the sphere as those of BigQuery do; columns of latitude and longitude can be compared',
  ),
  ...refusal(
    ['VECTOR_SEARCH'],
    'search_functions',
    'there are no vector indexes here; ORDER BY COSINE_DISTANCE(…) LIMIT n finds the nearest rows',
  ),
  ...refusal(['VECTOR_INDEX.*'], 'vectorindex_functions', 'there are no vector indexes here'),
  ...refusal(
    ['BAG_OF_WORDS', 'TEXT_ANALYZE', 'TF_IDF'],
    'text-analysis-functions',
    "the result depends on the tokens of BigQuery's text analyzers",
  ),
  ...refusal(['ML.*'], 'bigqueryml-syntax-predict', MODELS),
  ...refusal(['AI.*'], 'bigqueryml-syntax-ai-generate', MODELS),
  ...refusal(
    ['AEAD.*', 'DETERMINISTIC_DECRYPT_BYTES', 'DETERMINISTIC_DECRYPT_STRING', 'DETERMINISTIC_ENCRYPT', 'KEYS.*'],
    'aead_encryption_functions',
    'keysets are kept by Cloud KMS; SHA256 makes values unreadable, for good',
  ),
  ...refusal(
    ['DLP_DETERMINISTIC_DECRYPT', 'DLP_DETERMINISTIC_ENCRYPT', 'DLP_KEY_CHAIN'],
    'dlp_functions',
    'keys are kept by Cloud KMS; SHA256 makes values unreadable, for good',
  ),
  ...refusal(['OBJ.*'], 'objectref_functions', 'objects live in Cloud Storage'),
  ...refusal(['EXTERNAL_OBJECT_TRANSFORM'], 'table-functions-built-in', 'objects live in Cloud Storage'),
  ...refusal(
    ['EXTERNAL_QUERY'],
    'federated_query_functions',
    'a query reaches no other database from here; import the rows into a table',
  ),
  ...refusal(['AGG'], 'aggregate_functions', 'tables here have no measures'),
  ...refusal(
    'DESTINATION_NODE_ID EDGES ELEMENT_ID IS_ACYCLIC IS_TRAIL LABELS NODES PATH PATH_FIRST PATH_LAST PATH_LENGTH PROPERTY_EXISTS PROPERTY_NAMES SOURCE_NODE_ID'.split(
      ' ',
    ),
    'graph-sql-functions',
    GRAPHS,
  ),
  ...refusal(
    ['CLASSIFIER', 'FIRST', 'LAST', 'MATCH_NUMBER', 'MATCH_ROW_NUMBER'],
    'match-recognize-functions',
    PATTERNS,
  ),
]

/** The refusal of the function with this name, in upper case; undefined for a function that is not refused. */
export function refusalOf(name: string): Refusal | undefined {
  return REFUSED_FUNCTIONS.find(refused =>
    refused.name.endsWith('*') ? name.startsWith(refused.name.slice(0, -1)) : name === refused.name,
  )
}
