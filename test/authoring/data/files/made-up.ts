/** Makes up small files of tables: types, their spellings, formats, endings, and ways to write a text file. The same seed makes the same file. */
import { gzipSync } from 'node:zlib'
import type { TextFormFlags } from '../../../../authoring/data/text-form-flags.js'
import type { SchemaField } from '../../../../googlesql/index.js'
import { type Random, randomOf } from '../../../../tools/fuzz/random.js'

export interface MadeUpFile {
  /** The name after that of the table, with the dot. */
  readonly ending: string
  /** The text, or the SELECT whose rows DuckDB writes as Parquet. */
  readonly content: Buffer | string
  /** The table resource by which the file is to be read; null for the schema that `tables infer` writes. */
  readonly resource: object | null
  /** The flags that `tables infer` needs. */
  readonly flags: TextFormFlags
  readonly columns: readonly string[]
  /** What stands in the cells; null for a missing value, undefined where it is a list, an object or bytes. */
  readonly cells: readonly (readonly (string | null | undefined)[])[]
}

/** By type: spellings that are read, and others, which may be read or refused. */
const SPELLINGS: Readonly<Record<string, readonly [plain: readonly string[], others: readonly string[]]>> = {
  INTEGER: [
    ['0', '7', '-12', '42', '9223372036854775807', '-9223372036854775808', '9007199254740993', '1700000000'],
    [
      '+5',
      '12.0',
      '007',
      '9223372036854775808',
      '1e3',
      '0x1f',
      ' 3',
      '1,000',
      '1.000',
      '-0',
      '1_000',
      '٣',
      '12 ',
      '1.5',
    ],
  ],
  FLOAT: [
    ['1.5', '-0.25', '1e300', '5e-324', '0.1', '100', '1.7976931348623157e308', '-0.0', '1E3', '0.30000000000000004'],
    [
      'NaN',
      'Infinity',
      '-inf',
      '1e999',
      '.5',
      '5.',
      '1.50',
      '+1.5',
      '1,5',
      '1.234,5',
      '1 000.5',
      '12345678901234567890',
    ],
  ],
  NUMERIC: [
    ['1.10', '-99999999999999999999999999999.999999999', '0.000000001', '123456789.123456789', '5', '-0.5'],
    ['1e5', '0.0000000001', '1e40', '1,5', '+2', '00.5', '.5'],
  ],
  BIGNUMERIC: [
    ['1.10', '123456789012345678901234567890123456789012.12345678901234567890123456789012345678', '-7'],
    ['1e38', '1e39', '.5'],
  ],
  BOOLEAN: [
    ['true', 'false'],
    ['TRUE', 'False', 't', 'yes', 'Y', '1', '0', 'n', 'on', '2'],
  ],
  STRING: [
    [
      'x',
      'Köln',
      '',
      ' pad ',
      'a"b',
      "it's",
      'a,b;c',
      'line\nbreak',
      'NULL',
      'a\tb',
      '\\',
      '{"a":1}',
      '-',
      '=1+1',
      'ünï',
    ],
    ['😀', '2024-01-01', '1.50', '007', 'true', 'a\r\nb', '[1]', '\u00a0', '"', '""', 'NaN', '\ufeff', "'", '#c'],
  ],
  DATE: [
    ['2024-02-29', '0001-01-01', '9999-12-31', '1970-01-01'],
    [
      '2024-2-9',
      '2024/02/09',
      '20240209',
      '2023-02-29',
      '31.12.2024',
      '2024-02-29T00:00:00',
      '10000-01-01',
      '0000-01-01',
      ' 2024-01-01',
    ],
  ],
  TIME: [
    ['12:34:56', '00:00:00.000001', '23:59:59.999999'],
    ['1:2:3', '12:34', '24:00:00', '12:34:56.1234567', '12:34:60', '12:34:56Z'],
  ],
  DATETIME: [
    ['2024-01-02T03:04:05', '2024-01-02 03:04:05.678', '0001-01-01 00:00:00', '9999-12-31T23:59:59.999999'],
    [
      '2024-01-02',
      '2024-1-2 3:4:5',
      '2024-01-02T03:04:05Z',
      '2024/01/02 03:04:05',
      '2024-01-02 03:04',
      '2024-01-02T03:04:05.1234567',
    ],
  ],
  TIMESTAMP: [
    [
      '2024-01-02T03:04:05Z',
      '2024-01-02 03:04:05+02:00',
      '2024-01-02 03:04:05 UTC',
      '2024-01-02 03:04:05',
      '0001-01-01T00:00:00Z',
      '2024-01-02T03:04:05.678901Z',
    ],
    [
      '2015/01/01 01:00:00',
      '2014-08-19 07:41:35.220 -05:00',
      '2024-01-02 03:04:05 Europe/Berlin',
      '1704164645',
      '1704164645000',
      '1704164645.5',
      '2024-01-02T03:04:05.123456789Z',
      '2024-01-02',
      '2024-01-02T03:04',
      '2024-01-02t03:04:05z',
      '2024-06-30T23:59:60Z',
      '9999-12-31T23:59:59-01:00',
      '2024-01-02T03:04:05+0530',
      '2024-01-02T03:04:05+14',
      '02/01/2024 03:04',
      '-1',
      '0',
      'Jan 1 2000',
    ],
  ],
  BYTES: [
    ['aGk=', '', 'AA==', '+/+/'],
    ['aGk', 'aGk_', 'a', '====', 'aG k='],
  ],
}
const TYPES = Object.keys(SPELLINGS)
const NAMES = [
  'a',
  'B',
  'name',
  'order_id',
  '@timestamp',
  'http.status',
  'Länge',
  'with space',
  '2024',
  'x-y',
  'Body (g)',
  'select',
]

