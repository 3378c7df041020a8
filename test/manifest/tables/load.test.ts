import { expect } from 'chai'
import { readTableSchema } from '../../../runner/manifest/tables/load.js'

const read = (name: string, schema: unknown = [{ name: 'a', type: 'STRING' }]) =>
  readTableSchema({ file: `schemas/tables/${name}.json`, text: JSON.stringify(schema, null, 2) })

describe('the name of a table schema', () => {
  for (const name of [
    'shop.orders',
    'a-project.shop.orders',
    'example.com:a-project.shop.orders',
    'shop.orders_20260131',
    'shop.größe 1-x',
  ]) {
    it(`may be ${name}`, () => {
      expect(read(name).table?.name).to.equal(name)
    })
  }

  for (const name of [
    'orders',
    'a.b.shop.orders',
    'Project.shop.orders',
    'shop.',
    '.orders',
    'shop.or/ders',
    'shop..orders',
  ]) {
    it(`may not be ${name}`, () => {
      const { table, diagnostics } = read(name)
      expect(table).to.equal(null)
      expect(diagnostics.map(({ rule }) => rule)).to.deep.equal(['table/file-name'])
    })
  }
})

describe('a table schema', () => {
  const fields = [
    { name: 'a', type: 'STRING' },
    { name: 'b', type: 'RECORD', fields: [{ name: 'c', type: 'DATE' }] },
  ]

  it('knows where each column is described', () => {
    const { table } = read('shop.orders', { schema: { fields } })
    const lineOf = (...column: readonly string[]): number => table!.placeOf(column).line
    expect([lineOf(), lineOf('a'), lineOf('b'), lineOf('b', 'c'), lineOf('b', 'none'), lineOf('none')]).to.deep.equal([
      3, 4, 8, 12, 11, 3,
    ])
  })

  it('has its mistakes at their places after a byte order mark, too', () => {
    const source = { file: 'schemas/tables/shop.orders.json', text: '\ufeff[\n{"name" "a"}]' }
    expect(readTableSchema(source).diagnostics).to.deep.include.members([
      {
        file: source.file,
        line: 2,
        column: 9,
        rule: 'table/syntax',
        severity: 'error',
        message: 'a colon is missing before this',
      },
    ])
  })
})

describe('how text files are written, in a table resource', () => {
  const schema = { fields: [{ name: 'a', type: 'STRING' }] }
  const readForm = (externalDataConfiguration: unknown) => read('shop.orders', { schema, externalDataConfiguration })

  it('stands in the words of BigQuery', () => {
    const { table, diagnostics } = readForm({
      sourceFormat: 'CSV',
      sourceUris: ['gs://bucket/orders.csv'],
      autodetect: false,
      compression: 'NONE',
      ignoreUnknownValues: true,
      decimalComma: true,
      csvOptions: {
        fieldDelimiter: '\\t',
        skipLeadingRows: '2',
        quote: '',
        encoding: 'Windows-1252',
        nullMarkers: ['', 'NA'],
        allowJaggedRows: true,
        allowQuotedNewlines: true,
      },
    })
    expect(diagnostics).to.deep.equal([])
    expect(table?.textForm).to.deep.equal({
      ignoresUnknown: true,
      delimiter: '\t',
      quote: '',
      skipLeadingRows: 2,
      encoding: 'Windows-1252',
      nullMarkers: ['', 'NA'],
      allowsJaggedRows: true,
      decimalComma: true,
    })
  })

  it('may have one word for NULL', () => {
    expect(readForm({ csvOptions: { nullMarker: 'NA' } }).table?.textForm).to.deep.equal({ nullMarkers: ['NA'] })
  })

  const mistakes: readonly (readonly [unknown, string])[] = [
    [
      { csvOptions: { fieldDelimeter: ';' } },
      '12:7: unknown key "fieldDelimeter" in "externalDataConfiguration.csvOptions"; did you mean "fieldDelimiter"?',
    ],
    [
      { decimalcomma: true },
      '11:5: unknown key "decimalcomma" in "externalDataConfiguration"; did you mean "decimalComma"?',
    ],
    [
      { csvOptions: { fieldDelimiter: '||' } },
      '12:25: "externalDataConfiguration.csvOptions.fieldDelimiter" must be one ASCII character, such as ";" or "\\t", found the text "||"',
    ],
    [
      { csvOptions: { encoding: 'UTF-32LE' } },
      '12:19: "externalDataConfiguration.csvOptions.encoding" must be one of "UTF-8", "ISO-8859-1", "UTF-16LE", "UTF-16BE", "Windows-1252", found the text "UTF-32LE"',
    ],
    [
      { csvOptions: { skipLeadingRows: -1 } },
      '12:26: "externalDataConfiguration.csvOptions.skipLeadingRows" must be at least 0, found -1',
    ],
    [
      { csvOptions: { nullMarkers: 'NA' } },
      '12:22: "externalDataConfiguration.csvOptions.nullMarkers" must be a list, found the text "NA"',
    ],
    [
      { decimalComma: 'yes' },
      '11:21: "externalDataConfiguration.decimalComma" must be true or false, found the text "yes"',
    ],
    ['CSV', '10:32: "externalDataConfiguration" must be a map, found the text "CSV"'],
  ]
  for (const [options, expected] of mistakes) {
    it(`has no ${JSON.stringify(options)}`, () => {
      const { table, diagnostics } = readForm(options)
      expect(table).to.equal(null)
      const [{ line, column, message }, ...others] = diagnostics as [(typeof diagnostics)[0], ...typeof diagnostics]
      expect(others).to.deep.equal([])
      expect(`${line}:${column}: ${message}`).to.include(expected)
    })
  }
})
