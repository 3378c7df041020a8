/**
 * The proof of tenants against rows: each manifest that is refused gives other bytes when only rows of other tenants change, and each
 * that is accepted gives the same.
 */
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import type { TableDefinition } from '../../googlesql/index.js'
import { parseTypeName } from '../../googlesql/index.js'
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../runner/engines/duckdb/open-engine.js'
import { bigqueryType } from '../../runner/manifest/bigquery-type.js'
import { expandSql } from '../../runner/manifest/expand-sql.js'
import { loadSources } from '../../runner/manifest/load.js'
import { tenantParameter } from '../../runner/manifest/tenant.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import type { Manifest } from '../../runner/model/manifest.js'
import type { CheckResult } from '../../runner/model/ports.js'
import { runOptions } from '../engines/ask-engine.js'
import { CLOCK } from '../engines/duckdb/raw-engine.js'
import { sampleOf } from '../sample-size.js'

interface Case {
  readonly says: string
  readonly tenant?: Manifest['tenant']
  readonly tenant_free?: readonly string[]
  readonly lookups?: Manifest['lookups']
  /** Whether the tenant is optional. */
  readonly optional?: boolean
  readonly pinned_as?: string
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly sql: string
  /** The tables that the errors name. */
  readonly at?: readonly string[]
}

interface TableRows {
  readonly schema: readonly string[]
  readonly own: readonly object[]
  readonly before?: readonly object[]
  readonly after?: readonly object[]
}

const read = (name: string): unknown => parse(readFileSync(`test/cases/tenants/${name}.yaml`, 'utf8'))
const LEAKING = read('leaking') as readonly Case[]
const RIGHT = read('right') as readonly Case[]
const TABLES = Object.entries(read('tables') as Readonly<Record<string, TableRows>>)
const FUNCTIONS = Object.entries(read('functions') as Readonly<Record<string, string>>).map(([name, text]) => ({
  name,
  file: `${name}.sql`,
  text,
}))

/** The arguments of a pinned call; any other is absent. */
const PINNED = { country: 'DE', countries: ['DE'], whose: 'DE', number: 1 }
const TYPES: Readonly<Record<string, string>> = { countries: 'array<string>', number: 'int64' }

/** A tenant whose pin is a list. */
const BY_COUNTRIES = { parameter: 'countries', columns: { 'shop.orders': 'country' } }

