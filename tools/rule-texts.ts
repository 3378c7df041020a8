/** What the rules say that are not objects in runner/manifest/check/rules/: for docs/reference/diagnostics.md. */
import type { PlainRuleId } from '../runner/model/rules.js'

/** `says` is Markdown for docs/reference/diagnostics.md, which `npm run generate` writes. */
interface RuleText {
  readonly says: string
  /** The manifest is served despite it. @default false */
  readonly isWarning?: true
}

export const RULES = {
  'yaml/syntax': { says: 'The text is not valid YAML.' },
  'yaml/several-documents': { says: 'The file holds more than one YAML document.' },
  'yaml/duplicate-key': { says: 'A key occurs twice in one map.' },
  'yaml/key': { says: 'A key is not text.' },
  'yaml/alias': { says: 'The file uses an anchor, an alias or a merge key.' },
  'yaml/tag': { says: 'The file uses a tag.' },
  'yaml/directive': { says: 'The file uses a directive.' },
  'yaml/odd-character': {
    says: 'The file has a control character, an invisible one, or one that changes the direction of text.',
  },
  'yaml/too-deep': { says: 'The YAML is nested too deeply.' },
  'yaml/too-large': { says: 'The file has more than 1,048,576 characters, or a line is too long.' },
  'schema/unknown-key': { says: 'The key is not known at this place.' },
  'schema/missing-key': { says: 'A required key is missing.' },
  'schema/key-form': { says: 'A key has the wrong form.' },
  'schema/type': { says: 'A value has the wrong type: text where a number is expected, for example.' },
  'schema/enum': { says: 'A value is not one of those allowed.' },
  'schema/form': { says: 'A text has the wrong form.' },
  'schema/range': { says: 'A number, a text or a list is too small or too large.' },
  'schema/other': { says: "The file breaks the manifest's JSON Schema in another way." },
  'manifest/unreadable': { says: 'A file or folder cannot be read, or is not UTF-8.' },
  'manifest/none-left': { says: 'A reload found no manifest at all.' },
  'manifest/file-name': { says: "A manifest's file name ends in `.yml`, so the file is not read.", isWarning: true },
  'manifest/duplicate-id': { says: 'Another manifest has this id.' },
  'manifest/duplicate-name': { says: 'Another manifest has this name.' },
  'manifest/similar-name': {
    says: 'The name differs from that of another manifest in `.` and `-` alone; generators of clients write both as `_`.',
    isWarning: true,
  },
  'example/contract': { says: 'A row of `<name>.example.json` is not a row that the endpoint can give.' },
  'example/no-endpoint': { says: 'No manifest beside an example has its name.', isWarning: true },
  'template/syntax': { says: 'The template cannot be parsed.' },
  'template/unsupported': { says: 'The template uses something that templates here do not have.' },
  'template/triple-braces': { says: 'The template has triple braces or `{{&`.' },
  'template/unknown-helper': { says: 'The template uses a helper other than `#if`, `#unless` and `#each`.' },
  'template/unknown-name': { says: 'A name in braces means nothing at this place.' },
  'template/unknown-partial': { says: 'No partial has this name.' },
  'template/argument-in-text': { says: 'An argument is in braces. Write `@name`, which is bound.' },
  'template/not-a-word': { says: 'The value that would be written into the SQL is not a word.' },
  'template/not-a-list': { says: '`#each` is given something other than a list.' },
  'template/recursion': { says: 'A partial includes itself.' },
  'template/too-large': { says: 'The text that the template produces is too large.' },
  'template/too-many-variants': { says: 'The template has too many variants.' },
  'template/odd-character': {
    says: 'A partial has a control character, an invisible one, or one that changes the direction of text.',
  },
  'sql/error': {
    says: "A variant does not compile. The message is BigQuery's, at the manifest's own line and column.",
  },
  'sql/too-many-bytes': { says: 'BigQuery would read more bytes for a variant than `--max-bytes` allows.' },
  'table/file-name': {
    says: 'The file of a table schema is not named `<dataset>.<table>.json` or `<project>.<dataset>.<table>.json`.',
  },
  'table/differs': {
    says: 'The table in BigQuery differs from the schema file. Reported by `tables diff` and `validate --tables-diff`.',
  },
  'table/missing': { says: 'BigQuery has no such table, or the table in BigQuery has no schema file.' },
  'table/syntax': { says: 'A table schema is not valid JSON.' },
  'table/schema': { says: 'A table schema has the wrong form.' },
  'table/unknown-type': { says: 'The type of a field is unknown.' },
  'table/duplicate-field': { says: 'A field occurs twice.' },
  'table/unknown-field': { says: 'The clustering or the partitioning names a field that does not exist.' },
  'table/layout': { says: 'The rows cannot be clustered or partitioned in this way.' },
  'table/unread-file': {
    says: 'A file or a folder in the place of a table of the data folder is not read: queries that read the table fail.',
    isWarning: true,
  },
  'table/unreadable': {
    says: 'A Parquet file has columns that its table schema does not allow or, without one, that GoogleSQL has no type for: queries that read them fail.',
    isWarning: true,
  },
  'function/file-name': {
    says: 'The file of a function is not named `<dataset>.<name>.sql` or `<project>.<dataset>.<name>.sql`.',
  },
  'function/sql': { says: 'The SQL of a function has a mistake.' },
  'function/differs': { says: 'The function in BigQuery differs from its file. Reported by `tables diff`.' },
  'function/missing': { says: 'BigQuery has no such function. Reported by `tables diff`.' },
  'tests/no-tests': { says: 'The path is not a test file, or is a manifest without one.' },
  'tests/unknown-endpoint': { says: 'No manifest is beside the test file, and no endpoint has its name.' },
  'tests/duplicate-name': { says: 'Two tests of a file have the same name.' },
  'tests/time': { says: '`now` is not an ISO 8601 time.' },
  'tests/table': { says: 'No table schema has the name of a table.' },
  'tests/row': {
    says: 'A row of a table has a column that the table does not have, or a value of another type, or lacks a REQUIRED column.',
  },
  'tests/fixture': { says: 'The file of a table is not there.' },
  'tests/problem-with-rows': { says: 'A test expects a problem and rows at once.' },
  'tests/unknown-column': { says: '`ordered_by` names a column that the endpoint does not have.' },
  'tests/unknown-code': { says: '`code` is not the code of a problem.' },
  'tests/unknown-argument': {
    says: 'An argument is not declared by the endpoint, which ignores it.',
    isWarning: true,
  },
} as const satisfies Readonly<Record<PlainRuleId, RuleText>>
