/** The query for Excel, read by Microsoft's own parser of M. */

import { DefaultSettings, TaskUtils } from '@microsoft/powerquery-parser'
import { expect } from 'chai'
import fc from 'fast-check'
import { wellFormed } from '../../../authoring/connect/address.js'
import { EXCEL } from '../../../authoring/connect/excel.js'
import { powerQueryName, powerQueryText } from '../../../authoring/connect/literals.js'
import { anyText } from '../../any-text.js'
import { HOSTILE_TEXTS } from './hostile-texts.js'
import { callOf, publishedColumn, publishedEndpoint, publishedParameter } from './published.js'

/** The kinds and texts of the tokens, without comments. @throws TypeError for a text that is not M. */
async function tokensOf(text: string): Promise<readonly (readonly [kind: string, data: string])[]> {
  const task = await TaskUtils.tryLexParse(DefaultSettings, text)
  if (!TaskUtils.isParseStageOk(task)) throw new TypeError(`${'error' in task ? task.error.message : 'no M'}: ${text}`)
  return task.lexerSnapshot.tokens.map(({ kind, data }) => [kind, data])
}

/** What a text literal of M holds, by the specification. */
const heldBy = (literal: string): string =>
  literal.slice(1, -1).replace(/#\(([0-9a-f]{4}|#)\)|""/g, (_, code?: string) => {
    if (code === undefined) return '"'
    return code === '#' ? '#' : String.fromCharCode(Number.parseInt(code, 16))
  })

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS, '#(cr)', '#', '#(', '"#(lf)"'), anyText({ minLength: 1 }))

describe('connect excel', () => {
  it('is a query with the types of the columns', async () => {
    const columns = [
      publishedColumn('at', 'TIMESTAMP'),
      publishedColumn('n', 'INT64', { json: 'number' }),
      publishedColumn('id', 'INT64', { json: 'string' }),
      publishedColumn('ratio', 'FLOAT64'),
      publishedColumn('total', 'NUMERIC'),
      publishedColumn('huge', 'BIGNUMERIC'),
      publishedColumn('is paid', 'BOOL'),
      publishedColumn('day', 'DATE'),
      publishedColumn('clock', 'TIME'),
      publishedColumn('civil', 'DATETIME'),
      publishedColumn('lines', 'ARRAY<STRUCT<a INT64>>'),
      publishedColumn('any', 'ARRAY<STRUCT>'),
    ]
    const parameters = [publishedParameter('day', 'date'), publishedParameter('tags', 'array<string>')]
    const endpoint = publishedEndpoint({ columns, parameters })
    const query = EXCEL.write(callOf('https://data.example.com', endpoint, { day: '2026-01-31', tags: ['a', 'b'] }))
    expect((await tokensOf(query)).at(0)).to.deep.equal(['KeywordLet', 'let'])
    expect(query).to.include('"https://data.example.com"')
    expect(query).to.include('RelativePath = "api/endpoints/query/shop.sales"')
    expect(query).to.include('Query = [day = "2026-01-31", tags = {"a", "b"}, format = "csv"]')
    expect(query).to.include('Headers = [#"X-API-KEY" = SLUICE_TOKEN]')
    const types = [...query.matchAll(/^ {12}\{"([^"]+)", (.+?)\},?$/gm)].map(([, name, type]) => [name, type])
    expect(types).to.deep.equal([
      ['at', 'type datetimezone'],
      ['n', 'Int64.Type'],
      ['id', 'type text'],
      ['ratio', 'type number'],
      ['total', 'type number'],
      ['huge', 'type text'],
      ['is paid', 'type logical'],
      ['day', 'type date'],
      ['clock', 'type time'],
      ['civil', 'type datetime'],
      ['lines', 'type text'],
      ['any', 'type text'],
    ])
  })

  it('leaves microseconds a text, and asks by a header where a parameter is named format', async () => {
    const endpoint = publishedEndpoint({
      columns: [publishedColumn('at', 'TIMESTAMP')],
      parameters: [publishedParameter('format')],
      settings: { timestamps: 'unix_micros' },
    })
    const query = EXCEL.write(callOf('http://127.0.0.1:8080', endpoint))
    await tokensOf(query)
    expect(query).to.include('{"at", type text}').and.include('[#"X-API-KEY" = SLUICE_TOKEN, Accept = "text/csv"]')
  })

  it('quotes texts and names so that they stay one token', async () => {
    const property = fc.asyncProperty(text, async value => {
      const literal = powerQueryText(value)
      expect(heldBy(literal)).to.equal(wellFormed(value))
      expect(await tokensOf(literal)).to.deep.equal([['TextLiteral', literal]])
      const name = powerQueryName(value)
      const [, field, ...rest] = await tokensOf(`[${name} = 1]`)
      expect(field).to.deep.equal(['Identifier', name])
      expect(rest).to.have.length(3)
    })
    await fc.assert(property, { examples: ['#(cr)', '#', '##(', 'let', 'type', 'a b', '#"x"'].map(one => [one]) })
  })

  it('has the same tokens whatever arguments hold', async () => {
    const kindsFor = async (value: string): Promise<readonly string[]> => {
      const endpoint = publishedEndpoint({
        name: value,
        columns: [publishedColumn(value, 'INT64')],
        parameters: [publishedParameter('a')],
      })
      const tokens = await tokensOf(EXCEL.write(callOf('http://127.0.0.1:8080', endpoint, { a: value })))
      return tokens.map(([kind]) => kind)
    }
    const plain = await kindsFor('x')
    await fc.assert(
      fc.asyncProperty(text, async value => {
        expect(await kindsFor(value)).to.deep.equal(plain)
      }),
    )
  })
})
