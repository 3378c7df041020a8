/** The function for Google Sheets, run with stand-ins for Google's services. */
import { createContext, runInContext } from 'node:vm'
import { expect } from 'chai'
import { wellFormed } from '../../../authoring/connect/address.js'
import { SHEETS } from '../../../authoring/connect/sheets.js'
import type { ConnectCall } from '../../../authoring/connect/tool.js'
import { HOSTILE_TEXTS } from './hostile-texts.js'
import { callOf, publishedEndpoint, publishedParameter } from './published.js'

interface Ran {
  readonly asked: readonly { readonly url: string; readonly headers: Readonly<Record<string, string>> }[]
  readonly written: readonly (readonly unknown[])[]
}

/** Runs the function over these cells of a CSV. */
function run(call: ConnectCall, cells: readonly (readonly string[])[] = [['n'], ['1']]): Ran {
  const asked: Ran['asked'][number][] = []
  let written: Ran['written'] = []
  const sheet = {
    clearContents: () => {},
    getRange: (...place: readonly number[]) => {
      expect(place).to.deep.equal([1, 1, cells.length, cells[0]!.length])
      return { setValues: (rows: Ran['written']) => (written = JSON.parse(JSON.stringify(rows))) }
    },
  }
  const services = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: (name: string) => `the value of ${name}` }) },
    UrlFetchApp: {
      fetch: (url: string, { headers }: Ran['asked'][number]) => {
        asked.push({ url, headers: { ...headers } })
        return { getContentText: () => '' }
      },
    },
    Utilities: { parseCsv: () => cells },
    SpreadsheetApp: { getActiveSheet: () => sheet },
  }
  runInContext(`${SHEETS.write(call)}\nrefreshFromSluice()`, createContext(services))
  return { asked, written }
}

describe('connect sheets', () => {
  it('asks with the token of the script properties', () => {
    const { asked } = run(callOf('https://data.example.com', publishedEndpoint()))
    expect(asked).to.deep.equal([
      {
        url: 'https://data.example.com/api/endpoints/query/shop.sales?format=csv',
        headers: { 'X-API-KEY': 'the value of SLUICE_TOKEN' },
      },
    ])
  })

  it('writes texts that look like formulas as texts, and numbers as numbers', () => {
    const cells = [
      ['=name', 'b'],
      ['=1+1', '-0.5'],
      ['+49 123', '-12'],
      ['@x', '+1e-7'],
      ['-', 'a=b'],
    ]
    expect(run(callOf('http://127.0.0.1', publishedEndpoint()), cells).written).to.deep.equal([
      ["'=name", 'b'],
      ["'=1+1", '-0.5'],
      ["'+49 123", '-12'],
      ["'@x", '+1e-7'],
      ["'-", 'a=b'],
    ])
  })

  for (const text of HOSTILE_TEXTS) {
    it(`sends ${JSON.stringify(text)} as it is`, () => {
      const endpoint = publishedEndpoint({ parameters: [publishedParameter(text, 'array<string>')] })
      const { asked } = run(callOf('http://127.0.0.1', endpoint, Object.fromEntries([[text, [text, text]]])))
      const pairs = [...new URL(asked[0]!.url).searchParams]
      const sent = [text, text].map(wellFormed)
      expect(pairs).to.deep.equal([sent, sent, ['format', 'csv']])
    })
  }
})