describe('the proof of tenants', () => {
  /** The engines over the rows of the tenant and two states of the rows of others. */
  const engines: DuckdbEngine[] = []
  before(async function () {
    this.timeout(60_000)
    for (const state of ['before', 'after'] as const) engines.push(await openOver(state))
  })
  after(() => Promise.all(engines.map(engine => engine.close())))

  it('is tried with 60 manifests that leak and 40 that are right', () => {
    expect(LEAKING.length).to.be.at.least(60)
    expect(RIGHT.length).to.be.at.least(40)
  })

  describe('refuses a manifest that leaks:', () => {
    for (const one of sampleOf(LEAKING)) {
      it(one.says, async () => {
        const { diagnostics, changed } = await tried(one, engines)
        const errors = diagnostics.filter(({ rule }) => rule !== 'parameter/unused')
        expect(errors.map(({ rule, message }) => [rule, message.split(' ')[0]])).to.deep.equal(
          one.at!.map(table => ['tenant/not-bounded', table]),
        )
        expect(changed, 'texts whose rows change with those of others').to.not.deep.equal([])
      })
    }
  })

  describe('holds for the pairs of docs/tokens.md:', () => {
    const rows = readFileSync('docs/tokens.md', 'utf8').matchAll(/^\| `(SELECT .*)` \| `(SELECT .*)` \|$/gm)
    const pairs = [...rows].map(([, leaking, right]) => ({ leaking: leaking!, right: right! }))

    it('which are six', () => expect(pairs).to.have.length(6))
    for (const { leaking, right } of sampleOf(pairs)) {
      it(leaking, async () => {
        const wrong = await tried({ says: leaking, sql: leaking }, engines)
        expect(new Set(wrong.diagnostics.map(({ rule }) => rule))).to.deep.equal(new Set(['tenant/not-bounded']))
        expect((await tried({ says: right, sql: right }, engines)).diagnostics).to.deep.equal([])
      })
    }
  })

  describe('names the condition that bounds a table:', () => {
    const VISITS = { tenant: { parameter: 'country', columns: { 'shop.visits': 'hits.owner' } } }
    const advised: Readonly<Record<string, readonly [condition: string, one: Partial<Case>, table: string]>> = {
      'of a column': ['country = @country', {}, 'shop.orders'],
      'of a list of tenants': ['country IN UNNEST(@countries)', { tenant: BY_COUNTRIES }, 'shop.orders'],
      'of a repeated column': [
        'EXISTS (SELECT 1 FROM UNNEST(tags) AS element WHERE element = @country)',
        { tenant: { parameter: 'country', columns: { 'shop.orders': 'tags' } } },
        'shop.orders',
      ],
      'of a repeated record': [
        'EXISTS (SELECT 1 FROM UNNEST(hits) AS element WHERE element.owner = @country)',
        VISITS,
        'shop.visits',
      ],
      'of a record in a repeated record': [
        'EXISTS (SELECT 1 FROM UNNEST(hits) AS element, UNNEST(element.marks) AS element2 WHERE element2.name = @country)',
        { tenant: { parameter: 'country', columns: { 'shop.visits': 'hits.marks.name' } } },
        'shop.visits',
      ],
      'of a regular expression': [
        'REGEXP_CONTAINS(country, @country)',
        { pinned_as: '^{pin}$', tenant: 'country' },
        'shop.orders',
      ],
    }
    for (const [says, [condition, one, table]] of Object.entries(advised)) {
      it(`${says}, and takes it`, async () => {
        const sql = `SELECT id FROM \`${table}\``
        const { diagnostics: refused } = await tried({ says, sql: `${sql} WHERE id > 0`, ...one }, engines)
        const error = refused.find(({ rule }) => rule === 'tenant/not-bounded')!
        expect(error.message).to.include(`write ${condition} as`)
        const { diagnostics } = await tried({ says, sql: `${sql} WHERE ${condition}`, ...one }, engines)
        expect(diagnostics).to.deep.equal([])
      })
    }

    it('of a regular expression after pinned_as', async () => {
      const text = manifestOf({ says: '', sql: 'SELECT id FROM `shop.orders` WHERE 1 = 1', pinned_as: '^{pin}$' })
      const without = text.replace(/\n.*pinned_as.*/, '')
      const checkSql = (): CheckResult => ({ ok: true, columns: [{ name: 'id', type: 'INT64' }] })
      const { diagnostics } = await loadSources([{ file: 'a.yaml', text: without }], [], {
        tables: engines[0]!.tables(),
        checkSql,
      })
      const error = diagnostics.find(({ rule }) => rule === 'tenant/not-bounded')!
      expect(error.message).to.include('add pinned_as to country').and.include('REGEXP_CONTAINS(country, @country)')
    })
  })

  it('refuses a query that only the warehouse understands', async () => {
    const text = manifestOf({ says: '', sql: 'SELECT id FROM other.orders WHERE country = @country' })
    const checkSql = (): CheckResult => ({ ok: true, columns: [{ name: 'id', type: 'INT64' }] })
    const loaded = await loadSources([{ file: 'a.yaml', text }], [], { tables: engines[0]!.tables(), checkSql })
    expect(loaded.endpoints).to.deep.equal([])
    const [error, ...others] = loaded.diagnostics
    expect(others).to.deep.equal([])
    expect(error).to.include({ rule: 'tenant/not-bounded', column: 18 })
    expect(error!.message).to.include('Table not found: other.orders').and.include('needs its schema here')
  })

  describe('accepts a manifest that is right:', () => {
    for (const one of sampleOf(RIGHT)) {
      it(one.says, async () => {
        const { diagnostics, changed, bytes } = await tried(one, engines)
        expect(diagnostics).to.deep.equal([])
        expect(changed, 'texts whose rows change with those of others').to.deep.equal([])
        expect(bytes.join(), 'rows of the tenant').to.include('{')
      })
    }
  })
})

