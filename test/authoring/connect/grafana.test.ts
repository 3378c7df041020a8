/** The files that provision Grafana, checked against their schemas; Grafana itself does not run. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { parse, parseAllDocuments } from 'yaml'
import { GRAFANA, grafanaFiles } from '../../../authoring/connect/grafana/grafana.js'
import type { ConnectCall } from '../../../authoring/connect/tool.js'
import type { PublishedEndpoint } from '../../../runner/model/published-endpoint.js'
import { anyText } from '../../any-text.js'
import { DASHBOARD, DATA_SOURCES, PROVIDERS } from './grafana-schemas.js'
import { HOSTILE_TEXTS } from './hostile-texts.js'
import { callOf, publishedColumn, publishedEndpoint, publishedParameter } from './published.js'

const URL_HERE = 'https://data.example.com'
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  formats: { uri: text => URL.canParse(text) },
})
const SCHEMAS = [DATA_SOURCES, PROVIDERS, DASHBOARD].map(schema => ajv.compile(schema))

// biome-ignore lint/suspicious/noExplicitAny: a file is JSON or YAML, and each test asserts what it reads
type Json = any

/** What Grafana, or Infinity, replaces by a value. */
const macro = (name: string): string => `\${${name}}`

/** The three documents of a snippet, each valid by its schema. */
function documentsOf(call: ConnectCall): readonly Json[] {
  const documents = parseAllDocuments(GRAFANA.write(call)) as readonly { readonly errors: unknown[]; toJSON(): Json }[]
  expect(documents).to.have.length(3)
  return documents.map((document, i) => {
    expect(document.errors).to.deep.equal([])
    const value = document.toJSON()
    const isValid = SCHEMAS[i]!
    expect(isValid(value), JSON.stringify(isValid.errors)).to.equal(true)
    return value
  })
}

const dashboardOf = (more: Partial<PublishedEndpoint>, given: ConnectCall['arguments'] = {}): Json =>
  documentsOf(callOf(URL_HERE, publishedEndpoint(more), given))[2]
const targetOf = (more: Partial<PublishedEndpoint>): Json => dashboardOf(more).panels[0].targets[0]
const variableOf = (parameter: ReturnType<typeof publishedParameter>, given: ConnectCall['arguments'] = {}): Json =>
  dashboardOf({ parameters: [parameter] }, given).templating.list[0]

/** What a dashboard's list of choices means, as Grafana reads it. */
function choicesOf(query: string): readonly string[] {
  return (query.match(/(?:\\,|[^,])+/g) ?? []).map(part => {
    const text = part.replaceAll('\\,', ',')
    return (/^\s*(.+)\s:\s(.+)$/.exec(text)?.[2] ?? text).trim()
  })
}

