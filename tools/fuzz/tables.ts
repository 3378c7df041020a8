/** The tables that the random queries read, the same in both engines. */
import { parseTypeName } from '../../googlesql/types/parse-type-name.js'
import type { Type } from '../../googlesql/types/types.js'
import type { CaseTable } from '../../test/googlesql/case-files.js'
import { type Value, wireValue } from './literals.js'

export interface FuzzTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: Type }[]
  /** Values in the form of `Value` in literals.ts. */
  readonly rows: readonly (readonly Value[])[]
}

const table = (
  name: string,
  columns: Readonly<Record<string, string>>,
  rows: readonly (readonly Value[])[],
): FuzzTable => ({
  name,
  columns: Object.entries(columns).map(([name, type]) => ({ name, type: parseTypeName(type)! })),
  rows,
})

const EVERY = {
  id: 'INT64',
  b: 'BOOL',
  i: 'INT64',
  j: 'INT64',
  x: 'FLOAT64',
  y: 'FLOAT64',
  n: 'NUMERIC',
  m: 'BIGNUMERIC',
  s: 'STRING',
  k: 'STRING',
  z: 'BYTES',
  d: 'DATE',
  dt: 'DATETIME',
  tm: 'TIME',
  ts: 'TIMESTAMP',
  js: 'JSON',
  l: 'ARRAY<STRING>',
  a: 'ARRAY<INT64>',
  r: 'STRUCT<a INT64, b STRING, c FLOAT64>',
  q: 'ARRAY<STRUCT<k STRING, v INT64>>',
}

/** A table of ordinary values, with a column of every type and a row of NULLs. */
const T = table('d.t', EVERY, [
  [
    '1',
    true,
    '5',
    '2',
    1.5,
    10,
    '1.5',
    '2.25',
    'abc',
    'a',
    'YWJj',
    '2024-01-15',
    '2024-01-15T10:17:00',
    '10:17:00',
    '2024-01-15T10:17:00Z',
    '{"a":1,"b":[1,2,{"c":null}],"s":"x"}',
    ['x', 'y'],
    ['1', '2', '3'],
    ['1', 'x', 1.5],
    [
      ['p', '1'],
      ['q', null],
    ],
  ],
  [
    '2',
    false,
    '3',
    '7',
    0.1,
    4,
    '0.1',
    '10',
    'Hello World',
    'b',
    'AAEC',
    '2024-02-29',
    '2024-02-29T12:34:56.789',
    '12:34:56.789',
    '2024-02-29T12:34:56.789Z',
    '"text"',
    ['a'],
    ['5'],
    ['2', null, null],
    [['p', '2']],
  ],
  [
    '3',
    true,
    '5',
    '0',
    -2.5,
    3,
    '-2.5',
    '-7',
    '',
    'a',
    '',
    '2023-12-31',
    '2023-12-31T23:59:59.999999',
    '23:59:59.999999',
    '2023-12-31T23:59:59.999999Z',
    '[1,"a",true,null,1.5]',
    [],
    ['3', '1', '2'],
    [null, 'y', 2.5],
    [],
  ],
  [
    '4',
    null,
    '0',
    '-4',
    0,
    -1,
    '0',
    '0',
    'a,b',
    null,
    '/w==',
    '2020-06-15',
    '2020-06-15T00:00:00',
    '00:00:00',
    '2020-06-15T00:00:00Z',
    '3',
    ['x', '', 'x'],
    ['7', '7'],
    ['1', 'x', 1.5],
    [
      ['r', '3'],
      ['r', '3'],
    ],
  ],
  [
    '5',
    false,
    '-8',
    '3',
    100,
    0.25,
    '12.345',
    '3.5',
    'Ünïcödé ß',
    'c',
    'w6k=',
    '1969-12-31',
    '1969-12-31T23:00:00',
    '06:30:00',
    '1969-12-31T23:00:00Z',
    '{"a":{"b":{"c":"deep"}},"n":12}',
    ['é'],
    [],
    ['0', '', 0],
    [[null, null]],
  ],
  [
    '6',
    true,
    '42',
    '1',
    2.675,
    1.5,
    '7',
    '1.5',
    '12',
    'b',
    'MTI=',
    '2024-03-10',
    '2024-03-10T02:30:00',
    '02:30:00',
    '2024-03-10T10:00:00Z',
    'true',
    ['b', 'a'],
    ['-1'],
    ['3', 'b', -1],
    [
      ['p', '5'],
      ['s', '0'],
    ],
  ],
  ['7', null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, [], [], null, []],
])

