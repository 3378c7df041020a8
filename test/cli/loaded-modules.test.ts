/**
 * What the main thread of `serve` loads: the library of a format is loaded in the deriver's thread, the sandbox of JavaScript
 * in the engine's process, and the library that serves agents in a thread, each when a call needs it. The engine's process loads the
 * library of a format for an export.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'chai'
import { RESULT_FORMATS } from '../../runner/formats/index.js'
import { itInAll } from '../sample-size.js'
import { scratch, startServe } from './command.js'

const TOKEN = 'unrestricted-token-of-32-letters'
const LIBRARIES = [
  ...['apache-arrow', 'flatbuffers', 'hyparquet', 'hyparquet-writer'],
  ...['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'],
]
/** What serves agents. */
const AGENTS = ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod']

/** The packages of which modules were loaded. */
const packagesIn = (log: string): ReadonlySet<string> =>
  new Set(readFileSync(log, 'utf8').match(/(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+/g))

/** The program's own modules that were loaded, a line each: the bundler writes their names above what it has of them. */
const ownModules = (log: string): string =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter(url => url.includes('/dist/'))
    .flatMap(url => readFileSync(new URL(url), 'utf8').match(/(?<=^\/\/ )dist\/.*/gm) ?? [])
    .join('\n')

describe('the modules of a server', () => {
  const folder = scratch()
  after(() => folder.remove())

  itInAll(
    'do not include the library of a format, nor the one that serves agents, even once one has asked',
    async () => {
      mkdirSync(folder.path('data', 'logs'), { recursive: true })
      const log = folder.path('modules.log')
      writeFileSync(log, '')
      const server = await startServe(['--data', folder.path('data')], {
        SLUICE_TOKEN: TOKEN,
        NODE_OPTIONS: `--import=${resolve('test/log-modules.mjs')}`,
        MODULES_LOG: log,
      })
      try {
        expect(packagesIn(log)).to.include('express')
        for (const format of RESULT_FORMATS) {
          const path = `/api/endpoints/query/logs.all?project=p&project_tier=FREE&format=${format}`
          expect((await server.get(path, { 'X-API-KEY': TOKEN })).status, format).to.equal(200)
        }
        expect([...packagesIn(log)].filter(name => [...LIBRARIES, ...AGENTS].includes(name))).to.deep.equal([])
        expect(ownModules(log))
          .to.include('dist/runner/http/app.js')
          .and.not.to.match(/^dist\/runner\/mcp\/(?!agent-thread)/m)
        const asked = await fetch(`${server.url}/mcp`, {
          method: 'POST',
          headers: { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json' },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        })
        expect(asked.status).to.equal(200)
        expect([...packagesIn(log)].filter(name => AGENTS.includes(name))).to.deep.equal([])
      } finally {
        await server.end('SIGTERM')
      }
    },
  )
})

describe('the modules of the engine’s process', () => {
  const folder = scratch()
  after(() => folder.remove())

  it('do not include the library of a format at the start', async () => {
    const log = folder.path('modules.log')
    writeFileSync(log, '')
    const child = fork('dist/runner/engines/duckdb/child/child-main.js', [], {
      execArgv: [`--import=${resolve('test/log-modules.mjs')}`],
      env: { MODULES_LOG: log },
    })
    child.send({ kind: 'close' })
    await once(child, 'exit')
    const loaded = [...packagesIn(log)]
    expect(loaded).to.include('re2js')
    expect(loaded.filter(name => [...LIBRARIES, 'fflate'].includes(name))).to.deep.equal([])
  })
})