describe('connect grafana', () => {
  it('is a data source that sends the token as a header, to this host alone', () => {
    const [{ datasources }] = documentsOf(callOf(`${URL_HERE}/`, publishedEndpoint()))
    expect(datasources[0].jsonData.allowedHosts).to.deep.equal([URL_HERE])
  })

  it('has a column of the right type for each column', () => {
    const types: readonly (readonly [type: string, wanted: string, timestampFormat?: string])[] = [
      ['INT64', 'number'],
      ['FLOAT64', 'number'],
      ['NUMERIC', 'number'],
      ['BIGNUMERIC', 'number'],
      ['BOOL', 'boolean'],
      ['STRING', 'string'],
      ['BYTES', 'string'],
      ['TIMESTAMP', 'timestamp', '2006-01-02T15:04:05Z07:00'],
      ['DATETIME', 'timestamp', '2006-01-02T15:04:05'],
      ['DATE', 'timestamp', '2006-01-02'],
      ['TIME', 'string'],
      ['INTERVAL', 'string'],
      ['JSON', 'string'],
      ['ARRAY<STRUCT<a INT64>>', 'string'],
      ['STRUCT', 'string'],
    ]
    const columns = types.map(([type], i) => publishedColumn(`c${i}`, type))
    expect(targetOf({ columns }).columns).to.deep.equal(
      types.map(([, type, timestampFormat], i) => ({
        selector: `c${i}`,
        text: `c${i}`,
        type,
        ...(timestampFormat && { timestampFormat }),
      })),
    )
    const unix = targetOf({ columns: [publishedColumn('at', 'TIMESTAMP')], settings: { timestamps: 'unix_micros' } })
    expect(unix.columns[0].type).to.equal('number')
  })

  it('shows numbers over time as lines, and all else as a table', () => {
    const at = publishedColumn('at', 'TIMESTAMP')
    const n = publishedColumn('n', 'INT64')
    const shown = (...columns: readonly ReturnType<typeof publishedColumn>[]): readonly string[] => {
      const { type, targets } = dashboardOf({ columns }).panels[0]
      return [type, targets[0].format]
    }
    expect(shown(at, n)).to.deep.equal(['timeseries', 'timeseries'])
    const { transformations } = dashboardOf({ columns: [n, at] }).panels[0]
    expect(transformations[0].options.sort).to.deep.equal([{ field: 'at' }])
    expect(shown(at)).to.deep.equal(['table', 'table'])
    expect(shown(n)).to.deep.equal(['table', 'table'])
  })

  it('has the units of the columns', () => {
    const units = {
      ms: 'ms',
      bytes: 'bytes',
      ratio: 'percentunit',
      percent: 'percent',
      count: 'short',
      days: 'suffix: days',
    }
    const columns = Object.keys(units).map(unit => publishedColumn(unit, 'INT64', { unit }))
    const { overrides } = dashboardOf({ columns: [...columns, publishedColumn('none', 'INT64')] }).panels[0].fieldConfig
    const found = overrides.map(({ matcher, properties }: Json) => [matcher.options, properties[0].value])
    expect(Object.fromEntries(found)).to.deep.equal(units)
  })

  it('gives its period to the parameters with a role, in the form of their type', () => {
    const WANTED = {
      timestamp: [macro('__timeFrom:date:iso'), macro('__timeTo:date:iso')],
      string: [macro('__timeFrom:date:iso'), macro('__timeTo:date:iso')],
      datetime: [macro('__timeFrom:date:YYYY-MM-DD HH:mm:ss'), macro('__timeTo:date:YYYY-MM-DD HH:mm:ss')],
      date: [macro('__timeFrom:date:YYYY-MM-DD'), macro('__timeTo:date:YYYY-MM-DD')],
      int64: [macro('__timeFrom'), macro('__timeTo')],
    } as const
    for (const [type, values] of Object.entries(WANTED)) {
      const parameters = [
        publishedParameter('since', type as 'date', { role: 'start' }),
        publishedParameter('until', type as 'date', { role: 'end' }),
        publishedParameter('other'),
      ]
      const { templating, panels } = dashboardOf({ parameters })
      expect(templating.list.map(({ name }: Json) => name)).to.deep.equal(['other'])
      expect(panels[0].targets[0].url_options.params).to.deep.equal([
        { key: 'since', value: values[0] },
        { key: 'until', value: values[1] },
        { key: 'other', value: macro('other') },
      ])
    }
  })

  it('lets a person choose among the allowed values, or write others', () => {
    const level = variableOf(publishedParameter('level', 'string', { enum: ['low', 'a,b'], default: 'low' }))
    expect(level).to.include({ type: 'custom', allowCustomValue: false })
    expect(choicesOf(level.query)).to.deep.equal(['low', 'a,b'])
    expect(level.current.value).to.equal('low')
    const optional = variableOf(publishedParameter('level', 'string', { enum: ['low', 'high'] }))
    expect(choicesOf(optional.query)).to.deep.equal(['', 'low', 'high'])
    expect(optional.current).to.deep.equal({ selected: true, text: 'none', value: '' })
    const open = variableOf(publishedParameter('interval', 'string', { required: true, examples: ['1hr', '1day'] }))
    expect(open).to.include({ type: 'custom', allowCustomValue: true })
    expect(open.current.value).to.equal('1hr')
    const flag = variableOf(publishedParameter('flag', 'bool'))
    expect(choicesOf(flag.query)).to.deep.equal(['', 'true', 'false'])
    const free = variableOf(publishedParameter('project', 'string', { required: true, examples: ['abc'] }))
    expect(free).to.include({ type: 'textbox', query: 'abc' })
    // A list of Grafana's could not hold this value.
    const strange = variableOf(publishedParameter('level', 'string', { enum: ['a : b', 'c'], required: true }))
    expect(strange).to.include({ type: 'textbox' })
  })

  it('begins with the arguments of the call', () => {
    expect(
      variableOf(publishedParameter('level', 'string', { enum: ['low', 'high'] }), { level: 'high' }).current.value,
    ).to.equal('high')
    expect(variableOf(publishedParameter('tags', 'array<string>'), { tags: ['x', 'y'] }).query).to.equal('x')
    expect(
      variableOf(publishedParameter('interval', 'string', { examples: ['1hr', '1day'] }), { interval: '5min' }),
    ).to.include({
      type: 'textbox',
      query: '5min',
    })
  })

  it('leaves out what the token pins', () => {
    const pinned = { project: 'abc' }
    const { templating, panels } = dashboardOf({ parameters: [publishedParameter('project')], pinned })
    expect([templating.list, panels[0].targets[0].url_options.params]).to.deep.equal([[], []])
  })

  it('stays three valid documents whatever texts hold', () => {
    const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), anyText({ minLength: 1 }))
    const property = fc.property(text, text, (one, other) => {
      const endpoint = publishedEndpoint({
        name: one,
        description: other,
        parameters: [publishedParameter(one, 'string', { description: other, enum: [one, other], examples: [other] })],
        columns: [publishedColumn(one, 'INT64', { unit: other, description: other })],
      })
      const [source, , dashboard] = documentsOf(callOf(URL_HERE, endpoint, { [one]: other }))
      expect(source.datasources[0].secureJsonData.httpHeaderValue1).to.equal('$SLUICE_TOKEN')
      expect(dashboard.panels).to.have.length(1)
    })
    fc.assert(property, { examples: HOSTILE_TEXTS.map(one => [one, one]) })
  })

  it('writes a folder whose files keep their places', () => {
    const names = ['shop.sales', 'shop.stock']
    const files = grafanaFiles(
      URL_HERE,
      names.map(name => callOf(URL_HERE, publishedEndpoint({ name }))),
    )
    expect(files.map(({ path }) => path)).to.deep.equal([
      'datasources/sluice.yaml',
      'dashboards/sluice.yaml',
      'dashboards/sluice/shop.sales.json',
      'dashboards/sluice/shop.stock.json',
    ])
    // The provider names the folder in which the dashboards are.
    expect(parse(files[1]!.text).providers[0].options.path).to.equal('/etc/grafana/provisioning/dashboards/sluice')
    for (const [path] of [['../../etc/x'], ['.hidden/../..'], ['a/b']] as const) {
      const [, , file] = grafanaFiles(URL_HERE, [callOf(URL_HERE, publishedEndpoint({ name: path }))])
      expect(file!.path).to.match(/^dashboards\/sluice\/[A-Za-z0-9_-][A-Za-z0-9_.-]*\.json$/)
    }
  })
})
