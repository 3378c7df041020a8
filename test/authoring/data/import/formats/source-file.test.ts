import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { byteChunks, sourcesOf } from '../../../../../authoring/data/import/formats/source-file.js'
import { until } from '../../../../until.js'

describe('byteChunks', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'source-file-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const lines = Buffer.from('{"n":1}\n'.repeat(2_000_000))
  for (const [format, content] of [
    ['ndjson', lines],
    ['ndjson.gz', gzipSync(lines)],
  ] as const) {
    it(`closes the input of a reader that stops early: ${format}`, async () => {
      const path = join(folder, `a.${format}`)
      writeFileSync(path, content)
      const input = createReadStream(path, { highWaterMark: 1024 })
      for await (const chunk of byteChunks(sourcesOf(['-'], format)[0]!, () => input)) {
        expect(chunk.length).to.be.within(1, lines.length - 1)
        break
      }
      await until(() => input.closed, 'the end of the input')
    })
  }

  it('names the source that ends too early', async () => {
    const path = join(folder, 'cut.ndjson.gz')
    writeFileSync(path, gzipSync(lines).subarray(0, 1000))
    const read = async (): Promise<void> => {
      for await (const _ of byteChunks(sourcesOf([path], null)[0]!, () => process.stdin));
    }
    const failure = await read().catch((error: Error) => error)
    expect(failure)
      .to.have.property('message')
      .that.matches(/cut\.ndjson\.gz: its gzip cannot be read to the end/)
  })
})