/** A value as it stands in a file: `isText` tells whether JSON has it in quotes. */
interface Spelled {
  readonly raw: string | null
  readonly isText: boolean
  /** The JSON of a list or an object. */
  readonly nested?: string
}

const ABSENT: Spelled = { raw: null, isText: false }
const JSON_TOKEN = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function spell(type: string, random: Random): Spelled {
  if (random.chance(0.12)) return ABSENT
  const [plain, others] = SPELLINGS[type]!
  const raw = random.pick(random.chance(0.05) ? others : plain)
  return { raw, isText: type === 'STRING' ? random.chance(0.95) : random.chance(0.3) }
}

const padded = (pad: string, value: Spelled): Spelled =>
  value.raw === null ? value : { ...value, raw: pad + value.raw }

export function makeUpFile(seed: string): MadeUpFile {
  const random = randomOf('files', seed)
  return random.chance(0.1) ? makeUpParquet(random) : makeUpText(random)
}

/** By type: DuckDB's type of the column. */
const STORED: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  FLOAT: 'DOUBLE',
  NUMERIC: 'DECIMAL(38, 9)',
  BIGNUMERIC: 'VARCHAR',
  BOOLEAN: 'BOOLEAN',
  STRING: 'VARCHAR',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'TIMESTAMP',
  TIMESTAMP: 'TIMESTAMPTZ',
  BYTES: 'BLOB',
}

/** Columns with the types of DuckDB, or with texts that a schema declares as another type. */
function makeUpParquet(random: Random): MadeUpFile {
  const isDeclared = random.chance(0.5)
  const names = random.some(NAMES, 1, 4)
  const columns = names.map(name => {
    const type = random.pick(TYPES)
    return { name, type, stored: isDeclared && random.chance(0.3) ? 'VARCHAR' : STORED[type]! }
  })
  const rows = random.several(1, 4, () =>
    columns.map(({ type, stored }) => {
      const [plain, others] = SPELLINGS[type]!
      if (random.chance(0.12)) return null
      return random.pick(stored === 'VARCHAR' && random.chance(0.05) ? others : plain)
    }),
  )
  const cell = (raw: string | null, stored: string): string => {
    const text = raw === null ? 'NULL' : `'${raw.replaceAll("'", "''")}'`
    return stored === 'BLOB' ? `from_base64(${text})` : `CAST(${text} AS ${stored})`
  }
  const values = rows.map(row => `(${row.map((raw, i) => cell(raw, columns[i]!.stored))})`)
  const fields = columns.map(({ name, type }) => ({ name: columnName(name), type, mode: 'NULLABLE' }))
  return {
    ending: random.pick(['.parquet', '.parquet', '.parq', '.PARQUET']),
    content: `SELECT * FROM (VALUES ${values}) AS t(${names.map(name => `"${name}"`)})`,
    resource: isDeclared ? { schema: { fields } } : null,
    flags: {},
    columns: names,
    cells: rows.map(row => row.map((raw, i) => (columns[i]!.stored === 'BLOB' ? undefined : raw))),
  }
}