async function openOver(state: 'before' | 'after'): Promise<DuckdbEngine> {
  return openDuckdbEngine({
    dataDir: null,
    database: null,
    tables: TABLES.map(([name, table]) => {
      const columns: TableDefinition['columns'] = table.schema.map(column => {
        const [, key, type] = /^(\w+) (.*)$/.exec(column)!
        return { name: key!, type: parseTypeName(type!)! }
      })
      return { definition: { name, columns }, rows: [...(table[state] ?? []), ...table.own] }
    }),
    functions: { functions: FUNCTIONS, folder: null },
    naming: { project: null, defaultDataset: null },
    memoryLimitMb: 512,
    threads: 1,
    tempDir: tmpdir(),
    observe: () => undefined,
    clock: CLOCK,
  })
}

function manifestOf(one: Case): string {
  const { tenant = 'country', tenant_free = ['shop.prices'], lookups, sql } = one
  const owner = tenantParameter({ tenant } as Manifest)
  const names = ['country', 'countries', 'whose', 'number', 'search']
  const isRead = (name: string): boolean =>
    name === owner || new RegExp(`(@|given\\.|by: )${name}\\b`).test(sql + stringify(lookups))
  const parameters = Object.fromEntries(
    names.filter(isRead).map(name => [
      name,
      {
        type: TYPES[name] ?? 'string',
        ...(name !== 'search' && !one.optional && { required: true }),
        ...(name === owner && one.pinned_as && { format: 're2', pinned_as: one.pinned_as }),
      },
    ]),
  )
  const head = { id: '00000000-0000-4000-8000-000000000000', name: 'a', tenant, tenant_free, parameters, lookups }
  const settings = { max_rows: 1000 }
  return `${stringify({ ...head, settings })}sql: |\n  ${sql}\n`
}

interface Tried {
  readonly diagnostics: readonly Diagnostic[]
  /** The result of each text that a pinned call can run, over the first engine. */
  readonly bytes: readonly string[]
  /** The texts whose results differ between the engines. */
  readonly changed: readonly string[]
}

async function tried(one: Case, engines: readonly DuckdbEngine[]): Promise<Tried> {
  const text = manifestOf(one)
  const [first] = engines
  const checked = { tables: first!.tables(), checkSql: first!.check.bind(first) }
  const { diagnostics } = await loadSources([{ file: 'a.yaml', text }], [], checked)
  const { source, value } = parseManifest('a.yaml', text)
  const manifest = value as Manifest
  const { texts } = expandSql(manifest, source!, new Map())
  const bytes: string[] = []
  const changed: string[] = []
  for (const { sql, absent, argumentNames } of texts) {
    if (absent.has(tenantParameter(manifest)!)) continue
    const given: Readonly<Record<string, unknown>> = { ...PINNED, ...one.arguments }
    const parameters = Object.fromEntries(
      argumentNames!.map(({ name }) => [
        name,
        { type: bigqueryType(manifest.parameters![name]!.type), value: (given[name] ?? null) as string | null },
      ]),
    )
    const results: string[] = []
    for (const engine of engines) {
      const { body } = await engine.run({ sql, parameters }, runOptions())
      results.push(Buffer.from(body).toString())
    }
    bytes.push(results[0]!)
    if (results[0] !== results[1]) changed.push(sql)
  }
  return { diagnostics, bytes, changed }
}
