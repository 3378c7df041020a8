import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { NO_FUNCTIONS } from '../../googlesql/stored-functions.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { hashDefinitions } from '../../runner/manifest/definitions.js'
import { loadEndpoints } from '../../runner/manifest/load.js'
import { sourceState } from '../../runner/manifest/watch/source-state.js'
import { LoadError, SetupError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import type { Engine } from '../../runner/model/ports.js'
import { systemClock } from '../../runner/platform/clock.js'
import { EndpointRegistry, type RegistryDeps } from '../../runner/serve/endpoint-registry.js'
import { ServedEngine } from '../../runner/serve/served-engine.js'
import { checkByTranslation } from '../manifest/check-by-translation.js'

const NO_TABLES = tableCatalogue([])
const manifest = (n: number, value: number): string =>
  `id: 0000000${n}-0000-4000-8000-000000000000\nname: n${n}\nsql: |\n  SELECT ${value} AS n\n`

describe('the endpoint registry', () => {
  let dir = ''
  const write = (n: number, value: number): void => writeFileSync(join(dir, `n${n}.yaml`), manifest(n, value))
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'sluice-live-'))
    for (const n of [1, 2]) write(n, n)
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  /**
   * A started registry. `during` runs in the middle of each reading except the first, with the number of the reading; it may
   * throw.
   */
  async function started(during: (reading: number) => void, more: Partial<RegistryDeps<Engine>> = {}) {
    const events: Event[] = []
    const clock = systemClock()
    const served = new ServedEngine<Engine>({
      name: 'bigquery',
      maxQueries: 8,
      placeFailure: null,
      onFailure: () => {},
    })
    let readings = 0
    const engine = { name: 'duckdb', close: async () => {} } as unknown as Engine
    const live = new EndpointRegistry<Engine>({
      engine: served,
      endpointsDir: dir,
      fingerprint: () =>
        sourceState({ endpointsDir: dir, tablesDir: join(dir, 'tables'), functionsDir: join(dir, 'functions') }),
      readDefinitions: async () => ({ tables: [], functions: NO_FUNCTIONS, mistakes: [] }),
      openEngine: async () => engine,
      async load(_, definitions, options) {
        const loaded = await loadEndpoints({
          dir,
          tables: NO_TABLES,
          checkSql: checkByTranslation(NO_TABLES),
          definitions: hashDefinitions(definitions),
          ...options,
        })
        const reading = readings
        readings += 1
        if (reading > 0) during(reading)
        return loaded
      },
      clock,
      observe: event => void events.push(event),
      ...more,
    })
    await live.start()
    return { live, events, readings: () => readings }
  }

  it('serves an example that alone has changed', async () => {
    const { live } = await started(() => undefined)
    const example = () => live.index().find('n1')!.example
    expect(example()).to.equal(null)
    writeFileSync(join(dir, 'n1.example.json'), '{"result":[{"n":1}]}')
    expect(await live.reloadIfChanged()).to.equal(true)
    expect(example()).to.deep.equal([{ n: 1 }])
    writeFileSync(join(dir, 'n1.example.json'), '{"result":[]}')
    expect(await live.reload()).to.include({ changed: 1 })
    expect(example()).to.deep.equal([])
  })

  it('reads manifests at the start while the engine is being opened, and closes it where they are refused', async () => {
    let begin = (): void => {}
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    let isClosed = false
    const close = async (): Promise<void> => {
      isClosed = true
    }
    const openEngine = () => begun.then(() => ({ name: 'duckdb', close }) as unknown as Engine)
    const load = async (): Promise<never> => {
      begin()
      throw new LoadError([])
    }
    expect(await started(() => {}, { openEngine, load }).catch(error => error)).to.be.instanceOf(LoadError)
    expect(isClosed).to.equal(true)
  })

  it('reads again when a file changes during a reading', async () => {
    const { live, readings } = await started(reading => {
      if (reading < 3) write(2, 20 + reading)
    })
    write(1, 10)
    expect(await live.reload()).to.deep.equal({ endpoints: 2, added: 0, changed: 2, removed: 0 })
    expect(readings()).to.equal(4)
    expect(await live.reloadIfChanged()).to.equal(true)
    expect(readings()).to.equal(4) // Nothing has changed since.
  })

  it('keeps the old endpoints while files go on changing', async () => {
    const { live, events } = await started(reading => write(2, 20 + reading))
    const before = live.index()
    expect(await live.reload().catch(error => error)).to.be.instanceOf(SetupError)
    expect(live.index()).to.equal(before)
    expect(events.map(({ kind }) => kind)).to.deep.equal(['manifests.loaded', 'manifests.refused'])
  })

  it('reads again after a failure that is not due to the files, but not after a mistake in the files', async () => {
    let failure: Error | null = new SetupError('no engine')
    const { live, readings } = await started(() => {
      if (failure) throw failure
    })
    write(1, 10)
    for (const returned of [false, false]) expect(await live.reloadIfChanged()).to.equal(returned)
    failure = new LoadError([])
    for (const returned of [true, true]) expect(await live.reloadIfChanged()).to.equal(returned)
    expect(readings()).to.equal(4)
    failure = null
    write(1, 11)
    expect(await live.reloadIfChanged()).to.equal(true)
    expect(live.index().find('n1')?.render({}, 0n).sql).to.include('SELECT 11 AS n')
  })

  it('shares a reload that has not begun yet', async () => {
    const { live, readings } = await started(() => {})
    const first = live.reload()
    await new Promise(resolve => setImmediate(resolve))
    const others = [live.reload(), live.reload(), live.reload()]
    await Promise.all([first, ...others])
    expect(readings()).to.equal(3)
  })

  it('keeps the index, and the caches that depend on it, when nothing has changed', async () => {
    const { live } = await started(() => {})
    const before = live.index()
    write(1, 1)
    expect(await live.reload()).to.deep.equal({ endpoints: 2, added: 0, changed: 0, removed: 0 })
    expect(live.index()).to.equal(before)
  })

  it('keeps the old endpoints, and reports a bug, when reading fails with an unknown error', async () => {
    const { live, events } = await started(() => {
      throw new TypeError('unheard of')
    })
    expect(await live.reload().catch(error => error)).to.be.instanceOf(TypeError)
    expect(events.map(({ kind }) => kind)).to.deep.equal(['manifests.loaded', 'bug', 'manifests.refused'])
  })
})