function makeUpText(random: Random): MadeUpFile {
  const isCsv = random.chance(0.5)
  const isDeclared = random.chance(0.5)
  // In CSV of one column, the line of a row without a value would be empty, and no row.
  const names = random.some(NAMES, isCsv ? 2 : 1, 4)
  const fields: SchemaField[] = names.map(name => ({
    name: isDeclared ? columnName(name) : name,
    type: random.pick(TYPES),
    mode: isDeclared && random.chance(0.05) ? 'REQUIRED' : 'NULLABLE',
  }))
  const pad = isCsv && random.chance(0.04) ? ' ' : ''
  const rows = random.several(1, 4, () => fields.map(({ type }) => padded(pad, spell(type, random))))
  const lists = isCsv
    ? []
    : random
        .some(
          fields.map((_, i) => i),
          0,
          1,
        )
        .filter(() => random.chance(0.4))
  for (const column of lists) nest(column, fields, rows, random)
  const file = isCsv ? writeCsv(names, rows, random) : writeJson(names, rows, random)
  const [packed, pack] = random.weighted([
    [16, ['', (bytes: Buffer) => bytes]],
    [3, ['.gz', (bytes: Buffer): Buffer => gzipSync(bytes)]],
    [1, ['.zst', asZstd]],
  ])
  return {
    ending: file.ending + packed,
    content: pack(file.bytes),
    resource: isDeclared ? { schema: { fields }, ...(file.form && { externalDataConfiguration: file.form }) } : null,
    flags: file.flags,
    columns: names,
    cells: rows.map(row => row.map(({ raw, nested }) => (nested === undefined ? raw && file.written(raw) : undefined))),
  }
}

/** A frame of one block without compression: https://www.rfc-editor.org/rfc/rfc8878#name-frame_header */
function asZstd(bytes: Buffer): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt32LE(0xfd2fb528)
  // One segment, and a content size of four bytes.
  header[4] = 0xa0
  header.writeUInt32LE(bytes.length, 5)
  header.writeUIntLE((bytes.length << 3) | 1, 9, 3)
  return Buffer.concat([header, bytes])
}

/** Names with these characters stay as they are: https://cloud.google.com/bigquery/docs/schemas#flexible-column-names */
const columnName = (key: string): string =>
  /^[\w\p{L} -]+$/u.test(key) ? key : key.replace(/[^\p{L}\p{N}_]/gu, '_').replace(/^(?=\d)/, '_')

/** Makes a list or a record of a column. */
function nest(column: number, fields: SchemaField[], rows: Spelled[][], random: Random): void {
  const { name, type } = fields[column]!
  const isList = random.chance(0.5)
  fields[column] = isList
    ? { name, type, mode: 'REPEATED' }
    : {
        name,
        type: 'RECORD',
        mode: 'NULLABLE',
        fields: [
          { name: 'f', type, mode: 'NULLABLE' },
          { name: 'g', type: 'STRING', mode: 'NULLABLE' },
        ],
      }
  for (const row of rows) {
    const items = random
      .several(0, 3, () => tokenOf(spell(type, random)))
      .filter(token => token !== 'null' || random.chance(0.1))
    row[column] = {
      ...ABSENT,
      nested: isList
        ? `[${items.join(', ')}]`
        : `{${items.slice(0, 1).map(token => `"${random.chance(0.1) ? 'F' : 'f'}": ${token}`)}}`,
    }
  }
}

const tokenOf = ({ raw, isText, nested }: Spelled): string =>
  nested ?? (raw === null ? 'null' : !isText && JSON_TOKEN.test(raw) ? raw : JSON.stringify(raw))

interface TextFile {
  readonly ending: string
  readonly bytes: Buffer
  readonly form: object | null
  readonly flags: TextFormFlags
  /** How it writes a value. */
  written(raw: string): string
}

