import { expect } from 'chai'
import { FLOAT64, INT64, STRING, type Type } from '../../googlesql/types/types.js'
import type { OurAnswer, TheirAnswer } from '../../tools/fuzz/answers.js'
import { Causes, type Difference } from '../../tools/fuzz/causes.js'
import { reasonOf } from '../../tools/fuzz/explained.js'
import { judge } from '../../tools/fuzz/judge.js'
import { OptionError, readOptions } from '../../tools/fuzz/options.js'
import { type Question, questionOf } from '../../tools/fuzz/render.js'
import { reportText } from '../../tools/fuzz/report.js'
import { query } from '../../tools/fuzz/tree.js'

const QUESTION: Question = {
  sql: 'SELECT 1',
  reference: 'SELECT 1',
  parameters: {},
  orderedBy: undefined,
  isInexact: false,
}

const ours = (rows: unknown[][], ...types: string[]): OurAnswer => ({
  kind: 'rows',
  rows,
  columns: types.map((type, i) => ({ name: `c${i + 1}`, type })),
})
const theirs = (rows: unknown[][], ...types: Type[]): TheirAnswer => ({
  kind: 'rows',
  rows,
  columns: types.map((type, i) => ({ name: `c${i + 1}`, type })),
})
const fault = (message: string): OurAnswer => ({ kind: 'error', message, isFault: true })
const refusal = (message: string): TheirAnswer => ({ kind: 'error', message })

const classOf = (our: OurAnswer, their: TheirAnswer, question: Partial<Question> = {}): string => {
  const verdict = judge({ ...QUESTION, ...question }, our, their)
  return verdict.detail === '' ? verdict.class : `${verdict.class} ${verdict.detail}`
}

describe('the judge of two answers', () => {
  const ROWS = theirs([['1'], ['2']], INT64)
  const CASES: readonly (readonly [what: string, OurAnswer, TheirAnswer, string, Partial<Question>?])[] = [
    ['rows in any order agree', ours([[2], [1]], 'INT64'), ROWS, 'agree'],
    ['the order that a query determines counts', ours([[2], [1]], 'INT64'), ROWS, 'wrong order', { orderedBy: [0] }],
    ['a row more is wrong', ours([[1], [2], [2]], 'INT64'), ROWS, 'wrong'],
    ['another value is wrong', ours([[1], [3]], 'INT64'), ROWS, 'wrong'],
    ['another type is told apart', ours([[1], [2]], 'FLOAT64'), ROWS, 'type INT64 / FLOAT64'],
    ['the last digit of FLOAT64 may differ', ours([[0.1 + 0.2]], 'FLOAT64'), theirs([[0.3]], FLOAT64), 'agree'],
    [
      'nothing is near an infinity',
      ours([['Infinity'], [5]], 'FLOAT64'),
      theirs([[5], [Number.POSITIVE_INFINITY]], FLOAT64),
      'agree',
    ],
    ['nor is an infinity near a number', ours([['Infinity']], 'FLOAT64'), theirs([[5]], FLOAT64), 'wrong'],
    ['more digits may not', ours([[1.00001]], 'FLOAT64'), theirs([[1]], FLOAT64), 'wrong'],
    ['but for sums and the like', ours([[1 + 1e-10]], 'FLOAT64'), theirs([[1]], FLOAT64), 'agree', { isInexact: true }],
    [
      'also where they are written as text',
      ours([['x 2.3025850929940457']], 'STRING'),
      theirs([['x 2.302585092994046']], STRING),
      'agree',
      { isInexact: true },
    ],
    ['a text is compared by its characters', ours([['1.0']], 'STRING'), theirs([['1']], STRING), 'wrong'],
    ['an error for rows', fault('Bad int64 value: x'), ROWS, 'error Bad int0 value: x'],
    ['two errors agree', fault('Bad int64 value: x'), refusal('something else'), 'fail'],
    ['rows for a refused query', ours([[1]], 'INT64'), refusal('No such thing [at 1:8]'), 'lenient No such thing'],
    ['rows for a failed one', ours([[1]], 'INT64'), refusal('division by zero: 1 / 0'), 'lazy division by zero: 0 / 0'],
    [
      'a refusal by name',
      fault('AVG of BIGNUMERIC is not supported by the embedded engine at [1:8]'),
      ROWS,
      'refused AVG of BIGNUMERIC is not supported by the embedded engine',
    ],
    ['the bare sentence', fault('The query failed'), refusal('x'), 'bare'],
    [
      'a fault of ours',
      fault('Internal error: no column #2 in sight'),
      ROWS,
      'internal Internal error: no column #0 in sight',
    ],
    ['what is not a fault of the query', { kind: 'error', message: 'x', isFault: false }, ROWS, 'internal x'],
    ['no answer in time', { kind: 'timeout' }, ROWS, 'timeout'],
    [
      'what the reference lacks',
      ours([[1]], 'INT64'),
      { kind: 'none', message: 'Function not found: F' },
      'unanswered Function not found: F',
    ],
  ]
  for (const [what, our, their, verdict, question] of CASES) {
    it(what, () => expect(classOf(our, their, question)).to.equal(verdict))
  }

  it('knows differences that are right, and gives a reason', () => {
    const verdict = judge(QUESTION, fault('Array cannot have a null element; error in writing field x'), ROWS)
    expect(reasonOf('SELECT [NULL]', verdict)).to.include('data-types#array_nulls')
    const wrong = judge(QUESTION, ours([[3]], 'INT64'), ROWS)
    expect(reasonOf('SELECT 1', wrong)).to.equal(undefined)
    expect(reasonOf('SELECT VAR_POP(x) FROM `d.x`', wrong)).to.include('no digits that count')
    expect(reasonOf(null, wrong)).to.equal(undefined)
  })
})

