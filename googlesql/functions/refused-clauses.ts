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

export const REFUSED_CLAUSES: readonly RefusedClause[] = [
  {
    clause: 'A statement other than one query, with DECLARE, SET and temporary functions before it',
    documentation: 'procedural-language',
    reason: 'an endpoint reads; it has nothing to define, to change or to loop over',
  },
  {
    clause: 'Legacy SQL',
    documentation: 'migrating-from-legacy-sql',
    reason: 'a comment #legacySQL before the query chooses it; the same text may have other rows there',
  },
  {
    clause: 'TABLESAMPLE',
    documentation: `${QUERY}#tablesample_operator`,
    reason: 'its rows hang on how BigQuery stores the table',
  },
  {
    clause: 'FOR SYSTEM_TIME AS OF a time that is not CURRENT_TIMESTAMP() or @now',
    documentation: `${QUERY}#for_system_time_as_of`,
    reason: 'tables here are files, which have no history',
  },
  {
    clause: 'MATCH_RECOGNIZE',
    documentation: `${QUERY}#match_recognize_clause`,
    reason: 'DuckDB has no row patterns; LAG, LEAD and a running SUM find sequences',
  },
  { clause: 'GRAPH_TABLE', documentation: 'graph-sql-queries#graph_table_operator', reason: NO_GRAPHS },
  {
    clause: 'LATERAL',
    documentation: `${QUERY}#lateral_join`,
    reason: 'a correlated UNNEST, or a subquery in the SELECT list, says the same',
  },
  {
    clause: 'NATURAL JOIN',
    documentation: `${QUERY}#join_types`,
    reason: 'BigQuery has none either; USING names the columns',
  },
  {
    clause: 'SELECT WITH',
    documentation: `${QUERY}#select_list`,
    reason: "differential privacy adds noise of BigQuery's own making, and aggregation thresholds go with it",
  },
  { clause: 'SELECT AS with a type name', documentation: `${QUERY}#select_list`, reason: 'there are no named types' },
  {
    clause: 'A subquery in the IN of PIVOT',
    documentation: `${QUERY}#pivot_operator`,
    reason: 'the columns of an endpoint are known before the query runs',
  },
  {
    clause: 'Window frame unit GROUPS',
    documentation: 'window-function-calls#window_frame',
    reason: 'BigQuery has none either',
  },
  { clause: 'COLLATE', documentation: 'collation-concepts', reason: NO_COLLATION },
  {
    clause: 'Type GEOGRAPHY',
    documentation: 'data-types#geography_type',
    reason: 'no function here computes on the sphere as those of BigQuery do',
  },
  {
    clause: 'Type parameters in ARRAY<…>[…] and STRUCT<…>(…)',
    documentation: 'data-types#parameterized_data_types',
    reason: 'BigQuery refuses them in queries too',
  },
  {
    clause: 'A chained function call, x.f(),',
    documentation: 'functions-reference',
    reason: 'it is f(x)',
  },
  {
    clause: 'A positional parameter, ?',
    documentation: 'lexical#query_parameters',
    reason: 'the parameters of a manifest have names',
  },
  {
    clause: 'A system variable, @@name',
    documentation: 'system-variables',
    reason: 'it tells of a session of BigQuery; @now is the time of the query',
  },
  {
    clause: 'CREATE FUNCTION without TEMP',
    documentation: `${FUNCTIONS}#sql-udf-structure`,
    reason: 'nothing outlives a query; the folder of functions keeps it, in a file of its own',
  },
  {
    clause: 'CREATE AGGREGATE FUNCTION',
    documentation: 'user-defined-aggregates',
    reason: 'a call is replaced by its body, which aggregates nothing; write the aggregate calls in the query',
  },
  {
    clause: 'CREATE PROCEDURE',
    documentation: 'procedures',
    reason: 'an endpoint reads; a function or a table function in the folder of functions returns what it computes',
  },
  { clause: 'CREATE TEMP AGGREGATE FUNCTION', documentation: 'user-defined-aggregates', reason: NO_TABLES },
  { clause: 'CREATE TEMP TABLE FUNCTION', documentation: 'table-functions', reason: NO_TABLES },
  { clause: 'A parameter of TABLE', documentation: 'table-functions', reason: NO_TABLES },
  { clause: 'A parameter of ANY TABLE', documentation: 'table-functions', reason: NO_TABLES },
  {
    clause: 'DEFAULT of a function parameter',
    documentation: `${FUNCTIONS}#sql-udf-structure`,
    reason: 'BigQuery has none either',
  },
  {
    clause: 'A function with LANGUAGE',
    documentation: `${FUNCTIONS}#supported-python-udfs`,
    reason: 'only SQL and JavaScript run here',
  },
  {
    clause: 'OPTIONS (library = …) of a JavaScript function',
    documentation: `${FUNCTIONS}#including-javascript-libraries`,
    reason: 'a library is a file in Cloud Storage; write what you need of it in the body',
  },
  {
    clause: 'A remote function',
    documentation: 'remote-functions',
    reason: 'a query reaches no other service from here',
  },
  {
    clause: 'GROUP BY ALL in the pipe operator AGGREGATE',
    documentation: 'pipe-syntax#aggregate_pipe_operator',
    reason: 'BigQuery has none either',
  },
]

