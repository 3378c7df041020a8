/** What a COPY writes, in parts. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { copyRows } from '../../../../runner/engines/duckdb/child/copy-rows.js'
import { PART_BYTES } from '../../../../runner/result/body.js'
import { scratchFolder } from '../raw-engine.js'

describe('rows of a COPY', () => {
  const folder = scratchFolder()
  after(() => folder.remove())

  it('are never all sent before it is known that they are whole', async () => {
    const path = join(folder.path, 'pipe')
    const written = Buffer.alloc(2 * PART_BYTES, 'rows')
    const parts: Uint8Array[] = []
    const copy = async (): Promise<void> => writeFile(path, written)
    const { body } = await copyRows(path, new Uint8Array(), copy, async bytes => void parts.push(bytes))
    expect(body.length).to.be.above(0)
    expect(Buffer.concat([...parts, body]).equals(written)).to.equal(true)
    expect(parts).to.have.length.above(0)
  })
})