/** A table with the limits of every type. */
const X = table('d.x', EVERY, [
  [
    '1',
    true,
    '9223372036854775807',
    '1',
    'NaN',
    1.7976931348623157e308,
    '99999999999999999999999999999.999999999',
    '99999999999999999999999999999.999999999',
    '😀e\u0301ß',
    'a',
    '/////w==',
    '9999-12-31',
    '9999-12-31T23:59:59.999999',
    '23:59:59.999999',
    '9999-12-31T23:59:59.999999Z',
    '12345678901234567890',
    ['', 'é'],
    ['9223372036854775807'],
    ['9223372036854775807', 'a\nb', 'NaN'],
    [['', '-9223372036854775808']],
  ],
  [
    '2',
    false,
    '-9223372036854775808',
    '0',
    'Infinity',
    5e-324,
    '-99999999999999999999999999999.999999999',
    '-99999999999999999999999999999.999999999',
    'a\nb\t"c\'\\',
    'b',
    '',
    '0001-01-01',
    '0001-01-01T00:00:00',
    '00:00:00',
    '0001-01-01T00:00:00Z',
    '{"f":1e300,"u":"ß"}',
    ['a', 'a'],
    ['-9223372036854775808', '0'],
    ['-9223372036854775808', '', 'Infinity'],
    [
      ['a', '1'],
      ['a', null],
    ],
  ],
  [
    '3',
    null,
    '9007199254740993',
    '-1',
    '-Infinity',
    -0,
    '0.000000001',
    '-0.000000001',
    '%_\\',
    null,
    'gA==',
    '1970-01-01',
    '1970-01-01T00:00:00',
    '00:00:00.000001',
    '1970-01-01T00:00:00Z',
    '{}',
    [],
    [],
    ['0', null, -0],
    [],
  ],
  [
    '4',
    true,
    null,
    '64',
    -0,
    1e-300,
    null,
    '0',
    null,
    'a',
    'AAAAAA==',
    null,
    '1883-11-18T12:00:00',
    null,
    '1883-11-18T16:59:59Z',
    '[]',
    ['x'],
    ['0', '0', '1'],
    [null, null, null],
    [
      [null, null],
      ['b', '0'],
    ],
  ],
])

/** A table to join with the others: some keys occur once, some twice, some not at all. */
const U = table(
  'd.u',
  {
    id: 'INT64',
    t_id: 'INT64',
    k: 'STRING',
    v: 'INT64',
    w: 'FLOAT64',
    d: 'DATE',
    ts: 'TIMESTAMP',
    n: 'NUMERIC',
    tags: 'ARRAY<STRING>',
  },
  [
    ['1', '1', 'a', '10', 0.5, '2024-01-15', '2024-01-15T10:20:00Z', '1.5', ['x']],
    ['2', '1', 'b', '20', 1.5, '2024-02-29', '2024-01-15T11:00:00Z', '2.5', ['y', 'x']],
    ['3', '3', 'a', null, -2.5, null, '2023-12-31T00:00:00Z', null, []],
    ['4', '9', null, '-5', null, '2023-12-31', null, '0', ['z']],
    ['5', null, 'd', '0', 0, '2020-06-15', '2024-03-10T10:00:00Z', '-7', []],
  ],
)

const EMPTY = table('d.empty', { id: 'INT64', s: 'STRING', x: 'FLOAT64', a: 'ARRAY<INT64>' }, [])

const SHARD = { id: 'INT64', k: 'STRING', v: 'INT64', x: 'FLOAT64' }

