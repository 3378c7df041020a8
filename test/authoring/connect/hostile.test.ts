/** Snippets run by the real tools: whatever an argument holds arrives as it is, and nothing of it runs. */

import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import ts from 'typescript'
import { typescriptClient } from '../../../authoring/client/typescript.js'
import { wellFormed } from '../../../authoring/connect/address.js'
import type { ConnectCall, ConnectTool } from '../../../authoring/connect/tool.js'
import { CONNECT_TOOLS } from '../../../authoring/connect/tools.js'
import { anyText } from '../../any-text.js'
import { described, endpointsOf, runtimeOf } from '../client/described.js'
import { HOSTILE_TEXTS } from './hostile-texts.js'
import { callOf, publishedEndpoint, publishedParameter } from './published.js'
import { type RecordingServer, recordingServer } from './recording-server.js'

const run = promisify(execFile)
const TOKEN = 'token-of-the-environment'

const text = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  anyText(),
  fc.array(fc.constantFrom(...HOSTILE_TEXTS), { maxLength: 4 }).map(parts => parts.join('')),
)
const named = fc.tuple(
  text.filter(name => name !== '' && name !== 'format'),
  fc.oneof(text, fc.array(text, { maxLength: 3 })),
)
/** A path cannot end in these. */
const endpointName = text.filter(name => !/^\.{0,2}$/.test(name))
const call = fc.record({ name: endpointName, given: fc.array(named, { maxLength: 4 }).map(Object.fromEntries) })
type Drawn = { readonly name: string; readonly given: ConnectCall['arguments'] }

/** What the server must see of these arguments. */
const wanted = (given: ConnectCall['arguments']): readonly (readonly string[])[] =>
  Object.entries(given).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value].filter(one => one !== '') : value).map(one => [name, one].map(wellFormed)),
  )

const compiled = (source: string): string =>
  ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } })
    .outputText

const IMPORT_ALL = 'for (const file of process.argv.slice(1)) await import(file)'
const EXECUTE_ALL =
  'import sys\nfor file in sys.argv[1:]: exec(compile(open(file, encoding="utf-8").read(), file, "exec"), {})'

interface Runner {
  /** The ending of a file that holds a snippet. */
  readonly ending: string
  readonly prepare: (snippet: string) => string
  /** The program, and its arguments before the files, which it runs one after another. */
  readonly command: readonly [program: string, ...args: readonly string[]]
  readonly added: readonly (readonly string[])[]
}

const asIs = (snippet: string): string => snippet
const shell = (name: string): Runner['command'] => [name, '-c', `for file; do ${name} "$file" || exit; done`, name]
const node: Runner['command'] = [process.execPath, '--input-type=module', '-e', IMPORT_ALL]

const RUNNERS: Readonly<Record<string, Runner>> = {
  curl: { ending: 'sh', prepare: asIs, command: shell('bash'), added: [] },
  fetch: { ending: 'mjs', prepare: asIs, command: node, added: [] },
  ts: { ending: 'mjs', prepare: compiled, command: node, added: [] },
  python: { ending: 'py', prepare: asIs, command: ['python3', '-c', EXECUTE_ALL], added: [] },
  observable: { ending: 'sh', prepare: asIs, command: shell('sh'), added: [['format', 'arrow']] },
}

describe('snippets with hostile arguments', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-connect-'))
  let server: RecordingServer
  before(async () => {
    server = await recordingServer()
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const client = typescriptClient(endpointsOf(described('shop.sales')), runtimeOf('ts'))
    writeFileSync(join(folder, 'client.js'), compiled(client))
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  const writeCall = (write: ConnectTool['write'], { name, given }: Drawn): string => {
    const parameters = Object.keys(given).map(one =>
      publishedParameter(one, Array.isArray(given[one]) ? 'array<string>' : 'string'),
    )
    return write(callOf(server.url, publishedEndpoint({ name, parameters }), given))
  }

  for (const [toolName, { ending, prepare, command, added }] of Object.entries(RUNNERS)) {
    it(`${toolName} sends them as they are`, async () => {
      const { write } = CONNECT_TOOLS.find(one => one.name === toolName)!
      let count = 0
      const property = fc.asyncProperty(fc.array(call, { minLength: 25 }), async (calls: readonly Drawn[]) => {
        const files = calls.map(drawn => {
          const file = join(folder, `${toolName}-${count++}.${ending}`)
          writeFileSync(file, prepare(writeCall(write, drawn)))
          return file
        })
        const [program, ...args] = command
        await run(program, [...args, ...files], {
          cwd: folder,
          env: { PATH: process.env['PATH'], SLUICE_TOKEN: TOKEN },
          timeout: 30_000,
        })
        expect(server.take()).to.deep.equal(
          calls.map(({ name, given }) => ({
            path: `/api/endpoints/query/${wellFormed(name)}`,
            token: TOKEN,
            pairs: [...wanted(given), ...added],
          })),
        )
        expect(readdirSync(folder)).not.to.include('pwned')
      })
      const each = HOSTILE_TEXTS.map(one => ({ name: one, given: Object.fromEntries([[one, [one, one]]]) }))
      await fc.assert(property, { numRuns: 4, examples: [[each]] })
    })
  }
})
