/** The README's first example is held against what really happens. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { busiestProject, sampleLines } from '../../authoring/sample/generate.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { pictureText } from '../../tools/picture-diagnostics.js'
import { command } from '../cli/command.js'
import { itInAll, sampleOf } from '../sample-size.js'
import { readPage } from './page.js'

const README = readPage('README.md')
const TOKEN = 'unrestricted-token-of-32-letters'
const SEED = 1
/** Two times at which the sample ends, since the README's examples must not depend on the time of writing. */
const NEWEST = [1_769_860_800_000_000n, 1_784_122_662_123_000n] as const
const MAX_BYTES = 8_000

/** The texts of the code blocks in this language, in order. */
const blocks = (language: string): readonly string[] =>
  README.blocks.filter(block => block.language === language).map(block => block.text)

const MANIFEST = blocks('yaml')[0]!
const MISTAKES = blocks('yaml')[1]!

describe('the README', () => {
  it('is short', () => {
    expect(Buffer.byteLength(README.text)).to.be.at.most(MAX_BYTES)
  })

  it('names the project that the sample names', () => {
    const named = [...README.text.matchAll(/(?:the busiest project is |[?&]project=)([a-z]{20})/g)].map(
      match => match[1],
    )
    expect(named).to.have.length.greaterThan(3)
    expect([...new Set(named)]).to.deep.equal([busiestProject(SEED)])
  })
})

describe("the README's first manifest", () => {
  let folder = ''
  let runner: Runner
  let url = ''
  let close: () => Promise<void>

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
    mkdirSync(join(folder, 'endpoints'))
    mkdirSync(join(folder, 'data/logs'), { recursive: true })
    writeFileSync(join(folder, 'endpoints/projects.busiest.yaml'), MANIFEST)
    runner = await createRunner({
      port: 0,
      endpointsDir: join(folder, 'endpoints'),
      dataDir: join(folder, 'data'),
      token: TOKEN,
      engineMemoryMb: 256,
      engineThreads: 1,
    })
    const server = await runner.listen()
    url = server.url
    close = server.close
  })
  after(async () => {
    await close()
    await runner.close()
    rmSync(folder, { recursive: true })
  })

  it('has twelve lines', () => {
    expect(MANIFEST.split('\n')).to.have.length(13)
  })

  for (const nowMicros of sampleOf(NEWEST)) {
    it(`gives the reply that is shown, over sample data that ends at ${nowMicros}`, async () => {
      const lines = [...sampleLines('edge', { count: 10_000, seed: SEED, nowMicros })]
      writeFileSync(join(folder, 'data/logs/edge.ndjson'), lines.join(''))
      const [, path] = /'http:\/\/127\.0\.0\.1:8080(\S+)'/.exec(
        blocks('sh').find(text => text.includes('/projects.busiest?'))!,
      )!
      const response = await fetch(url + path, { headers: { 'X-API-KEY': TOKEN } })
      expect(`${await response.text()}\n`).to.equal(blocks('json')[0])
      const { body } = await runner.call('projects.busiest', { top: '2' }, { nowMicros })
      expect(`${Buffer.from(body)}\n`).to.equal(blocks('json')[0])
    })
  }

  it('has mistakes that make the diagnostics that are shown, to the letter', async () => {
    const lines = MANIFEST.split('\n')
    lines.splice(5, 3, ...MISTAKES.trimEnd().split('\n'))
    mkdirSync(join(folder, 'broken/endpoints'), { recursive: true })
    writeFileSync(join(folder, 'broken/endpoints/projects.busiest.yaml'), lines.join('\n'))
    // The manifests of a fresh clone are there too, and the command names the file as the README does.
    cpSync('endpoints', join(folder, 'broken/endpoints'), { recursive: true })
    const [, path] = /`make validate ARGS=(\S+)` reports/.exec(README.text)!
    const file = join(folder, 'broken', path!)
    const { code, out, err } = await command(['validate', file, '--endpoints', join(folder, 'broken/endpoints')])
    expect((err + out).replaceAll(`${join(folder, 'broken')}/`, '')).to.equal(blocks('text')[0])
    expect(code).to.equal(1)
  })

  itInAll('has a picture of these diagnostics that `npm run generate` would draw again', async () => {
    expect(readFileSync('docs/diagnostics.svg', 'utf8')).to.equal(await pictureText())
  })
})