/** The shards of `d.day_*`, all with the same columns. */
export const SHARDS: readonly FuzzTable[] = [
  table('d.day_20240101', SHARD, [
    ['1', 'a', '10', 0.5],
    ['2', 'b', null, 1.5],
    ['3', null, '5', null],
  ]),
  table('d.day_20240102', SHARD, [
    ['1', 'a', '20', -1],
    ['4', 'c', '7', 2.5],
  ]),
  table('d.day_20240105', SHARD, [['5', '', '0', 0]]),
  table('d.day_x', SHARD, [['6', 'x', '-3', 1]]),
]

/** A table that is imported by partition; its columns `_PARTITION…` are the pseudo columns of ingestion time. */
export interface PartitionedTable extends FuzzTable {
  readonly unit: 'HOUR' | 'DAY' | 'MONTH'
  /** The partitioning column; null for ingestion time. */
  readonly field: string | null
}

export const PARTITIONED: readonly PartitionedTable[] = [
  {
    ...table('p.sales', { id: 'INT64', v: 'INT64', d: 'DATE' }, [
      ['1', '10', '2024-01-01'],
      ['2', '20', '2024-01-01'],
      ['3', null, '2024-01-02'],
      ['4', '5', '2024-01-05'],
      ['5', '7', '2023-12-31'],
      ['6', '1', null],
    ]),
    unit: 'DAY',
    field: 'd',
  },
  {
    ...table('p.months', { id: 'INT64', v: 'INT64', d: 'DATE' }, [
      ['1', '10', '2024-01-01'],
      ['2', null, '2024-01-31'],
      ['3', '3', '2024-02-01'],
      ['4', '4', '2023-12-31'],
      ['5', '5', null],
    ]),
    unit: 'MONTH',
    field: 'd',
  },
  {
    ...table('p.visits', { id: 'INT64', v: 'INT64', ts: 'TIMESTAMP' }, [
      ['1', '1', '2024-01-01T00:00:00Z'],
      ['2', '2', '2024-01-01T23:59:59.999999Z'],
      ['3', null, '2024-01-02T00:00:00Z'],
      ['4', '4', '2023-12-31T23:30:00Z'],
      ['5', '5', '2024-02-01T12:00:00Z'],
      ['6', '6', null],
    ]),
    unit: 'DAY',
    field: 'ts',
  },
  {
    ...table('p.hourly', { id: 'INT64', v: 'INT64', ts: 'TIMESTAMP' }, [
      ['1', '1', '2024-01-01T00:00:00Z'],
      ['2', '2', '2024-01-01T00:59:59Z'],
      ['3', null, '2024-01-02T23:30:00Z'],
      ['4', '4', null],
    ]),
    unit: 'HOUR',
    field: 'ts',
  },
  {
    ...table('p.hits', { id: 'INT64', v: 'INT64', _PARTITIONTIME: 'TIMESTAMP', _PARTITIONDATE: 'DATE' }, [
      ['1', '10', '2024-01-01T00:00:00Z', '2024-01-01'],
      ['2', '20', '2024-01-01T00:00:00Z', '2024-01-01'],
      ['3', null, '2024-01-02T00:00:00Z', '2024-01-02'],
      ['4', '5', '2024-01-05T00:00:00Z', '2024-01-05'],
      ['5', '7', '2023-12-31T00:00:00Z', '2023-12-31'],
    ]),
    unit: 'DAY',
    field: null,
  },
]

export const FUZZ_TABLES: readonly FuzzTable[] = [T, X, U, EMPTY]

/** The tables by name, in the form that the reference and the embedded engine load. */
export const fuzzCaseTables = (): ReadonlyMap<string, CaseTable> =>
  new Map(
    [...FUZZ_TABLES, ...SHARDS, ...PARTITIONED].map(({ name, columns, rows }) => [
      name,
      { columns, rows: rows.map(row => row.map((value, i) => wireValue(value, columns[i]!.type))) },
    ]),
  )
