/** Files whose spelling is read alike everywhere. */
import { gzipSync } from 'node:zlib'
import type { SchemaField, TextForm } from '../../../googlesql/index.js'

export interface FileCase {
  readonly says: string
  readonly fields: readonly SchemaField[]
  readonly format: 'ndjson' | 'csv'
  readonly text: string | Buffer
  /** How the file is written. */
  readonly form?: TextForm
  readonly ignoresUnknown?: boolean
  /** The values of the columns; where there is one column, its values. */
  readonly rows?: readonly unknown[]
  /** A part of the message. */
  readonly mistake: string
}

const column = (type: string, more: Partial<SchemaField> = {}): SchemaField => ({ name: 'a', type, ...more })

const json = (
  says: string,
  field: SchemaField,
  values: readonly string[],
  rows: readonly unknown[] | string,
): FileCase => ({
  says,
  fields: [field],
  format: 'ndjson',
  text: values.map(value => `{"a": ${value}}\n`).join(''),
  ...(typeof rows === 'string' ? { mistake: rows } : { rows, mistake: '' }),
})

const lines = (
  says: string,
  format: 'ndjson' | 'csv',
  fields: readonly SchemaField[],
  text: string | Buffer,
  rows: readonly unknown[] | string,
  form?: TextForm,
): FileCase => ({
  says,
  fields,
  format,
  text,
  ...(form && { form }),
  ...(typeof rows === 'string' ? { mistake: rows } : { rows, mistake: '' }),
})

const ID = column('INTEGER', { name: 'id' })
const RECORD = column('RECORD', { fields: [ID] })
const B = column('INTEGER', { name: 'b' })
const TIME = column('TIMESTAMP', { name: '_timestamp' })
const NAMED = [
  TIME,
  column('INTEGER', { name: 'http_status_code' }),
  column('RECORD', { name: 'geo', fields: [column('STRING', { name: 'a_b' }), column('FLOAT', { name: '_1st__' })] }),
]

const TEXT = column('STRING')
const AMOUNT = column('NUMERIC', { name: 'b' })
const TWO = [TEXT, B]

