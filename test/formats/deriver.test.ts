/** Large results are derived in a thread, with the same bytes and the same errors as small ones here. */
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { Deriver, LARGE_BYTES, MIN_THREAD_BYTES } from '../../runner/formats/deriver.js'
import type { ResultFacts } from '../../runner/formats/format.js'
import { derive, FORMATS } from '../../runner/formats/index.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Share } from '../../runner/model/fair-queue.js'
import { Waiters } from '../../runner/model/waiters.js'
import { CLOCK } from '../engines/duckdb/raw-engine.js'
import { itInAll } from '../sample-size.js'

const DERIVED_FORMATS = FORMATS.map(each => each.name).filter(name => name !== 'json')
const COLUMNS = [
  { name: 'id', type: 'INT64' },
  { name: 'text', type: 'STRING' },
]
const FACTS: ResultFacts = { endpoint: 'logs.all', revision: 'r1', isTruncated: false }

/** A result of at least so many bytes, in the middle of a larger buffer. */
function resultOf(bytes: number): Uint8Array {
  const rows: string[] = []
  for (let i = 0, size = 0; size < bytes; size += rows.at(-1)!.length) rows.push(`{"id":${i},"text":"row, ${i}"}`)
  const text = `{"result":[${rows.join()}]}`
  return Buffer.from(`before${text}behind`).subarray(6, 6 + text.length)
}

const shareOf = (caller: string): Share => ({ caller, endpoint: 'e' })

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof RunnerError ? error.code : String(error)),
  )
}

