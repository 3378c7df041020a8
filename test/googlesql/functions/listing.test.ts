import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allFunctions, functionNames } from '../../../googlesql/functions/all.js'
import { listFunctions, listRefusals } from '../../../googlesql/functions/listing.js'
import { refusalOf } from '../../../googlesql/functions/refused.js'
import { resolveQuery } from '../../../googlesql/resolve/resolve.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { AGGREGATE_WRITERS, WRITERS } from '../../../googlesql-duckdb/functions/all.js'
import { dialectText, functionsText, readDialect, readFunctions } from '../../../tools/generate-dialect-docs.js'
import { REFUSED_CLAUSES } from '../../../tools/refused-clauses.js'

describe('the listing of functions', () => {
  it('has every function of the catalogue, with its name and signatures', () => {
    const listed = new Set(listFunctions().flatMap(({ name, aliases }) => [name, ...aliases]))
    expect(functionNames().filter(name => !listed.has(name))).to.deep.equal([])
    expect(listFunctions().find(({ name }) => name === 'LOWER')).to.deep.equal({
      name: 'LOWER',
      kind: 'scalar',
      aliases: [],
      signatures: ['LOWER(STRING) -> STRING', 'LOWER(BYTES) -> BYTES'],
      modes: [],
      documentation: 'https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#lower',
      isInBigQuery: true,
    })
  })

  it('has no function without a form in the embedded engine', () => {
    expect(
      allFunctions().filter(({ name }) => !WRITERS.has(name) && !AGGREGATE_WRITERS.has(name) && !name.startsWith('$')),
    ).to.deep.equal([])
  })

  it('links to the page of the open-source language where BigQuery has none', () => {
    const beyond = listFunctions().filter(({ isInBigQuery }) => !isInBigQuery)
    expect(beyond.map(({ name }) => name)).to.include.members(['ARRAY_IS_DISTINCT', 'PI', 'JSON_CONTAINS'])
    for (const { documentation } of beyond)
      expect(documentation).to.match(/^https:\/\/github\.com\/google\/googlesql\//)
  })

  it('refuses nothing that it has, and gives a reason for everything refused', () => {
    expect(functionNames().filter(name => refusalOf(name) !== undefined)).to.deep.equal([])
    for (const { name, reason } of listRefusals()) expect(reason, name).to.match(/^[^A-Z].{10,}[^.]$|^HLL|^KLL/)
  })

  for (const name of ['HLL_COUNT.INIT', 'ST_AREA', 'COLLATE', 'ML.PREDICT', 'SESSION_USER']) {
    it(`has the reason with which ${name} is refused`, () => {
      const tables = tableCatalogue([])
      expect(() => resolveQuery(`SELECT ${name}('a')`, tables, {})).to.throw(
        `Function ${name} is not supported: ${refusalOf(name)!.reason}`,
      )
    })
  }
})

describe('the refused clauses', () => {
  const sources = readdirSync('googlesql', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(join('googlesql', name), 'utf8'))
  const refused = sources.flatMap(text => [...text.matchAll(/unsupported\('([^']+)'/g)].map(match => match[1]!))

  it('are listed, each with a reason', () => {
    expect(refused).to.have.length.greaterThan(10)
    const told = new Set(REFUSED_CLAUSES.map(({ clause }) => clause))
    expect([...new Set(refused)].filter(clause => !told.has(clause))).to.deep.equal([])
  })
})

describe('the pages of the dialect', function () {
  this.timeout(60_000)
  it('list the contents of the catalogue, and how many cases there are of each; run `npm run generate` when they do not', async () => {
    expect(await readFunctions()).to.equal(functionsText())
    const written = await readDialect()
    expect(written).to.equal(dialectText(written))
    for (const { name } of listRefusals()) expect(written).to.include(`\`${name}\``)
  })
})
