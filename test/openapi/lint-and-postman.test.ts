/** Spectral finds nothing in the documents, and the requests that Postman makes of them are answered. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { need, whyPending } from '../installed/installed.js'
import { type EveryType, serveEveryType, TOKEN } from './every-type.js'

const INSTALLED = resolve('.cache/openapi-generators')
const TOOLS = 'Spectral and Postman'
const SPECTRAL = join(INSTALLED, 'npm/node_modules/@stoplight/spectral-cli/dist/index.js')

/** A request of a collection, or a folder of them. */
interface Item {
  readonly item?: readonly Item[]
  readonly request: {
    readonly method: string
    readonly url: { readonly path: readonly string[]; readonly query: readonly { key: string; value: string }[] }
  }
}
type Converted = { readonly result: boolean; readonly reason?: string; readonly output: readonly { data: Item }[] }
interface Converter {
  convertV2(
    input: { readonly type: 'string'; readonly data: string },
    options: Readonly<Record<string, string>>,
    done: (error: Error | null, converted: Converted) => void,
  ): void
}

const requestsIn = (item: Item): readonly Item[] => item.item?.flatMap(requestsIn) ?? [item]

describe(`openapi: Spectral and Postman${whyPending(TOOLS)}`, function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lint-'))
  let server: EveryType
  before(async function () {
    need(this, TOOLS)
    server = await serveEveryType()
  })
  after(async () => {
    await server?.close()
    rmSync(folder, { recursive: true })
  })

  for (const version of ['3.1', '3.0']) {
    it(`Spectral finds nothing in OpenAPI ${version}, and something where a tag is missing`, async () => {
      writeFileSync(join(folder, 'rules.yaml'), 'extends: spectral:oas\n')
      const document = await server.document(`?version=${version}`)
      const lint = async (text: string): Promise<readonly { readonly code: string }[]> => {
        writeFileSync(join(folder, 'openapi.json'), text)
        const argv = [SPECTRAL, 'lint', '--format', 'json', '--fail-severity', 'hint', '--ruleset', 'rules.yaml']
        const done = await promisify(execFile)(process.execPath, [...argv, '--quiet', 'openapi.json'], {
          cwd: folder,
        }).catch((failed: { readonly stdout: string }) => failed)
        return JSON.parse(done.stdout)
      }
      expect(await lint(document)).to.deep.equal([])
      const broken = document.replace(/"tags": ?\[ *\{/, '"tags":[],"x-tags":[{')
      expect((await lint(broken)).map(({ code }) => code)).to.include('operation-tag-defined')
    })

    it(`Postman makes requests of OpenAPI ${version} that are answered`, async () => {
      const load = createRequire(join(INSTALLED, 'npm/package.json'))
      const { convertV2 } = load('openapi-to-postmanv2') as Converter
      const data = await server.document(`?version=${version}`)
      const options = { folderStrategy: 'Tags', parametersResolution: 'Example' }
      const { result, reason, output } = await promisify(convertV2)({ type: 'string', data }, options)
      expect([result, reason]).to.deep.equal([true, undefined])
      const requests = output.flatMap(one => requestsIn(one.data)).map(({ request }) => request)
      expect(requests.map(({ url }) => url.path.at(-1))).to.have.members([
        ...['every.type', 'functions.invocation-stats', 'logs.all', 'usage.api-counts'],
      ])
      for (const { method, url } of requests) {
        // Postman does not know the format of a DATETIME, and writes `string`.
        const query = url.query
          .filter(({ value }) => value !== 'string')
          .map(({ key, value }): [string, string] => [key, value])
        const address = `${server.url}/${url.path.join('/')}?${new URLSearchParams(query)}`
        const response = await fetch(address, { method, headers: { 'X-API-KEY': TOKEN } })
        expect([response.status, await response.json()], address).to.have.nested.property('[0]', 200)
      }
    })
  }
})