describe('causes of differences', () => {
  const difference = (sql: string, index: number): Difference => {
    const question = questionOf(query`${sql}`)
    return { index, question, verdict: judge(question, ours([[1]], 'INT64'), theirs([['2']], INT64)) }
  }

  it('are one where the smallest queries have the same words, shown by the shortest', () => {
    const causes = new Causes()
    causes.add(difference("SELECT SPLIT('a b', ' ') AS c1", 7))
    causes.add(difference("SELECT SPLIT('a') AS c1", 9))
    causes.add(difference('SELECT ABS(-1) AS c1', 11))
    expect(causes.list().map(({ sql, others, queries }) => [sql, others, queries])).to.deep.equal([
      ["SELECT SPLIT('a') AS c1", ["SELECT SPLIT('a b', ' ') AS c1"], [7, 9]],
      ['SELECT ABS(-1) AS c1', [], [11]],
    ])
  })

  it('of one message are not looked into for ever', () => {
    const causes = new Causes()
    const question = questionOf(query`${"SELECT CAST('x' AS INT64) AS c1"}`)
    const verdict = judge(question, fault('Bad int64 value: x'), theirs([['2']], INT64))
    expect(causes.countKnown(0, verdict)).to.equal(false)
    for (let i = 0; i < 30; i++) causes.add({ index: i, question, verdict })
    expect(causes.countKnown(30, verdict)).to.equal(true)
    expect(causes.list().map(({ queries }) => queries.length)).to.deep.equal([31])
  })

  it('are reported with what was expected and found', () => {
    const causes = new Causes()
    causes.add(difference('SELECT ABS(-1) AS c1', 3))
    const report = reportText({ seed: 's', done: 9, counts: new Map([['wrong', 1]]), byFamily: new Map(), causes })
    expect(report).to.include('# Seed s: 9 queries').and.include('SELECT ABS(-1) AS c1')
    expect(report).to.include('- expected: [["2"]] INT64\n- found: [[1]] INT64\n- queries 3')
  })
})

describe('the options of make fuzz', () => {
  const read = (...args: string[]) => readOptions(args, () => 'new')

  it('have defaults, and a seed of their own', () => {
    expect(read()).to.include({ seed: 'new', from: 0, to: 1_000, allow: 0, isStrict: false })
    expect(read('--seed', '7', '--from', '10', '--count', '5')).to.include({ seed: '7', from: 10, to: 15 })
  })

  it('are refused with words', () => {
    const bad = (...args: string[]): string => {
      try {
        read(...args)
      } catch (error) {
        if (error instanceof OptionError) return error.message
      }
      return 'accepted'
    }
    expect(bad('--family', 'windoes')).to.include('There is no family windoes; there are functions, ')
    expect(bad('--count', 'many')).to.equal('--count is a whole number, not many')
    expect(bad('--cuont', '1')).to.include("Unknown option '--cuont'")
    expect(bad('--family=-windows')).to.equal('accepted')
  })
})
