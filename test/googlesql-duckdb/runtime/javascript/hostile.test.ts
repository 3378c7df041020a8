/** What the authors of JavaScript functions may try, by mistake or on purpose, against the engine as a whole. */
import { expect } from 'chai'
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../../runner/index.js'

describe('JavaScript functions, hostile ones', function () {
  this.timeout(60_000)
  let engine: EmbeddedEngine
  before(async () => {
    engine = await openEmbeddedEngine({ tables: {} })
  })
  after(() => engine.close())

  /** The value of one call, or the text of its error. */
  const outcome = async (body: string, { returns = 'STRING', call = 'f()' } = {}): Promise<unknown> => {
    const sql = `CREATE TEMP FUNCTION f() RETURNS ${returns} LANGUAGE js AS r'''${body}\n'''; SELECT ${call}`
    try {
      return (await engine.query(sql)).rows[0]![0]
    } catch (error) {
      return String(error)
    }
  }
  const answersStill = async (): Promise<void> => {
    expect(await outcome('return 1 + 1')).to.equal('2')
  }

  it('the first query of a process is right, within SAFE_CAST and SAFE too', async () => {
    const first = await openEmbeddedEngine({ tables: {} })
    try {
      const sql = `CREATE TEMP FUNCTION f(x FLOAT64) RETURNS STRING LANGUAGE js AS 'return x';
        SELECT SAFE_CAST(f(x) AS INT64), SAFE.SUBSTR(f(x), 1, -1) FROM UNNEST([1, 2]) x`
      expect((await first.query(sql)).rows).to.deep.equal([
        [1, null],
        [2, null],
      ])
    } finally {
      await first.close()
    }
  })

  for (const [what, body] of [
    ['that memory does not hold', 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))'],
    ['of a text that memory does not hold', 'let all = "x"; for (;;) all += all'],
  ] as const) {
    it(`a value ${what} fails the query`, async () => {
      expect(await outcome(body)).to.match(/out of memory|[Ii]nvalid string length|string too long/)
      await answersStill()
    })
  }

  for (const [what, body] of [
    ['of a function', 'function g() { return g() + 1 } return g()'],
    ['through JSON.stringify', 'const g = () => JSON.stringify({ toJSON: g }); return g()'],
    ['in a parsed text', 'return JSON.parse("[".repeat(1e6))'],
    ['in a nested array', 'let all = []; for (let i = 0; i < 1e5; i++) all = [all]; return JSON.stringify(all)'],
    ['in a program', 'return eval("(".repeat(1e5) + "1" + ")".repeat(1e5))'],
  ] as const) {
    it(`deep recursion ${what} fails the query, and the engine answers afterwards`, async () => {
      expect(await outcome(body)).to.contain('Maximum call stack size exceeded at f()')
      await answersStill()
    })
  }

  it('reach no object of the process', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'setTimeout',
      'console',
      'WebAssembly',
      'Buffer',
      'std',
      'os',
    ]
    const types = `[${names.map(name => `typeof ${name}`)}].join()`
    const none = names.map(() => 'undefined').join()
    expect(await outcome(`return ${types}`)).to.equal(none)
    for (const reach of [
      'this.constructor.constructor',
      '(() => 1).constructor',
      '[].map.constructor',
      'Object.getPrototypeOf(async () => 1).constructor.constructor',
      'new Error().constructor.constructor',
    ]) {
      expect(await outcome(`return ${reach}('return ${types}')()`), reach).to.equal(none)
    }
    expect(await outcome('return import("node:fs")')).to.equal('[object Promise]')
    expect(await outcome('return typeof arguments.callee.caller')).to.equal('undefined')
  })

  it('leave nothing for the next query', async () => {
    const sow = `Object.prototype.sown = 'yes'; globalThis.sown = 1; Array.prototype.map = null; JSON.parse = null
      String.prototype.toWellFormed = () => 'sown'; return 'done'`
    expect(await outcome(sow)).to.be.oneOf(['sown', 'done'])
    expect(await outcome('return [typeof ({}).sown, typeof sown, typeof [].map, JSON.parse("1")].join()')).to.equal(
      'undefined,undefined,function,1',
    )
  })

  it('cannot answer with what is not a result', async () => {
    for (const body of [
      'Array.prototype.toJSON = () => "no"; return "a"',
      'Array.prototype.toJSON = () => [1]; return "a"',
      'Array.prototype.toJSON = () => ["a", "b"]; return "a"',
      'Array.prototype.toJSON = () => undefined; return "a"',
    ]) {
      expect(await outcome(body), body).to.contain('must not replace the functions of JavaScript itself')
    }
  })

  it('hold any text', async () => {
    expect(await outcome(String.raw`return 'a\0b\ud800' + '\udc00'.length + '\ud83d\ude00'`)).to.equal('a\0b\ufffd1😀')
    expect(await outcome(String.raw`return ['\ud800', '\0']`, { returns: 'ARRAY<STRING>' })).to.deep.equal([
      '\ufffd',
      '\0',
    ])
    expect(await outcome('return "é".repeat(1e7)', { call: 'LENGTH(f())' })).to.equal(10_000_000)
    expect(await outcome(`return "'); DROP TABLE t; --"`)).to.equal("'); DROP TABLE t; --")
  })

  it('throw anything', async () => {
    expect(await outcome('throw undefined')).to.equal('QueryFault: undefined at f()')
    expect(await outcome('throw {}')).to.equal('QueryFault: {} at f()')
    expect(await outcome('throw new Error("x".repeat(1e7))')).to.have.length.below(600)
    expect(await outcome('throw { message: [], name: {} }')).to.be.a('string')
    expect(await outcome('return { toString() { throw new Error("no") } }')).to.equal(
      'QueryFault: Error: no at f() line 1',
    )
    expect(await outcome('return Symbol("a")')).to.equal(
      'QueryFault: Failed to coerce output value Symbol(a) to type STRING at f()',
    )
    await answersStill()
  })

  it('run for concurrent queries, each with its own', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => `globalThis.n = (globalThis.n ?? ${i}); return globalThis.n`)
    const found = await Promise.all(bodies.map(body => outcome(body)))
    expect(found).to.deep.equal(bodies.map((_, i) => String(i)))
  })
})
