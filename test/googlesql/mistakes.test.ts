/** The codes of mistakes in SQL, which advice, quick fixes and the search for causes read instead of messages. */
import { expect } from 'chai'
import { withAdvice } from '../../googlesql/advice/with-advice.js'
import { type BrokenTables, resolveQuery, rootOf, SqlError } from '../../googlesql/index.js'
import { tableCatalogue } from '../../googlesql/tables.js'

const BROKEN: BrokenTables = new Map([
  ['d.broken', { reason: 'its schema has a mistake: d.broken.json:1:2: x', schema: 'd.broken.json' }],
])
const FUNCTIONS = {
  folder: 'functions',
  functions: [
    { name: 'd.f', file: 'functions/d.f.sql', text: 'CREATE FUNCTION d.f() AS ((SELECT n FROM d.broken))' },
    { name: 'd.g', file: 'functions/d.g.sql', text: 'CREATE FUNCTION d.g() AS (d.g())' },
  ],
}
const TABLES = tableCatalogue(
  [{ name: 'd.t', columns: [{ name: 'amount', type: { kind: 'INT64' } }] }],
  undefined,
  undefined,
  FUNCTIONS,
  BROKEN,
)

function mistakeIn(sql: string): SqlError {
  try {
    resolveQuery(sql, TABLES, {})
  } catch (thrown) {
    if (thrown instanceof SqlError) return thrown
    throw thrown
  }
  throw new SqlError('no mistake', sql, 0)
}

const MISTAKES: readonly (readonly [sql: string, mistake: object])[] = [
  ["SELECT 'a", { code: 'syntax', form: 'unclosed-text', expected: [] }],
  ['SELECT 1 2', { code: 'syntax', form: 'expected', expected: ['end of input'] }],
  ['SELECT f(1 2)', { code: 'syntax', form: 'expected', expected: [')', ','] }],
  ['SELECT amount IS 5 FROM d.t', { code: 'syntax', form: 'expected', expected: ['FALSE', 'NULL', 'TRUE', 'UNKNOWN'] }],
  ['SELECT ?', { code: 'positional-parameter' }],
  ['SELECT amuont FROM d.t', { code: 'unknown-name', name: 'amuont', meant: 'amount' }],
  ['SELECT t.amuont FROM d.t', { code: 'unknown-member', name: 'amuont', meant: 'amount' }],
  ['SELECT amount FROM d.x', { code: 'unknown-table', name: 'd.x' }],
  ['SELECT n FROM d.broken', { code: 'unknown-table', name: 'd.broken', schema: 'd.broken.json' }],
  ['SELECT coutn(1)', { code: 'unknown-function', name: 'coutn', meant: 'count' }],
  ['SELECT @n', { code: 'unknown-parameter', name: 'n' }],
  ["SELECT amount = 'a' FROM d.t", { code: 'no-signature', kind: 'operator', name: '=', types: ['INT64', 'STRING'] }],
  ["SELECT 1 IN ('a', TRUE)", { code: 'no-signature', name: 'IN', types: ['INT64', 'BOOL', 'STRING'] }],
  ['SELECT d.f()', { code: 'in-function', file: 'functions/d.f.sql' }],
  ['SELECT d.g()', { code: 'cycle', names: ['d.g', 'd.g'] }],
]

describe('mistakes in SQL', () => {
  for (const [sql, expected] of MISTAKES) {
    it(`${sql}: ${JSON.stringify(expected)}`, () => expect(mistakeIn(sql).mistake).to.deep.include(expected))
  }

  it('in a function has the mistake itself as its root', () => {
    expect(rootOf(mistakeIn('SELECT d.f()').mistake)).to.include({ code: 'unknown-table', schema: 'd.broken.json' })
  })

  it('has advice by its code, in the place of its hint, whatever its message says', () => {
    const { problem } = mistakeIn('SELECT now()')
    expect(problem.message).to.match(/^Function not found: now/)
    const hint = problem.mistake?.hint ?? ''
    const translated = { ...problem, message: `Unbekannte Funktion: now${hint}` }
    expect(withAdvice(translated, 'SELECT now()').message).to.equal('Unbekannte Funktion: now; write @now')
  })
})