/**
 * Features that the embedded engine refuses because it cannot compute them as BigQuery does. Most have the words with which
 * their message begins.
 */
export const ENGINE_LIMITS: readonly RefusedClause[] = [
  {
    clause: 'A RANGE frame over BIGNUMERIC values beyond the range or the 9 decimal places of NUMERIC',
    documentation: 'window-function-calls#window_frame',
    reason: 'DuckDB has such frames for integers of 38 digits at most',
  },
  {
    clause: 'POW, EXP, LN, LOG and LOG10 of BIGNUMERIC',
    documentation: 'mathematical_functions',
    reason: 'their last digits depend on how BigQuery computes them; CAST(… AS NUMERIC) or FLOAT64 first',
  },
  {
    clause: 'A variable of a type with parameters',
    documentation: 'data-types#parameterized_data_types',
    reason: 'a value that is too long would pass silently; CAST the value instead',
  },
  {
    clause: 'A STRUCT without fields',
    documentation: 'data-types#struct_type',
    reason: 'DuckDB has no such value',
  },
  {
    clause: 'A random value read by a subquery or in one',
    documentation: 'mathematical_functions#rand',
    reason: 'DuckDB would draw it anew for each reader',
  },
  {
    clause: 'HAVING MAX and HAVING MIN with grouping sets, or with OVER',
    documentation: 'aggregate-function-calls',
    reason: 'each set, or frame, has a maximum of its own',
  },
  {
    clause:
      'INTERVALs whose parts have different signs, in grouping sets, PARTITION BY, set operations and aggregates with DISTINCT, and within the ARRAYs and STRUCTs of keys',
    documentation: 'data-types#interval_type',
    reason: 'DuckDB takes 2 days less 9 hours for another value than 39 hours; JUSTIFY_INTERVAL gives both one form',
  },
  {
    clause: 'SEARCH with PATTERN_ANALYZER, and with another normalizer than LOWER and NONE',
    documentation: 'text-analysis#pattern_analyzer',
    reason:
      'documented results do not follow from the documented rules; the other normalizers hang on the version of ICU',
  },
  {
    clause:
      'SEARCH for a phrase with AND or OR, for delimiters alone in backticks, for numbers and booleans in JSON, and in texts with form feeds',
    documentation: 'search_functions#search',
    reason: 'the documentation does not tell whether it finds them, or tells both',
  },
  {
    clause: 'A subquery over both sides in the ON clause of a LEFT, RIGHT or FULL JOIN',
    documentation: `${QUERY}#on_clause`,
    reason: 'DuckDB joins by it only where it is an INNER JOIN',
  },
]
