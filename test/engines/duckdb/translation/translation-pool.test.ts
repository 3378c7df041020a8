/** Other threads translate texts with the same outcome as this thread, including mistakes and their places. */
import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { SqlError } from '../../../../googlesql/sql-error.js'
import { tableCatalogue } from '../../../../googlesql/tables.js'
import { arrayOf, INT64, STRING, structOf, TIMESTAMP } from '../../../../googlesql/types/types.js'
import { translate } from '../../../../googlesql-duckdb/translate.js'
import { openDuckdbEngine } from '../../../../runner/engines/duckdb/engine.js'
import {
  type CatalogueSource,
  createTranslationPool,
  type TranslationPool,
} from '../../../../runner/engines/duckdb/translation/translation-pool.js'
import { readTypes } from '../../../../runner/engines/duckdb/values/parameter-values.js'
import { type Loaded, loadSources } from '../../../../runner/manifest/load.js'
import type { Clock } from '../../../../runner/model/ports.js'
import { CLOCK } from '../raw-engine.js'

const LOGS = {
  name: 'shop.logs',
  columns: [
    { name: 'id', type: STRING },
    { name: 'amount', type: INT64 },
    { name: 'moment', type: TIMESTAMP },
    { name: 'parts', type: arrayOf(structOf([{ name: 'key', type: STRING }])) },
  ],
}
const SOURCE: CatalogueSource = { tables: [LOGS], absences: new Map() }
const TYPES = { now: 'TIMESTAMP', ids: 'ARRAY<STRING>' }
const catalogue = tableCatalogue(SOURCE.tables)

const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => {
    if (i % 50 === 7) return `SELECT id,\n  amuont_${i} FROM shop.logs`
    if (i % 50 === 8) return `SELECT id FROM shop.other_${i}`
    if (i % 50 === 9) return `SELECT 'é😀', id FROM shop.logs WHERE ${i} =`
    return `SELECT id, amount + ${i} AS sum, ARRAY(SELECT AS STRUCT r.key, ${i} AS n FROM UNNEST(t.parts) AS r) AS parts
      FROM shop.logs AS t WHERE moment > TIMESTAMP_SUB(@now, INTERVAL ${i} DAY) AND id IN UNNEST(@ids)`
  })

type Outcome = object | null

/** A mistake in the query, as its reason and place; throws any other error again. */
const told = (thrown: unknown): Outcome => {
  if (!(thrown instanceof SqlError)) throw thrown
  return { reason: thrown.reason, place: thrown.place }
}

function own(sql: string): Outcome {
  try {
    const { columns, ...rest } = translate(sql, catalogue, readTypes(TYPES), { bindsTimes: true })
    return { ...rest, columns: columns.map(({ column: _, ...column }) => column) }
  } catch (thrown) {
    return told(thrown)
  }
}

/** A clock that stands still until `goOn` is called. */
function stillClock(): { readonly clock: Clock; readonly goOn: (ms: number) => void } {
  let now = 0
  let callbacks: (() => void)[] = []
  const after: Clock['after'] = (_, callback) => {
    callbacks.push(callback)
    return () => {
      callbacks = callbacks.filter(other => other !== callback)
    }
  }
  const goOn = (ms: number): void => {
    now += ms
    const due = callbacks
    callbacks = []
    for (const callback of due) callback()
  }
  return { clock: { ...CLOCK, ticksMs: () => now, after }, goOn }
}

const open = (threads: number, source: () => CatalogueSource = () => SOURCE): TranslationPool =>
  createTranslationPool({ threads, clock: stillClock().clock, source })

/** Asks for a translation of each text: the outcomes of the texts that other threads have translated. */
async function ask(translators: TranslationPool, all: readonly string[]): Promise<Map<string, Outcome>> {
  const elsewhere = new Map<string, Promise<Outcome>>()
  for (const sql of all) {
    const asked = translators.translate(sql, TYPES)?.catch(told)
    if (asked !== undefined) elsewhere.set(sql, asked)
    // Waits now and then for the outcome, as a load does.
    if (elsewhere.size % 8 === 7) await asked
  }
  const outcomes = new Map<string, Outcome>()
  for (const [sql, asked] of elsewhere) outcomes.set(sql, await asked)
  return outcomes
}

