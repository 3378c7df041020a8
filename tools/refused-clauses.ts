/** The parts of BigQuery's query language, other than functions, that this project refuses, each with the reason. */

export interface RefusedClause {
  /** The subject of the message `… is not supported`. */
  readonly clause: string
  readonly documentation: string
  readonly reason: string
}

const QUERY = 'query-syntax'
const FUNCTIONS = 'user-defined-functions'
const NO_TABLES = 'functions take values here, not tables'
const NO_GRAPHS = 'there are no property graphs here'
const NO_COLLATION = 'texts have no collation here; compare LOWER(…) of both sides'

/** The documentation and the reason of each clause. */
const rows = (
  table: Readonly<Record<string, readonly [documentation: string, reason: string]>>,
): readonly RefusedClause[] =>
  Object.entries(table).map(([clause, [documentation, reason]]) => ({ clause, documentation, reason }))

export const REFUSED_CLAUSES: readonly RefusedClause[] = rows({
  'A statement other than one query, with DECLARE, SET and temporary functions before it': [
    'procedural-language',
    'an endpoint reads; it has nothing to define, to change or to loop over',
  ],
  'Legacy SQL': [
    'migrating-from-legacy-sql',
    'a comment #legacySQL before the query chooses it; the same text may have other rows there',
  ],
  TABLESAMPLE: [`${QUERY}#tablesample_operator`, 'its rows depend on how BigQuery stores the table'],
  'FOR SYSTEM_TIME AS OF a time that is not CURRENT_TIMESTAMP() or @now': [
    `${QUERY}#for_system_time_as_of`,
    'tables here are files, which have no history',
  ],
  MATCH_RECOGNIZE: [
    `${QUERY}#match_recognize_clause`,
    'DuckDB has no row patterns; LAG, LEAD and a running SUM find sequences',
  ],
  GRAPH_TABLE: ['graph-sql-queries#graph_table_operator', NO_GRAPHS],
  LATERAL: [`${QUERY}#lateral_join`, 'a correlated UNNEST, or a subquery in the SELECT list, says the same'],
  'NATURAL JOIN': [`${QUERY}#join_types`, 'BigQuery lacks it, too; USING names the columns'],
  'SELECT WITH': [
    `${QUERY}#select_list`,
    "differential privacy adds noise of BigQuery's own making, and aggregation thresholds go with it",
  ],
  'SELECT AS with a type name': [`${QUERY}#select_list`, 'there are no named types'],
  'A subquery in the IN of PIVOT': [
    `${QUERY}#pivot_operator`,
    'the columns of an endpoint are known before the query runs',
  ],
  'Window frame unit GROUPS': ['window-function-calls#window_frame', 'BigQuery lacks it, too'],
  COLLATE: ['collation-concepts', NO_COLLATION],
  'Type GEOGRAPHY': ['data-types#geography_type', 'no function here computes on the sphere as those of BigQuery do'],
  'Type parameters in ARRAY<…>[…] and STRUCT<…>(…)': [
    'data-types#parameterized_data_types',
    'BigQuery refuses them in queries too',
  ],
  'A chained function call, x.f(),': ['functions-reference', 'it is f(x)'],
  'A positional parameter, ?': ['lexical#query_parameters', 'the parameters of a manifest have names'],
  'A system variable, @@name': [
    'system-variables',
    'it describes a session of BigQuery; @now is the time of the query',
  ],
  'CREATE FUNCTION without TEMP': [
    `${FUNCTIONS}#sql-udf-structure`,
    'a query cannot store a function; write it to a file in the folder of functions',
  ],
  'CREATE AGGREGATE FUNCTION': [
    'user-defined-aggregates',
    'a call is replaced by its body, which aggregates nothing; write the aggregate calls in the query',
  ],
  'CREATE PROCEDURE': [
    'procedures',
    'an endpoint reads; a function or a table function in the folder of functions returns what it computes',
  ],
  'CREATE TEMP AGGREGATE FUNCTION': ['user-defined-aggregates', NO_TABLES],
  'CREATE TEMP TABLE FUNCTION': ['table-functions', NO_TABLES],
  'A parameter of TABLE': ['table-functions', NO_TABLES],
  'A parameter of ANY TABLE': ['table-functions', NO_TABLES],
  'DEFAULT of a function parameter': [`${FUNCTIONS}#sql-udf-structure`, 'BigQuery lacks it, too'],
  'A function with LANGUAGE': [`${FUNCTIONS}#supported-python-udfs`, 'only SQL and JavaScript run here'],
  'OPTIONS (library = …) of a JavaScript function': [
    `${FUNCTIONS}#including-javascript-libraries`,
    'a library is a file in Cloud Storage; write what you need of it in the body',
  ],
  'A remote function': ['remote-functions', 'a query reaches no other service from here'],
  'GROUP BY ALL in the pipe operator AGGREGATE': ['pipe-syntax#aggregate_pipe_operator', 'BigQuery lacks it, too'],
})

/**
 * Features that the embedded engine refuses because it cannot compute them as BigQuery does. Most have the words with which
 * their message begins.
 */
export const ENGINE_LIMITS: readonly RefusedClause[] = rows({
  'A RANGE frame over BIGNUMERIC values beyond the range or the 9 decimal places of NUMERIC': [
    'window-function-calls#window_frame',
    'DuckDB has such frames for integers of 38 digits at most',
  ],
  'POW, EXP, LN, LOG and LOG10 of BIGNUMERIC': [
    'mathematical_functions',
    'their last digits depend on how BigQuery computes them; CAST(… AS NUMERIC) or FLOAT64 first',
  ],
  'A variable of a type with parameters': [
    'data-types#parameterized_data_types',
    'a value that is too long would pass silently; CAST the value instead',
  ],
  'A STRUCT without fields': ['data-types#struct_type', 'DuckDB has no such value'],
  'A random value read by a subquery or in one': [
    'mathematical_functions#rand',
    'DuckDB would draw it anew for each reader',
  ],
  'HAVING MAX and HAVING MIN with grouping sets, or with OVER': [
    'aggregate-function-calls',
    'each set, or frame, has another maximum',
  ],
  'INTERVALs whose parts have different signs, in grouping sets, PARTITION BY, set operations and aggregates with DISTINCT, and within the ARRAYs and STRUCTs of keys':
    [
      'data-types#interval_type',
      'for DuckDB, 2 days less 9 hours and 39 hours are different values; JUSTIFY_INTERVAL gives both the same parts',
    ],
  'SEARCH with PATTERN_ANALYZER, and with another normalizer than LOWER and NONE': [
    'text-analysis#pattern_analyzer',
    'documented results do not follow from the documented rules; the other normalizers depend on the version of ICU',
  ],
  'SEARCH for a phrase with AND or OR, for delimiters alone in backticks, for numbers and booleans in JSON, and in texts with form feeds':
    ['search_functions#search', 'the documentation does not say whether it finds them, or says both'],
  'A subquery over both sides in the ON clause of a LEFT, RIGHT or FULL JOIN': [
    `${QUERY}#on_clause`,
    'DuckDB joins by it only where it is an INNER JOIN',
  ],
})