describe('the deriver', () => {
  let deriver: Deriver
  beforeEach(() => {
    deriver = new Deriver(CLOCK, 100)
  })
  afterEach(() => deriver.close())

  it('makes the same bytes of small and of large results', async function () {
    this.timeout(60_000)
    for (const size of [100, LARGE_BYTES + 1]) {
      const json = resultOf(size)
      const copy = Buffer.from(json)
      const made = await Promise.all(
        DERIVED_FORMATS.map(format => deriver.derive(shareOf('a'), format, COLUMNS, json, FACTS)),
      )
      for (const [i, format] of DERIVED_FORMATS.entries()) {
        const expected = await derive(format, COLUMNS, json, FACTS)
        expect(Buffer.compare(made[i]!, expected), `${format} of ${size} bytes`).to.equal(0)
      }
      expect(Buffer.compare(json, copy)).to.equal(0)
    }
  })

  itInAll('does not hold up this thread meanwhile', async function () {
    this.timeout(60_000)
    const json = resultOf(20_000_000)
    await deriver.derive(shareOf('a'), 'csv', COLUMNS, resultOf(LARGE_BYTES), FACTS)
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 1)
    await deriver.derive(shareOf('a'), 'arrow', COLUMNS, json, FACTS)
    clearInterval(timer)
    expect(ticks).to.be.greaterThan(5)
  })

  it('fails alike on both ways', async function () {
    this.timeout(60_000)
    for (const size of [100, LARGE_BYTES]) {
      const json = resultOf(size)
      const tooLarge = deriver.derive(shareOf('a'), 'csv', COLUMNS, json, { ...FACTS, maxBytes: 10 })
      expect(await codeOf(tooLarge)).to.equal('RESULT_TOO_LARGE')
      const broken = deriver.derive(shareOf('a'), 'csv', COLUMNS, json.subarray(0, json.length - 2), FACTS)
      expect(await codeOf(broken)).to.match(/Error: .*(it ends too soon|another form)/)
    }
    expect(await deriver.derive(shareOf('a'), 'csv', COLUMNS, resultOf(LARGE_BYTES), FACTS)).to.be.instanceOf(
      Uint8Array,
    )
  })

  it('refuses large results while too many wait, of one token or of all, and ends what waits when it is closed', async function () {
    this.timeout(60_000)
    const json = resultOf(LARGE_BYTES)
    const ask = (token: string): Promise<string> =>
      codeOf(deriver.derive(shareOf(token), 'ndjson', COLUMNS, json, FACTS))
    const waiting = ['a', 'b'].flatMap(token => Array.from({ length: 32 }, () => ask(token)))
    const beyond = [await ask('a'), await ask('c')]
    deriver.close()
    expect(beyond).to.deep.equal(['OVERLOADED', 'OVERLOADED'])
    expect(await Promise.all(waiting)).to.deep.equal(waiting.map(() => 'OVERLOADED'))
    expect(await ask('a')).to.equal('OVERLOADED')
    expect(await codeOf(deriver.derive(shareOf('a'), 'ndjson', COLUMNS, resultOf(10), FACTS))).to.equal('no error')
  })

  it('leaves room for the large results of another token', async function () {
    this.timeout(60_000)
    const json = resultOf(LARGE_BYTES)
    const ask = (token: string): Promise<string> =>
      codeOf(deriver.derive(shareOf(token), 'ndjson', COLUMNS, json, FACTS))
    const own = Promise.all(Array.from({ length: 33 }, () => ask('a')))
    expect(await ask('b')).to.equal('no error')
    expect((await own).filter(code => code !== 'no error')).to.deep.equal(['OVERLOADED'])
  })

  itInAll(
    'does not let the large results of one token hold up those of another, nor one that a call of another token has joined',
    async function () {
      this.timeout(60_000)
      const [large, small] = [resultOf(5_000_000), resultOf(100)]
      const order: string[] = []
      const ask = (name: string, share: Share, json: Uint8Array): Promise<unknown> =>
        deriver.derive(share, 'xlsx', COLUMNS, json, FACTS).then(() => order.push(name))
      const waiters = new Waiters()
      const all = [1, 2, 3].map(i => ask(`a${i}`, shareOf('a'), large))
      all.push(ask('joined', { ...shareOf('a'), waiters }, small), ask('b', shareOf('b'), small))
      waiters.join('c')
      await Promise.all(all)
      expect(order.indexOf('b'), order.join()).to.be.lessThan(order.indexOf('a2'))
      expect(order.indexOf('joined'), order.join()).to.be.lessThan(order.indexOf('a2'))
    },
  )

  it('loads a library for a format in the thread alone, and starts it for no other result below 200 kB', async function () {
    this.timeout(60_000)
    let started = 0
    const count = (): void => {
      started += 1
    }
    process.on('worker', count)
    try {
      const json = resultOf(100)
      for (const format of FORMATS.filter(each => !each.needsLibrary).map(each => each.name)) {
        await deriver.derive(shareOf('a'), format, COLUMNS, json, FACTS)
      }
      await deriver.derive(shareOf('a'), 'csv', COLUMNS, resultOf(MIN_THREAD_BYTES - 10_000), FACTS)
      expect(started).to.equal(0)
      // So many small ones may wait as come.
      await Promise.all(Array.from({ length: 200 }, () => deriver.derive(shareOf('a'), 'arrow', COLUMNS, json, FACTS)))
      expect(started).to.equal(1)
      deriver.close()
      deriver = new Deriver(CLOCK, 100)
      await deriver.derive(shareOf('a'), 'csv', COLUMNS, resultOf(MIN_THREAD_BYTES), FACTS)
      expect(started).to.equal(2)
    } finally {
      process.off('worker', count)
    }
  })

  itInAll('keeps the process alive while it works, and no longer', function () {
    this.timeout(60_000)
    const row = JSON.stringify({ text: 'x'.repeat(LARGE_BYTES) })
    const program = (file: string): string => `
      const { Deriver } = await import(${JSON.stringify(pathToFileURL(file).href)})
      const clock = { after: (ms, run) => { const timer = setTimeout(run, ms); timer.unref(); return () => clearTimeout(timer) } }
      const json = Buffer.from('{"result":[' + ${JSON.stringify(row)} + ']}')
      const facts = { endpoint: 'e', revision: 'r', isTruncated: false }
      const bytes = await new Deriver(clock).derive({ caller: 'a', endpoint: 'e' }, 'csv', [{ name: 'text', type: 'STRING' }], json, facts)
      console.log(bytes.length)`
    for (const [file, options] of [
      ['runner/formats/deriver.ts', ['--import', 'tsx']],
      ['dist/runner/formats/deriver.js', []],
    ] as const) {
      const run = spawnSync(process.execPath, [...options, '--input-type=module', '-'], {
        input: program(file),
        encoding: 'utf8',
        timeout: 50_000,
      })
      expect([run.stderr, run.stdout, run.status], file).to.deep.equal(['', `${LARGE_BYTES + 8}\n`, 0])
    }
  })
})