describe('threads that translate', () => {
  it('are not started for a few texts', async () => {
    const translators = open(2)
    expect((await ask(translators, texts(300))).size).to.equal(0)
    translators.close()
  })

  it('are not started where there is one thread', async () => {
    const translators = open(1)
    expect((await ask(translators, texts(500))).size).to.equal(0)
    translators.close()
  })

  it('translate a text for a query that has failed, however few texts there are', async () => {
    const translators = open(2)
    const sql = `SELECT IF(amount = 0, 1, 10 / 0) AS x FROM shop.logs`
    const translation = await translators.translate(sql, TYPES, 'rows')
    const { sql: delayed } = translate(sql, catalogue, readTypes(TYPES), { bindsTimes: true, delay: 'rows' })
    expect(translation).to.have.property('sql', delayed)
    expect(delayed).to.not.equal(translate(sql, catalogue, readTypes(TYPES), { bindsTimes: true }).sql)
    expect(translators.translate(sql, TYPES)).to.equal(null)
    translators.close()
  })

  it('give the outcomes of this thread, including mistakes and their places', async () => {
    const translators = open(3)
    const outcomes = await ask(translators, texts(800))
    translators.close()
    expect(outcomes.size).to.be.greaterThan(100)
    for (const [sql, outcome] of outcomes) expect(outcome, sql).to.deep.equal(own(sql))
  })

  it('know the present tables', async () => {
    let source = SOURCE
    const translators = open(2, () => source)
    await ask(translators, texts(310))
    const sql = 'SELECT id FROM shop.later'
    expect(await translators.translate(sql, TYPES)?.catch(told))
      .to.have.property('reason')
      .that.includes('not found')
    source = { ...SOURCE, tables: [LOGS, { name: 'shop.later', columns: [{ name: 'id', type: STRING }] }] }
    expect(await translators.translate(sql, TYPES)).to.have.deep.property('tables', ['shop.later'])
    translators.close()
  })

  it('answer null for the texts that they had when they were ended', async () => {
    const translators = open(2)
    await ask(translators, texts(310))
    const asked = translators.translate(texts(1)[0]!, TYPES)
    translators.close()
    expect(asked).to.be.instanceOf(Promise)
    expect(await asked).to.equal(null)
  })

  it('are ended after a second without a text, and started again for as many texts', async () => {
    const { clock, goOn } = stillClock()
    const translators = createTranslationPool({ threads: 2, clock, source: () => SOURCE })
    await ask(translators, texts(310))
    goOn(999)
    expect(await translators.translate(texts(1)[0]!, TYPES)).to.not.equal(null)
    goOn(1_000)
    expect(translators.translate(texts(1)[0]!, TYPES)).to.equal(null)
    expect((await ask(translators, texts(310))).size).to.be.greaterThan(0)
    translators.close()
  })

  it('leave a type that cannot be read to the caller', async () => {
    const translators = open(2)
    await ask(translators, texts(310))
    expect(await translators.translate('SELECT @x', { x: 'NONSENSE' })).to.equal(null)
    translators.close()
  })
})

describe('hundreds of manifests', () => {
  const sources = texts(500).map((sql, i) => ({
    file: `endpoints/m${i}.yaml`,
    text: `id: 0000000d-0000-4000-8000-${String(i % 499).padStart(12, '0')}
name: m${i % 498}
parameters:
  ids: { type: array<string> }
sql: |
  ${sql.replaceAll('\n', '\n  ')}
`,
  }))

  async function load(threads: number): Promise<{ readonly loaded: Loaded; readonly queries: readonly unknown[] }> {
    const engine = await openDuckdbEngine({
      dataDir: null,
      database: null,
      tables: [{ definition: LOGS }],
      memoryLimitMb: 512,
      threads,
      tempDir: tmpdir(),
      observe: () => {},
      clock: CLOCK,
    })
    try {
      const { compile } = engine
      const loaded = await loadSources(sources, [], { tables: catalogue, checkSql: compile })
      const queries = loaded.endpoints.map(endpoint => {
        const { compiled, ...query } = endpoint.render({}, 0n) as { compiled: { revision: number } }
        return { ...query, compiled: { ...compiled, revision: 0 } }
      })
      return { loaded, queries }
    } finally {
      await engine.close()
    }
  }

  it('load with other threads as they do with one: the same endpoints, diagnostics and order', async () => {
    const [alone, shared] = [await load(1), await load(3)]
    expect(alone.loaded.diagnostics.length).to.be.greaterThan(30)
    expect(alone.loaded.endpoints.length).to.be.greaterThan(400)
    expect(JSON.stringify(shared.loaded)).to.equal(JSON.stringify(alone.loaded))
    // `column` is used only by the generator, not by a program that runs the query.
    const plain = (queries: readonly unknown[]): unknown =>
      JSON.parse(JSON.stringify(queries, (key, value) => (key === 'column' ? undefined : value)))
    expect(plain(shared.queries)).to.deep.equal(plain(alone.queries))
  })
})
