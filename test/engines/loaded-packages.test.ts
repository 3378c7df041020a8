/** What a process loads before it knows its engine: native libraries take 10 MB and more, for nothing. */
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

describe('the program before it opens an engine', () => {
  it('has loaded neither DuckDB nor Google’s client', () => {
    const script =
      "import { Module } from 'node:module'; await import('./dist/cli/serve.js');" +
      'console.log(JSON.stringify(Object.keys(Module._cache)))'
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    const loaded = JSON.parse(stdout) as readonly string[]
    expect(loaded.filter(file => file.includes('node_modules/express/'))).not.to.deep.equal([])
    expect(loaded.filter(file => /@duckdb|@google-cloud/.test(file))).to.deep.equal([])
  })
})
