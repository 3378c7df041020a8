import { expect } from 'chai'
import {
  type Answer,
  type CompareOptions,
  type Difference,
  resultDifferences,
} from '../../../authoring/compare/results.js'
import { parseExact, stringifyExact } from '../../../runner/model/exact-json.js'

const EXACT: CompareOptions = { maxRows: 5, floatDigits: null, isUnordered: false }
const answer = (rows: readonly unknown[][], types = ['INT64', 'STRING'], isTruncated = false): Answer => ({
  kind: 'rows',
  columns: types.map((type, i) => ({ name: 'ab'[i]!, type })),
  body: Buffer.from(stringifyExact({ rows })),
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
const NESTED = ['FLOAT64', 'ARRAY<STRUCT<f FLOAT64>>']
/** A result of one row, whose numbers keep their digits. */
const exact = (row: string, types: readonly string[]): Answer => answer([parseExact(row) as unknown[]], [...types])
const ROWS = [
  [1, 'x'],
  [2, 'y'],
  [3, null],
]

/** Two rows whose order the last digit of the first column would change. */
const FRACTIONS = [
  [0.1, 'b'],
  [0.1, 'a'],
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
      ours: answer([[0.1, [{ f: -1234.5678901 }]]], NESTED),
      theirs: answer([[0.10000000000000002, [{ f: -1234.5678902 }]]], NESTED),
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
      says: 'the digits of numbers that a double cannot hold',
      ours: exact('[9007199254740993, {"a": 12345678901234567890}]', ['NUMERIC', 'JSON']),
      theirs: exact('[9007199254740992, {"a": 12345678901234567891}]', ['NUMERIC', 'JSON']),
      expected: [
        value(1, 'a', '9007199254740993', '9007199254740992'),
        value(1, 'b.a', '12345678901234567890', '12345678901234567891'),
      ],
    },
    {
      says: 'not numbers beyond the digits of doubles that are equal',
      ours: exact('[1, {"a": 12345678901234567890}]', ['INT64', 'JSON']),
      theirs: exact('[2, {"a": 12345678901234567890}]', ['INT64', 'JSON']),
      expected: [value(1, 'a', '1', '2')],
    },
    {
      says: 'not members called toJSON',
      ours: answer([[1, { toJSON: 1 }]], ['INT64', 'JSON']),
      theirs: answer([[1, { toJSON: 2 }]], ['INT64', 'JSON']),
      expected: [value(1, 'b.toJSON', '1', '2')],
    },
    {
      says: 'the bytes, where all values agree',
      ours: { ...answer([[1, 'x']]), body: Buffer.from('{"rows":[[1.0,"x"]]}') } as Answer,
      theirs: answer([[1, 'x']]),
      expected: [{ kind: 'bytes', duckdb: '{"rows":[[1.0,"x"]]}', bigquery: '{"rows":[[1,"x"]]}' }],
    },
    {
      says: 'the sign of zero',
      ours: { ...answer([[0, 'x']]), body: Buffer.from('{"rows":[[-0.0,"x"]]}') } as Answer,
      theirs: answer([[0, 'x']]),
      expected: [value(1, 'a', '-0', '0')],
    },
    {
      says: 'not large doubles that are equal to this many digits',
      ours: answer([[1.2345678901234567e20, [{ f: 1e300 }]]], NESTED),
      theirs: answer([[1.2345678901234568e20, [{ f: 1.0000000000000002e300 }]]], NESTED),
      options: { floatDigits: 10 },
      expected: [],
    },
    {
      says: 'whole numbers within JSON, and not its fractions',
      ours: answer([[1, { count: 1_000_000, ratio: 0.1 }]], ['INT64', 'JSON']),
      theirs: answer([[1, { count: 1_000_001, ratio: 0.10000000000000002 }]], ['INT64', 'JSON']),
      options: { floatDigits: 3 },
      expected: [value(1, 'b.count', '1000000', '1000001')],
    },
    {
      says: 'the order of rows that agree to this many digits',
      ours: answer([...FRACTIONS], ['FLOAT64', 'STRING']),
      theirs: answer([FRACTIONS[1]!, [0.10000000000000002, 'b']], ['FLOAT64', 'STRING']),
      options: { floatDigits: 9 },
      expected: [{ kind: 'order', row: 1, duckdb: '[0.1,"b"]', bigquery: '[0.1,"a"]' }],
    },
    {
      says: 'not rows in another order that agree to this many digits',
      ours: answer([...FRACTIONS], ['FLOAT64', 'STRING']),
      theirs: answer([FRACTIONS[1]!, [0.10000000000000002, 'b']], ['FLOAT64', 'STRING']),
      options: { floatDigits: 9, isUnordered: true },
      expected: [],
    },
    {
      says: 'none of rows in another order that agree to more digits than a double has',
      ours: answer([...FRACTIONS], ['FLOAT64', 'STRING']),
      theirs: answer([...FRACTIONS].reverse(), ['FLOAT64', 'STRING']),
      options: { floatDigits: 999_999, isUnordered: true },
      expected: [],
    },
    {
      says: 'at the place of the row in the result of DuckDB',
      ours: answer([...ROWS].reverse()),
      theirs: answer([
        [1, 'x'],
        [2, 'y'],
        [4, null],
      ]),
      options: { isUnordered: true },
      expected: [value(1, 'a', '3', '4')],
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