const utf16 = (text: string, isBigEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

/** As many texts as the reader looks at before it chooses its SELECT. */
const MANY = Array.from({ length: 1_000 }, () => '"x"')
const MANY_READ = MANY.map(() => 'x')

/** CSV that is written in other ways. */
const FORMS: readonly FileCase[] = [
  lines(
    'a semicolon',
    'csv',
    TWO,
    'a;b\n"x;y";1\n,;2\n',
    [
      ['x;y', 1],
      [',', 2],
    ],
    { delimiter: ';' },
  ),
  lines(
    'a tab',
    'csv',
    TWO,
    'a\tb\nx\t1\n\t\n',
    [
      ['x', 1],
      [null, null],
    ],
    { delimiter: '\t' },
  ),
  lines('a bar', 'csv', TWO, 'a|b\nx|1\n', [['x', 1]], { delimiter: '|' }),
  lines('a semicolon that is not declared', 'csv', TWO, 'a;b\nx;1\n', "--delimiter ';'"),
  lines('a comma where a semicolon is declared', 'csv', TWO, 'a,b\nx,1\n', '"fieldDelimiter": ","', { delimiter: ';' }),
  lines('text behind a quote', 'csv', TWO, 'a;b\n"x"y;1\n', 'expected the delimiter ";"', { delimiter: ';' }),
  lines(
    'no quotes',
    'csv',
    TWO,
    'a,b\n"x,1\ny"z,2\n',
    [
      ['"x', 1],
      ['y"z', 2],
    ],
    { quote: '' },
  ),
  lines(
    'other quotes',
    'csv',
    TWO,
    "a,b\n'x,''y''\n',1\n\"z\",2\n",
    [
      ["x,'y'\n", 1],
      ['"z"', 2],
    ],
    { quote: "'" },
  ),
  lines(
    'no header',
    'csv',
    TWO,
    'x,1\ny,2\n',
    [
      ['x', 1],
      ['y', 2],
    ],
    { skipLeadingRows: 0 },
  ),
  lines('no header, and a cell too many', 'csv', TWO, 'x,1,2\n', 'expected 2, as the table has', {
    skipLeadingRows: 0,
  }),
  lines('no header, where there is one', 'csv', TWO, 'a,b\nx,1\n', 'b: found "b", expected an INT64', {
    skipLeadingRows: 0,
  }),
  lines('lines above the header', 'csv', TWO, 'The "year\n\na,b\nx,1\n', [['x', 1]], { skipLeadingRows: 3 }),
  lines('a mistake below lines above the header', 'csv', TWO, 'The year\n\na,b\nx,1\ny,z\n', 'b: found "z"', {
    skipLeadingRows: 3,
  }),
  lines(
    'words for NULL',
    'csv',
    TWO,
    'a,b\nNA,NA\n"NA",1\n,\n',
    [
      [null, null],
      ['NA', 1],
      [null, null],
    ],
    { nullMarkers: ['', 'NA'] },
  ),
  lines(
    'a word for NULL in place of the empty cell',
    'csv',
    TWO,
    'a,b\n\\N,\\N\n,1\n',
    [
      [null, null],
      ['', 1],
    ],
    { nullMarkers: ['\\N'] },
  ),
  lines('an empty cell that is not NULL', 'csv', TWO, 'a,b\nx,\n', 'b: found "", expected an INT64', {
    nullMarkers: ['NA'],
  }),
  lines('a header like a word for NULL', 'csv', [column('INTEGER', { name: 'NA' }), B], 'NA,b\n1,2\n', [[1, 2]], {
    nullMarkers: ['NA'],
  }),
  lines(
    'rows that end early',
    'csv',
    TWO,
    'a,b\nx\ny,1\n',
    [
      ['x', null],
      ['y', 1],
    ],
    { allowsJaggedRows: true },
  ),
  lines('rows that end early and may not', 'csv', TWO, 'a,b\nx\n', 'found 1 cell, expected 2'),
  lines(
    'rows that end early in front of a REQUIRED cell',
    'csv',
    [TEXT, { ...B, mode: 'REQUIRED' }],
    'a,b\nx\n',
    'b: found an empty cell',
    { allowsJaggedRows: true },
  ),
  lines('rows that end late', 'csv', TWO, 'a,b\nx,1,2\n', 'found 3 cells', { allowsJaggedRows: true }),
  lines(
    'a decimal comma',
    'csv',
    [TEXT, AMOUNT],
    'a;b\n1,5;1.234,50\n1.5;12,5\nx;-0,05\ny;7\nz;1.234\n',
    [
      ['1,5', '1234.5'],
      ['1.5', '12.5'],
      ['x', '-0.05'],
      ['y', '7'],
      ['z', '1234'],
    ],
    { delimiter: ';', decimalComma: true },
  ),
  lines(
    'a decimal point beside a decimal comma',
    'csv',
    [TEXT, AMOUNT],
    'a;b\nx;12.5\n',
    'b: found "12.5", expected a NUMERIC of at most 29 digits before the point, with a decimal comma',
    { delimiter: ';', decimalComma: true },
  ),
  lines('a zero and a point beside a decimal comma', 'csv', [TEXT, AMOUNT], 'a;b\nx;0.500\n', 'b: found "0.500"', {
    delimiter: ';',
    decimalComma: true,
  }),
  lines(
    'FLOAT64 and INT64 with a decimal comma',
    'csv',
    [column('FLOAT'), B],
    'a;b\n1,5e1;1.000\nNaN;2,0\n',
    [
      [15, 1000],
      ['NaN', 2],
    ],
    { delimiter: ';', decimalComma: true },
  ),
  lines('Latin-1', 'csv', TWO, Buffer.from('a,b\nKöln\x80,1\n', 'latin1'), [['Köln\u0080', 1]], {
    encoding: 'ISO-8859-1',
  }),
  lines('Windows-1252', 'csv', TWO, Buffer.from('a,b\nK\xf6ln \x80 \x93x\x94,1\n', 'latin1'), [['Köln € “x”', 1]], {
    encoding: 'Windows-1252',
  }),
  lines(
    'Windows-1252 that is not declared',
    'csv',
    TWO,
    Buffer.from('a,b\nK\xf6ln,1\n', 'latin1'),
    '--encoding Windows-1252',
  ),
  lines(
    "names of rows without one of their column, as R's",
    'csv',
    [column('STRING', { name: 'column_1' }), ...TWO],
    'a\tb\nMazda RX4\tx\t1\nValiant\ty\t2\n',
    [
      ['Mazda RX4', 'x', 1],
      ['Valiant', 'y', 2],
    ],
    { delimiter: '\t' },
  ),
  lines('a cell too many in a file with commas', 'csv', TWO, 'a,b\nx,1,5\n', '2, as the header has'),
  lines('a tab at the end of rows', 'csv', TWO, 'a\tb\nx\t1\t\n', [['x', 1]], { delimiter: '\t' }),
  lines('a comma at the end of rows', 'csv', TWO, 'a,b\nx,1,\n', [['x', 1]]),
  lines('UTF-16LE', 'csv', TWO, utf16('a,b\r\nKöln 😀,1\r\n', false), [['Köln 😀', 1]], { encoding: 'UTF-16LE' }),
  lines('UTF-16BE', 'csv', TWO, utf16('a,b\nKöln 😀,1\n', true), [['Köln 😀', 1]], { encoding: 'UTF-16BE' }),
  lines('UTF-16 that a mark tells', 'csv', TWO, utf16('a,b\nKöln,1\n', false), [['Köln', 1]]),
  lines('JSON in UTF-16 that a mark tells', 'ndjson', TWO, utf16('{"a": "Köln", "b": 1}\n', true), [['Köln', 1]]),
  lines('UTF-16 of another order', 'csv', TWO, utf16('a,b\nx,1\n', true), 'UTF-16BE by its mark, and UTF-16LE by its', {
    encoding: 'UTF-16LE',
  }),
  lines('half of a character', 'csv', TWO, utf16('a,b\nx,1\n', false).subarray(0, -1), 'the file is not UTF-16LE', {
    encoding: 'UTF-16LE',
  }),
  lines('lines that end with CR', 'csv', TWO, 'a,b\rx,1\r"y\rz",2', [
    ['x', 1],
    ['y\rz', 2],
  ]),
  lines('a CR in the header, within quotes', 'csv', [column('STRING', { name: 'a_x' }), B], '"a\rx",b\ny,1\nz,2\n', [
    ['y', 1],
    ['z', 2],
  ]),
  lines(
    'a LF in the header, within quotes, and lines that end with CR',
    'csv',
    [column('STRING', { name: 'a_x' }), B],
    'b,"a\nx"\r1,y\r2,z\r',
    [
      ['y', 1],
      ['z', 2],
    ],
  ),
  lines('lines that end with CR, with a mistake', 'csv', TWO, 'a,b\rx,1\ry,z\r', 'b: found "z"'),
]

export const CASES: readonly FileCase[] = [
  lines('keys in another case', 'ndjson', [ID], '{"id":1}\n{"ID":2}\n', [1, 2]),
  lines('keys of records in another case', 'ndjson', [RECORD], '{"a":{"id":1}}\n{"A":{"Id":2}}\n', [
    { id: 1 },
    { id: 2 },
  ]),
  lines('a key twice in an object', 'ndjson', [ID], '{"id":1,"id":2}\n', 'id: found the field a second time'),
  lines(
    'a key twice in an object, in another case',
    'ndjson',
    [ID],
    '{"Id":1,"id":2}\n',
    'id: found the field a second time',
  ),
  lines(
    'a key that the schema lacks',
    'ndjson',
    [ID],
    '{"id":1}\n{"id":1,"nmae":2}\n',
    'found the unknown field "nmae"',
  ),
  lines('a key that a record lacks', 'ndjson', [RECORD], '{"a":{"id":1,"x":2}}\n', 'found the unknown field "a.x"'),
  lines(
    'a header with spaces',
    'csv',
    [column('INTEGER'), B],
    'a, b\n1,2\n',
    'the header names an unknown column: " b"',
  ),
  lines(
    'a header with another column',
    'csv',
    [column('INTEGER'), B],
    'a,c\n1,2\n',
    'the header names an unknown column: "c"',
  ),
  lines('a header in another case and order', 'csv', [column('INTEGER'), B], 'B,A\n1,2\n', [[2, 1]]),
  lines('a byte order mark in NDJSON', 'ndjson', [ID], '\ufeff{"id":1}\n', [1]),
  lines('a byte order mark in CSV', 'csv', [column('INTEGER'), B], '\ufeffa,b\n1,2\n', [[1, 2]]),
  json(
    'a STRING of scalars',
    column('STRING'),
    ['"x"', '1', '1.50', '1e3', 'true', '-1.0', '12345678901234567890123', 'null'],
    ['x', '1', '1.50', '1e3', 'true', '-1.0', '12345678901234567890123', null],
  ),
  json(
    'a STRING that looks like another value',
    column('STRING'),
    ['"1.50"', '"{}"', '"[1]"', '"1e3"', '"nan"'],
    ['1.50', '{}', '[1]', '1e3', 'nan'],
  ),
  json('a STRING of an object', column('STRING'), ['"x"', '{"b": 1}'], 'a: found an object, expected a STRING'),
  json('a STRING of a list', column('STRING'), ['[1]'], 'a: found a list, expected a STRING'),
  json(
    'a STRING that is too long',
    column('STRING', { maxLength: '3' }),
    ['"abc"', '"abcd"'],
    'expected a STRING of at most 3 characters',
  ),
  json(
    'a NULL that is REQUIRED',
    column('STRING', { mode: 'REQUIRED' }),
    ['"abc"', 'null'],
    'a: found null, expected a value: the field is REQUIRED',
  ),
  lines(
    'a field of a record that is REQUIRED',
    'ndjson',
    [column('RECORD', { fields: [{ ...ID, mode: 'REQUIRED' }, B] })],
    '{"a":{"b":1}}\n',
    'a.id: found nothing, expected a value',
  ),
  lines(
    'an empty cell that is REQUIRED',
    'csv',
    [column('STRING', { mode: 'REQUIRED' }), B],
    'a,b\n,1\n',
    'a: found an empty cell',
  ),
  json(
    'NUMERIC',
    column('NUMERIC'),
    ['123456789.123456789', '"1.5"', '1e3', '1.5e-3', '7', '0.1', '1.00000000049999999999', '1000000000.00000001'],
    ['123456789.123456789', '1.5', '1000', '0.0015', '7', '0.1', '1', '1000000000.00000001'],
  ),
  json(
    'NUMERIC(5, 2)',
    column('NUMERIC', { precision: '5', scale: '2' }),
    ['123.455', '"0.1"', '007'.replace('00', '')],
    ['123.46', '0.1', '7'],
  ),
  json(
    'NUMERIC(5, 2) that is too large',
    column('NUMERIC', { precision: '5', scale: '2' }),
    ['1234.5'],
    'a: found 1234.5, expected a NUMERIC(5, 2)',
  ),
  json(
    'BIGNUMERIC',
    column('BIGNUMERIC'),
    ['1.0000000000000000001', '2', '"3.5"'],
    ['1.0000000000000000001', '2', '3.5'],
  ),
  json(
    'INT64',
    column('INTEGER'),
    ['1', '"+7"', '1.0', '9007199254740993.0', '1e3', '"-3"'],
    [1, 7, 1, '9007199254740993', 1000, -3],
  ),
  json('INT64 of a fraction', column('INTEGER'), ['1.5'], 'a: found 1.5, expected an INT64'),
  json('INT64 of true', column('INTEGER'), ['true'], 'a: found true, expected an INT64'),
  json(
    'FLOAT64',
    column('FLOAT'),
    ['1', '1.5', '"2.5"', '"NaN"', '"Infinity"', '1e300'],
    [1, 1.5, 2.5, 'NaN', 'Infinity', 1e300],
  ),
  json('FLOAT64 of true', column('FLOAT'), ['true'], 'a: found true, expected a FLOAT64'),
  json('FLOAT64 that is not finite', column('FLOAT'), ['1e400'], 'a: found 1e400, expected a FLOAT64'),
  json('BOOL', column('BOOLEAN'), ['true', 'false', '"true"', '"FALSE"'], [true, false, true, false]),
  json('BOOL of a number', column('BOOLEAN'), ['1'], 'a: found 1, expected a BOOL'),
  json('BOOL of yes', column('BOOLEAN'), ['"yes"'], 'a: found "yes", expected a BOOL'),
  lines('BOOL in CSV', 'csv', [column('BOOLEAN'), B], 'a,b\nyes,1\nt,1\n1,1\nFALSE,1\nn,1\n', [
    [true, 1],
    [true, 1],
    [true, 1],
    [false, 1],
    [false, 1],
  ]),
  json('BYTES of a number', column('BYTES'), ['"aGk="', '1234'], 'a: found 1234, expected BYTES'),
  json('DATE', column('DATE'), ['"2017-01-05"', '"2017-1-5"'], ['2017-01-05', '2017-01-05']),
  json(
    'TIMESTAMP',
    column('TIMESTAMP'),
    [
      '"2015/01/01 01:00:00"',
      '"2014-08-19 07:41:35.220 -05:00"',
      '"2026-01-31 12:00:00 Europe/Berlin"',
      '"1767261600"',
      '1767261600.5',
      '1.7672616e9',
      '"2026-1-5 1:2:3"',
    ],
    [
      '2015-01-01T01:00:00Z',
      '2014-08-19T12:41:35.220Z',
      '2026-01-31T11:00:00Z',
      '2026-01-01T10:00:00Z',
      '2026-01-01T10:00:00.500Z',
      '2026-01-01T10:00:00Z',
      '2026-01-05T01:02:03Z',
    ],
  ),
  ...['"9999-12-31T23:59:59-01:00"', '"0001-01-01T00:00:00+01:00"', '-99999999999', '299999999999999999'].map(time =>
    json(`TIMESTAMP beyond its years: ${time}`, column('TIMESTAMP'), [time], 'expected a TIMESTAMP'),
  ),
  ...['+05:60', '+14:30', '-9930'].map(offset =>
    json(`TIMESTAMP with the offset ${offset}`, column('TIMESTAMP'), [`"2026-01-31T12:00:00${offset}"`], 'a TIMESTAMP'),
  ),
  lines('TIMESTAMP in CSV', 'csv', [column('TIMESTAMP'), B], 'a,b\n2015/01/01 01:00:00,1\n', [
    ['2015-01-01T01:00:00Z', 1],
  ]),
  json(
    'TIMESTAMP of a zone that is not known',
    column('TIMESTAMP'),
    ['"2026-01-31 12:00:00 Europe/Nowhere"'],
    'a: found',
  ),
  json('DATE with slashes', column('DATE'), ['"2017/01/05"'], 'a: found "2017/01/05", expected a DATE'),
  json(
    'TIME',
    column('TIME'),
    ['"09:05:00.5"', '"9:5:0"', '"09:05:00.1234567"'],
    ['09:05:00.500', '09:05:00', '09:05:00.123456'],
  ),
  json('TIME without seconds', column('TIME'), ['"09:05"'], 'a: found "09:05", expected a TIME'),
  json(
    'DATETIME',
    column('DATETIME'),
    ['"2026-1-5"', '"2026-01-05T9:5:0"'],
    ['2026-01-05T00:00:00', '2026-01-05T09:05:00'],
  ),
  json('DATETIME with an offset', column('DATETIME'), ['"2026-01-05 09:05:00+01"'], 'expected a DATETIME'),
  json('INT64 beyond 64 bits', column('INTEGER'), ['9223372036854775808'], 'expected an INT64'),
  json('BYTES without padding', column('BYTES'), ['"aGk"'], 'expected BYTES'),
  json('NUMERIC of more than 29 digits', column('NUMERIC'), ['123456789012345678901234567890'], 'expected a NUMERIC'),
  json('NUMERIC that is no number', column('NUMERIC'), ['"NaN"'], 'expected a NUMERIC'),
  json('INTERVAL', column('INTERVAL'), ['"1-2 3 4:5:6.789"', '"P1Y2M3D"'], ['1-2 3 4:5:6.789', '1-2 3 0:0:0']),
  json(
    'INTERVAL of microseconds, also below zero',
    column('INTERVAL'),
    ['"0-0 0 0:0:0.000001"', '"-1-2 -3 -4:5:6.789012"'],
    ['0-0 0 0:0:0.000001', '-1-2 -3 -4:5:6.789012'],
  ),
  json('INTERVAL of a number', column('INTERVAL'), ['3'], 'a: found 3, expected an INTERVAL'),
  json(
    'RANGE',
    column('RANGE', { rangeElementType: { type: 'DATE' } }),
    ['"[2026-01-31, UNBOUNDED)"', '"[NULL, 2026-01-31)"'],
    ['[2026-01-31, UNBOUNDED)', '[UNBOUNDED, 2026-01-31)'],
  ),
  json(
    'RANGE in the other order',
    column('RANGE', { rangeElementType: { type: 'DATE' } }),
    ['"[2026-01-31, 2026-01-30)"'],
    'a',
  ),
  lines(
    'numbers in CSV',
    'csv',
    [column('INTEGER'), { name: 'n', type: 'NUMERIC' }, { name: 'f', type: 'FLOAT' }, { name: 'j', type: 'JSON' }],
    'a,n,f,j\n+7,1000000000.00000001,Infinity,"[1.50]"\n1.0,1e3,NaN,null\n',
    [
      [7, '1000000000.00000001', 'Infinity', [1.5]],
      [1, '1000', 'NaN', null],
    ],
  ),
  lines('an empty cell in quotes', 'csv', [column('STRING'), B], 'a,b\n"",""\n"x","7"\n', [
    ['', null],
    ['x', 7],
  ]),
  lines(
    'the header of a W3C log',
    'csv',
    [column('DATE', { name: 'date' }), column('INTEGER', { name: 'sc_bytes' })],
    '#Version: 1.0\n#Fields: date sc_bytes\n2025-12-01\t88\n',
    [['2025-12-01', 88]],
    { delimiter: '\t', skipLeadingRows: 2 },
  ),
  lines(
    'a gzip file without its ending',
    'csv',
    [B],
    gzipSync('b\n1\n'),
    'compressed with gzip, so its name must end in .gz',
  ),
  lines('bytes of no text', 'csv', [B], Buffer.from('b\n\xff\0\n', 'latin1'), 'the byte \\u0000'),
  lines('NaN of Python', 'ndjson', [B], '{"b": NaN}\n', 'NaN is none, write null'),
  lines('texts in CSV', 'csv', [column('STRING'), B], 'a,b\n"",1\n,2\n"x ""y""",3\n', [
    ['', 1],
    [null, 2],
    ['x "y"', 3],
  ]),
  lines(
    'INT64 with an exponent in CSV',
    'csv',
    [column('INTEGER'), B],
    'a,b\n1e3,1\n',
    'a: found "1e3", expected an INT64',
  ),
  json(
    'a list with null',
    column('INTEGER', { mode: 'REPEATED' }),
    ['[1, null]'],
    'a[1]: found null, expected a value',
  ),
  json('a list of JSON with null', column('JSON', { mode: 'REPEATED' }), ['[1, null]'], [[1, null]]),
  json(
    'a list of STRING',
    column('STRING', { mode: 'REPEATED' }),
    ['["x", 1.50]', 'null', '["1.5"]'],
    [['x', '1.50'], [], ['1.5']],
  ),
  json('JSON', column('JSON'), ['{"b": 1.50, "a": -0.0}', '"x"', '[1e2]'], [{ a: -0, b: 1.5 }, 'x', [100]]),
  lines(
    'keys that cannot name a column',
    'ndjson',
    NAMED,
    '{"@timestamp":"2026-01-31T12:00:00Z","http.status_code":200,"geo":{"a.b":"x","1st()":1.5}}\n' +
      '{"http.status_code":404,"@timestamp":null}\n',
    [
      ['2026-01-31T12:00:00Z', 200, { a_b: 'x', _1st__: 1.5 }],
      [null, 404, null],
    ],
  ),
  lines(
    'texts of keys that cannot name a column',
    'ndjson',
    [column('STRING', { name: 'a_b' }), RECORD],
    '{"a.b":1.50}\n',
    [['1.50', null]],
  ),
  lines(
    'keys of one column in rows of their own',
    'ndjson',
    [column('INTEGER', { name: 'a_b' })],
    '{"a.b":1}\n{"A_B":2}\n{"a/b":3}\n',
    [1, 2, 3],
  ),
  lines('keys in capitals, then in small letters', 'ndjson', [RECORD], '{"A":{"ID":1}}\n{"a":{"id":2}}\n', [
    { id: 1 },
    { id: 2 },
  ]),
  lines(
    'two keys of one column',
    'ndjson',
    [column('INTEGER', { name: 'a_b' })],
    '{"a_b":1}\n{"a.b":1,"a_b":2}\n',
    'a_b: found the field a second time: "a.b" and "a_b" are one name',
  ),
  {
    ...lines(
      'two keys of one column, where unknown keys are ignored',
      'ndjson',
      [column('INTEGER', { name: 'a_b' })],
      '{"a.b":1,"x":{"y":[]},"a/b":2}\n',
      'a_b: found the field a second time: "a.b" and "a/b" are one name',
    ),
    ignoresUnknown: true,
  },
  lines(
    'a key that may name a column',
    'ndjson',
    [column('INTEGER', { name: 'Body Mass' }), column('INTEGER', { name: 'größe' })],
    '{"Body Mass":1,"Größe":2}\n',
    [[1, 2]],
  ),
  {
    ...lines(
      'a column that has the key as its name',
      'ndjson',
      [column('INTEGER', { name: '@id' }), column('INTEGER', { name: '_id' })],
      '{"@id":1,"_id":2}\n',
      [[1, 2]],
    ),
    ignoresUnknown: true,
  },
  lines(
    'a header that cannot name columns',
    'csv',
    [column('INTEGER', { name: 'Body_Mass__g_' }), B],
    'Body Mass (g),b\n1,2\n',
    [[1, 2]],
  ),
  lines(
    'a header of one name for two columns',
    'csv',
    [column('INTEGER', { name: 'a_b' }), B],
    'a.b,b,a_b\n1,2,3\n',
    '"a.b" and "a_b" are one name',
  ),
  lines(
    'a header with a name three times',
    'csv',
    ['a', 'A_1', 'a_2', 'b'].map(name => column('INTEGER', { name })),
    'a,A,a,b\n1,2,3,4\n',
    [[1, 2, 3, 4]],
  ),
  lines(
    'a header with a name twice, and with the name that the second gets',
    'csv',
    ['a', 'a_2', 'a_1'].map(name => column('INTEGER', { name })),
    'a,a,a_1\n1,2,3\n',
    [[1, 2, 3]],
  ),
  lines(
    'a header with columns without a name',
    'csv',
    ['column_1', 'b', 'column_3', 'column_3_1'].map(name => column('INTEGER', { name })),
    ',b,,column_3\n1,2,4,3\n',
    [[1, 2, 3, 4]],
  ),
  lines('a row that is no object', 'ndjson', [ID], 'null\n', 'found "null", expected a row'),
  lines('lines that end in different ways', 'csv', [column('INTEGER'), B], 'a,b\r\n1,2\n3,4\r\n', [
    [1, 2],
    [3, 4],
  ]),
  lines('cells that are too many', 'csv', [column('INTEGER'), B], 'a,b\n1,2,3\n', 'found 3 cells, expected 2'),
  ...FORMS,
  json(
    'texts that look like other values, behind a thousand',
    column('STRING'),
    [...MANY, '"1.5"', '"-inf"', '"[x"', '"{x"', '"nan"'],
    [...MANY_READ, '1.5', '-inf', '[x', '{x', 'nan'],
  ),
  json(
    'numbers for STRING, behind a thousand texts',
    column('STRING'),
    [...MANY, '1.50', '-15e2', '7'],
    [...MANY_READ, '1.50', '-15e2', '7'],
  ),
  json('an object for STRING, behind a thousand texts', column('STRING'), [...MANY, '{"b":1}'], 'found an object'),
  json('a list for STRING, behind a thousand texts', column('STRING'), [...MANY, '[1]'], 'found a list'),
  {
    ...lines(
      'keys that the schema lacks, ignored',
      'ndjson',
      [ID, RECORD],
      '{"ID":1,"nmae":2,"a":{"id":1,"x":[1.5]}}\n',
      [[1, { id: 1 }]],
    ),
    ignoresUnknown: true,
  },
  {
    ...lines(
      'keys that the schema lacks, ignored, and later another case',
      'ndjson',
      [ID, RECORD],
      '{"id":1,"nmae":2,"a":{"id":1,"x":[1.5]}}\n{"id":2,"nmae":2,"a":{"ID":2,"x":[1.5]}}\n{"ID":3,"nmae":2,"a":null}\n',
      [
        [1, { id: 1 }],
        [2, { id: 2 }],
        [3, null],
      ],
    ),
    ignoresUnknown: true,
  },
  {
    ...lines('a header with another column, ignored', 'csv', [column('INTEGER'), B], 'a,c,b\n1,x,2\n', [[1, 2]]),
    ignoresUnknown: true,
  },
]
