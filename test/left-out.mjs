/**
 * The test files that `make test` leaves out, each with what holds the same for a smaller part or without the real tool. They take
 * two fifths of the suite's processor time. `make test ALL=1` runs them too, and so does .ci/run.
 */
const WHY = {
  'bigquery-emulator/endpoints': 'The endpoints over an emulator of BigQuery; test/engines/bigquery has the requests, test/endpoints the rows.',
  'bigquery-emulator/engine': 'The contract of engines over the emulator; test/engines/bigquery holds it over a server of its own.',
  'bigquery-emulator/tests': '`sluice test` over the emulator; test/cli/test and test/testing hold what it does.',
  'cli/diff/revisions': '`sluice diff` over git repositories; test/diff holds what is compared.',
  'cli/formats': 'Every endpoint printed in every format; test/encode holds each format, test/cli/output what is printed.',
  'cli/fuzz': 'Whole runs of `sluice fuzz`; test/fuzz holds what is called, found and made smaller.',
  'client/python': 'The Python client under mypy, calling a server; test/cli/client holds what is written.',
  'connect/duckdb': 'The snippet in a DuckDB with httpfs; test/cli/connect holds its text.',
  'connect/hostile': 'Snippets in shells and interpreters; test/cli/connect holds their text.',
  'docs/commands': 'Every command of every page but the tutorial, in shells; test/cli runs the commands, test/docs/pages holds the pages.',
  'docs/formats': 'The programs of a page, in Python and others; test/encode holds the formats.',
  'docs/library': 'The programs of a page; test/compose.test.ts holds the library.',
  'engines/bigquery/lost-answers': 'An answer cut at every byte; test/engines/bigquery has one of each kind.',
  'engines/duckdb/runaway': 'Queries that take all time or memory; test/engines/duckdb/process holds how they are ended.',
  'examples/ci': 'The workflows, in shells; test/cli holds the commands that they call.',
  'explorer/accessibility': 'axe on every view, in each theme and layout; test/explorer holds what the views do.',
  'googlesql-duckdb/placed-calls': 'Every function in every place; the cases have each function.',
  'googlesql-duckdb/runtime/javascript/hostile': 'Functions that never end; the rest of the folder has what functions do.',
  'openapi/lint-and-postman': 'Spectral and Postman; test/openapi/document and test/openapi/schema hold the documents.',
  'openapi/tools': 'Validators and a generator of types; test/openapi/document and test/openapi/schema hold the documents.',
  'package/install': 'The package packed, installed, and tried by the tutorial; test/package/exports holds what it exports.',
  'serving/mixed-formats': 'Hundreds of callers at once; test/http holds that equal requests are one query.',
  'serving/redis-trouble': 'A Redis that fails for seconds; test/cache/stores/redis holds each failure.',
  'serving/replicas': 'Two servers for seconds; test/cache/stores/redis/sharing holds what they share.',
  'serving/stalled-log': 'Logs whose reader stalls; test/observe holds what is dropped.',
}

export const LEFT_OUT = new Set(Object.keys(WHY).map(name => `test/${name}.test.ts`))
