import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const sources = ['explorer', 'googlesql', 'googlesql-duckdb', 'runner', 'authoring', 'cli'].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => ({ file: join(folder, file), text: readFileSync(join(folder, file), 'utf8') })),
)

/** Files that generate example programs, in which these calls are right. */
const SNIPPETS = ['authoring/connect/fetch.ts', 'authoring/connect/typescript.ts']

const RULES: readonly { rule: string; pattern: RegExp; allowed: readonly string[]; in?: RegExp }[] = [
  { rule: 'process.env is read in one place', pattern: /\bprocess\.env\b/, allowed: ['cli/main.ts', ...SNIPPETS] },
  { rule: 'nothing calls process.exit', pattern: /\bprocess\.exit\(/, allowed: [] },
  { rule: 'failures have classes of their own', pattern: /\bthrow new Error\(/, allowed: SNIPPETS },
  {
    rule: 'time and chance are injected, but into the page',
    pattern: /\bDate\.now\(|\bMath\.random\(/,
    allowed: ['runner/platform/clock.ts'],
    in: /^(?!explorer)/,
  },
  {
    rule: 'trees are walked by their kinds, not by whatever their nodes hold',
    pattern: /\bJSON\.stringify\((?:expr|node|scan)[,)]|Object\.(?:values|entries)\((?:expr|node|scan|value)\)/,
    allowed: [],
    in: /^googlesql(?:-duckdb)?\/(?!.*runtime|values)/,
  },
  {
    rule: 'generated SQL is not read back; templates are, once',
    pattern: /\b(?:sql|text)\.(?:includes|startsWith|endsWith|match|search)\(|\.(?:test|exec)\((?:sql|text)\)/,
    allowed: ['fragment', 'macro-usage', 'operand'].map(file => `googlesql-duckdb/emit/${file}.ts`),
    in: /^googlesql-duckdb\/(?:analysis|emit|passes)\//,
  },
  {
    rule: 'messages are not read back: errors and diagnostics have codes and data; texts of other programs are read where they come in',
    pattern:
      /\b(?:message|detail|reason)[!?]*\.(?:includes|startsWith|endsWith|match|matchAll|search|replace|split)\(|\.(?:test|exec)\((?:\w+[!?]?\.)*(?:message|detail|reason)\b|\bString\((?:error|cause|thrown)\)\./,
    allowed: [
      'authoring/check/example.ts', // Node's messages about JSON
      'runner/cache/stores/redis/failure.ts', // Redis'
      'runner/engines/bigquery/coded-problem.ts', // BigQuery's
      'runner/engines/bigquery/runner-error.ts',
      'runner/engines/duckdb/child/failure.ts', // DuckDB's
      'runner/mcp/raw-json.ts', // messages of the Model Context Protocol
      'runner/template/syntax-problem.ts', // Handlebars'
    ],
    in: /^(?!explorer)/,
  },
  { rule: 'nothing is exported by default', pattern: /^export default/m, allowed: [] },
]

describe('conventions', () => {
  for (const { rule, pattern, allowed, in: folder = /./ } of RULES) {
    it(rule, () => {
      const within = sources.filter(({ file }) => folder.test(file))
      const offenders = within.filter(source => pattern.test(source.text)).map(source => source.file)
      expect(offenders.filter(file => !allowed.includes(file))).to.deep.equal([])
    })
  }

  it('every file opens with a sentence that says what it is', () => {
    const silent = sources.filter(source => !/^(#!.*\n)?\/\*\*/.test(source.text)).map(source => source.file)
    expect(silent).to.deep.equal(['runner/model/manifest.ts'].filter(file => silent.includes(file)))
  })
})
