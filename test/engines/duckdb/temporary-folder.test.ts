/** Temporary files of the engine that cannot be written. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { failureOf } from '../../../runner/engines/duckdb/child/failure.js'
import { causeText } from '../../../runner/model/cause-text.js'
import { until } from '../../until.js'
import { openRawEngine, type RawQuery, scratchFolder } from './raw-engine.js'

const ONE: RawQuery = { sql: 'SELECT 1::BIGINT AS n', columns: [{ name: 'n', type: { kind: 'INT64' } }] }
const messageOf = (text: string): string => {
  const failure = failureOf(new TypeError(text))
  return failure.kind === 'query' ? failure.message : failure.kind
}

describe("the engine's temporary files", () => {
  const scratch = scratchFolder()
  after(() => scratch.remove())

  it('are reported, with the setting of their folder, where the disk is full', () => {
    const full = 'IO Error: Could not write file "/t/sluice-duckdb-dkDZLR/child-1/spill/x.tmp": No space left on device'
    const message =
      "cannot write the engine's temporary files into /t: no space is left on the device (ENOSPC); TMPDIR names another place"
    expect(messageOf(full)).to.equal(message)
    expect(messageOf(`TransactionContext Error: ${full}`)).to.equal(message)
    // The same words about another file, or in an error of another kind, are not reported as a full disk.
    expect(messageOf(full.replace('sluice-duckdb-', 'other-'))).to.equal('engine')
    expect(messageOf(`Invalid Input Error: ${full}`)).to.equal('engine')
  })

  it('that cannot be written do not keep a process from a clean end, nor from going on once they can be written', async () => {
    const tempDir = join(scratch.path, 'temp')
    const away = join(scratch.path, 'away')
    const { engine, run } = await openRawEngine({ tempDir })
    try {
      expect((await run(ONE)).rowCount).to.equal(1)
      renameSync(tempDir, away)
      writeFileSync(tempDir, '')
      process.kill(engine.pid()!, 'SIGKILL')
      const failure = await run(ONE).then(
        () => null,
        (error: unknown) => error,
      )
      expect(failure).to.include({ code: 'ENGINE_UNAVAILABLE' })
      expect(causeText(failure)).to.include(`cannot write the engine's temporary files into ${tempDir}: a part of`)
      rmSync(tempDir)
      mkdirSync(tempDir)
      // A start that began before the folder was back refuses the requests that wait for it.
      await until(() => engine.ping().then(() => true), 'the engine is available')
      expect((await run(ONE)).rowCount).to.equal(1)
    } finally {
      await engine.close()
    }
  })
})
