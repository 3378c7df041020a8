import { expect } from 'chai'
import type { JavaScriptDefinition } from '../../../../googlesql/functions/definitions/javascript.js'
import { STRING } from '../../../../googlesql/types/types.js'
import type { JavaScriptThread } from '../../../../runner/engines/duckdb/child/javascript-thread.js'
import { sampleOf } from '../../../sample-size.js'

/** Long enough for a short call: on a busy machine it is processor time. */
const LIMIT_MS = 300

describe('the thread of JavaScript functions', function () {
  this.timeout(60_000)
  let thread: JavaScriptThread
  before(async () => {
    // Imported here: when mocha loads this file by `require`, modules do not know the address from which threads start.
    const { JavaScriptThread } = await import('../../../../runner/engines/duckdb/child/javascript-thread.js')
    thread = new JavaScriptThread(LIMIT_MS)
  })

  const call = (body: string, calls = ['[]']): readonly (string | null)[] => {
    const definition: JavaScriptDefinition = { name: 'f', parameters: [], returns: STRING, body }
    return thread.run(JSON.stringify(definition), calls)
  }
  const TEXT = 'JavaScript took more than 0.3 s at f()'

  for (const [what, body] of sampleOf([
    ['a loop', 'while (true) {}'],
    ['a loop that catches errors', 'for (;;) { try { for (;;) {} } catch {} finally { continue } }'],
    ['a regular expression that backtracks', 'return /(a+)+b/.test("a".repeat(60))'],
    ['repeat in a loop', 'for (;;) "x".repeat(2e7)'],
    ['join in a loop', 'const all = new Array(1e5).fill("ab"); for (;;) all.join()'],
    ['indexOf in a loop', 'const text = "a".repeat(1e7); for (;;) text.indexOf("b")'],
    ['fill in a loop', 'const bytes = new Uint8Array(5e7); for (;;) bytes.fill(3)'],
    ['sort in a loop', 'const all = new Array(1e6).fill(1); for (;;) all.sort()'],
  ] as const)) {
    it(`ends ${what} after its time, and runs the next query`, async () => {
      await thread.begin()
      expect(() => call(body)).to.throw(TEXT)
      expect(thread.timeOut).to.equal(TEXT)
      await thread.begin()
      expect(call('return 1 + 1')).to.deep.equal(['2'])
      expect(thread.timeOut).to.equal(null)
    })
  }

  it('gives the time to a query, not to each batch of its calls', async () => {
    const busy = 'const until = Date.now() + 120; while (Date.now() < until) {} return "done"'
    await thread.begin()
    const runAll = (): void => {
      for (let batch = 0; batch < 10; batch++) call(busy)
    }
    expect(runAll).to.throw(TEXT)
    // Other batches of the same query fail without being run.
    expect(() => call('return 1')).to.throw(TEXT)
    await thread.begin()
    expect(call('return 1')).to.deep.equal(['1'])
  })

  it('waits for the answer of its own call, also where it is woken late for the one before', async () => {
    await thread.begin()
    const { wait } = Atomics
    const wakes: string[] = []
    const wakeOnce = (array: Int32Array, index: number, value: number, timeout?: number): string => {
      wakes.push('woken')
      return wakes.length === 1 ? 'ok' : wait(array, index, value, timeout)
    }
    Object.assign(Atomics, { wait: wakeOnce })
    try {
      expect([call('return "a"'), call('return "b"')]).to.deep.equal([['a'], ['b']])
    } finally {
      Object.assign(Atomics, { wait })
    }
    expect(wakes).not.to.deep.equal([])
  })

  it('keeps nothing from one batch to the next', async () => {
    await thread.begin()
    const count = 'globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n'
    expect(call(count, ['[]', '[]'])).to.deep.equal(['1', '2'])
    expect(call(count)).to.deep.equal(['1'])
  })
})
