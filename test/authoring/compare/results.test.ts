import { expect } from 'chai'
import {
  type Answer,
  type CompareOptions,
  type Difference,
  resultDifferences,
} from '../../../authoring/compare/results.js'

const EXACT: CompareOptions = { maxRows: 5, floatDigits: null, isUnordered: false }
const answer = (rows: readonly unknown[][], types = ['INT64', 'STRING'], isTruncated = false): Answer => ({
  kind: 'rows',
  columns: types.map((type, i) => ({ name: 'ab'[i]!, type })),
  body: Buffer.from(JSON.stringify({ rows })),
  rowCount: rows.length,
  isTruncated,
})
const value = (row: number, column: string, duckdb: string, bigquery: string): Difference => ({
  kind: 'value',
  row,
  column,
  duckdb,
  bigquery,
})
const ROWS = [
  [1, 'x'],
  [2, 'y'],
  [3, null],
]

describe('the differences of two results', () => {
  const CASES: readonly {
    readonly says: string
    readonly ours: Answer
    readonly theirs: Answer
    readonly options?: Partial<CompareOptions>
    readonly expected: readonly Difference[]
  }[] = [
    { says: 'none of equal ones', ours: answer(ROWS), theirs: answer(ROWS), expected: [] },
    {
      says: 'values, by row and column',
      ours: answer(ROWS),
      theirs: answer([
        [1, 'x'],
        [5, 'z'],
        [3, ''],
      ]),
      expected: [value(2, 'a', '2', '5'), value(2, 'b', '"y"', '"z"'), value(3, 'b', 'null', '""')],
    },
    {
      says: 'no more rows than are asked for',
      ours: answer(ROWS),
      theirs: answer([
        [0, 'x'],
        [0, 'y'],
        [0, null],
      ]),
      options: { maxRows: 2 },
      expected: [value(1, 'a', '1', '0'), value(2, 'a', '2', '0')],
    },
    {
      says: 'a number and its text',
      ours: answer([[1, 'x']]),
      theirs: answer([['1', 'x']]),
      expected: [value(1, 'a', '1', '"1"')],
    },
    {
      says: 'the path to nested values',
      ours: answer([[1, [{ p: { q: [1, 2] } }]]]),
      theirs: answer([[1, [{ p: { q: [1, 3] } }]]]),
      expected: [value(1, 'b[0].p.q[1]', '2', '3')],
    },
    {
      says: 'fields in another order, for bytes differ',
      ours: answer([[1, { p: 1, q: 2 }]]),
      theirs: answer([[1, { q: 2, p: 1 }]]),
      expected: [value(1, 'b', '{"p":1,"q":2}', '{"q":2,"p":1}')],
    },
    {
      says: 'the order',
      ours: answer(ROWS),
      theirs: answer([
        [1, 'x'],
        [3, null],
        [2, 'y'],
      ]),
      expected: [{ kind: 'order', row: 2, duckdb: '[2,"y"]', bigquery: '[3,null]' }],
    },
    {
      says: 'no order where none is asked for',
      ours: answer(ROWS),
      theirs: answer([
        [3, null],
        [1, 'x'],
        [2, 'y'],
      ]),
      options: { isUnordered: true },
      expected: [],
    },
    {
      says: 'how often a row is there',
      ours: answer([
        [1, 'x'],
        [1, 'x'],
        [2, 'y'],
      ]),
      theirs: answer([
        [2, 'y'],
        [1, 'x'],
        [2, 'y'],
      ]),
      options: { isUnordered: true },
      expected: [value(2, 'a', '1', '2'), value(2, 'b', '"x"', '"y"')],
    },
    {
      says: 'how many rows there are',
      ours: answer(ROWS),
      theirs: answer(ROWS.slice(0, 2)),
      expected: [{ kind: 'row-count', duckdb: '3 rows', bigquery: '2 rows' }],
    },
    {
      says: 'names and types of columns, beside values',
      ours: answer([[1, 'x']]),
      theirs: answer([[2, 'x']], ['FLOAT64', 'STRING']),
      expected: [
        { kind: 'columns', duckdb: 'a INT64, b STRING', bigquery: 'a FLOAT64, b STRING' },
        value(1, 'a', '1', '2'),
      ],
    },
    {
      says: 'the columns alone where there are not as many',
      ours: answer([[1, 'x']]),
      theirs: answer([[1]], ['INT64']),
      expected: [{ kind: 'columns', duckdb: 'a INT64, b STRING', bigquery: 'a INT64' }],
    },
    {
      says: 'whether a result was cut',
      ours: answer(ROWS, undefined, true),
      theirs: answer(ROWS),
      expected: [{ kind: 'cut', duckdb: 'cut at max_rows', bigquery: 'not cut' }],
    },
    {
      says: 'the last digit of a fraction',
      ours: answer([[0.1, 'x']]),
      theirs: answer([[0.10000000000000002, 'x']]),
      expected: [value(1, 'a', '0.1', '0.10000000000000002')],
    },
    {
      says: 'not fractions that are equal to this many digits',
      ours: answer([[0.1, [{ f: -1234.5678901 }]]]),
      theirs: answer([[0.10000000000000002, [{ f: -1234.5678902 }]]]),
      options: { floatDigits: 9 },
      expected: [],
    },
    {
      says: 'whole numbers, however close',
      ours: answer([[1_000_000_000, 'x']]),
      theirs: answer([[1_000_000_001, 'x']]),
      options: { floatDigits: 3 },
      expected: [value(1, 'a', '1000000000', '1000000001')],
    },
    {
      says: 'a failure of one',
      ours: answer(ROWS),
      theirs: { kind: 'failed', code: 'QUERY_FAILED', message: 'No such function' },
      expected: [{ kind: 'failure', duckdb: '3 rows', bigquery: 'QUERY_FAILED (No such function)' }],
    },
    {
      says: 'the failure of both, for nothing was compared',
      ours: { kind: 'failed', code: 'QUERY_TIMEOUT', message: 'x' },
      theirs: { kind: 'failed', code: 'QUERY_TIMEOUT', message: 'x' },
      expected: [{ kind: 'failure', duckdb: 'QUERY_TIMEOUT (x)', bigquery: 'QUERY_TIMEOUT (x)' }],
    },
  ]
  for (const { says, ours, theirs, options, expected } of CASES) {
    it(`are ${says}`, () => {
      expect(resultDifferences(ours, theirs, { ...EXACT, ...options })).to.deep.equal(expected)
    })
  }
})