function writeJson(names: readonly string[], rows: readonly (readonly Spelled[])[], random: Random): TextFile {
  const [space, line] = [
    random.pick(['', ' ']),
    random.weighted([
      [8, '\n'],
      [2, '\r\n'],
    ]),
  ]
  const layout = random.weighted([
    [6, 'lines'],
    [2, 'array'],
    [1, 'array of many lines'],
    [1, 'Records'],
  ] as const)
  const objects = rows.map(row => {
    const members = row.flatMap((value, i) => {
      if (value.raw === null && value.nested === undefined && random.chance(0.5)) return []
      const key = random.chance(0.05) ? names[i]!.toUpperCase() : names[i]!
      return [`${JSON.stringify(key)}:${space}${tokenOf(value)}`]
    })
    if (random.chance(0.02)) members.push(`"extra":${space}1`)
    if (random.chance(0.1)) members.reverse()
    const between = layout === 'array of many lines' ? `,${line}  ` : `,${space}`
    return `{${members.join(between)}}`
  })
  const end = random.chance(0.9) ? line : ''
  const list = `[${space}${objects.join(`,${line}`)}${space}]`
  const texts = {
    lines: objects.join(random.chance(0.05) ? line + line : line) + end,
    array: list + end,
    'array of many lines': list + end,
    Records: `{"version": 1,${line}"Records": ${list}}${end}`,
  }
  const mark = random.chance(0.05) ? '\ufeff' : ''
  const isWrapped = layout === 'Records'
  return {
    ending:
      layout === 'lines'
        ? random.pick(['.ndjson', '.jsonl', '.json', '.NDJSON'])
        : random.pick(['.json', '.json', '.JSON']),
    bytes: Buffer.from(mark + texts[layout]),
    form: isWrapped ? { rows: 'Records' } : null,
    flags: isWrapped ? { rows: 'Records' } : {},
    written: raw => raw,
  }
}

function writeCsv(names: readonly string[], rows: readonly (readonly Spelled[])[], random: Random): TextFile {
  const delimiter = random.weighted([
    [6, ','],
    [3, ';'],
    [1, '\t'],
    [1, '|'],
  ])
  const line = random.weighted([
    [7, '\n'],
    [3, '\r\n'],
  ])
  const quotesAll = random.chance(0.15)
  const hasComma = delimiter === ';' && random.chance(0.4)
  const titles = random.chance(0.08) ? ['Sales of 2024', ''] : []
  const cellOf = (text: string): string =>
    quotesAll || text === '' || /["\r\n]/.test(text) || text.includes(delimiter) || random.chance(0.05)
      ? `"${text.replaceAll('"', '""')}"`
      : text
  const number = (text: string): string => (hasComma && /^-?\d+\.\d+$/.test(text) ? text.replace('.', ',') : text)
  const header = names.map(name => (random.chance(0.05) ? name.toUpperCase() : name)).join(delimiter)
  const lines = rows.map(row => row.map(({ raw }) => (raw === null ? '' : cellOf(number(raw)))).join(delimiter))
  const text = [...titles, header, ...lines].join(line) + (random.chance(0.9) ? line : '')
  const encoding = random.weighted([
    [10, 'UTF-8'],
    [1, 'a mark'],
    [1, 'UTF-16LE'],
    [1, 'ISO-8859-1'],
  ] as const)
  const isLatin = encoding === 'ISO-8859-1' && /^[\0-\xff]*$/.test(text)
  const csvOptions = {
    ...(delimiter !== ',' && { fieldDelimiter: delimiter }),
    ...(titles.length > 0 && { skipLeadingRows: titles.length + 1 }),
    ...(isLatin && { encoding }),
    ...(encoding === 'UTF-16LE' && { encoding }),
  }
  const form = { ...(Object.keys(csvOptions).length > 0 && { csvOptions }), ...(hasComma && { decimalComma: true }) }
  const bytes = isLatin
    ? Buffer.from(text, 'latin1')
    : encoding === 'UTF-16LE'
      ? Buffer.from(`\ufeff${text}`, 'utf16le')
      : Buffer.from((encoding === 'a mark' ? '\ufeff' : '') + text)
  return {
    ending: random.weighted([
      [8, '.csv'],
      [1, '.CSV'],
      [1, '.tsv'],
    ]),
    bytes,
    form: Object.keys(form).length > 0 ? form : null,
    flags: {},
    written: number,
  }
}
