/** Every line reaches standard error whole, once and in order, however many lines there are and however long they are. */
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { gathered } from '../../runner/observe/log-output.js'

/** Lengths of lines: short lines that fill the buffer several times, and between them lines longer than the buffer. */
const LENGTHS = Array.from({ length: 600 }, (_, i) => (i % 200 === 150 ? 40_000 + i : 50 + (i % 97)))
const LINES = LENGTHS.map((length, i) => `${`line ${i} `.padEnd(length, 'x')}\n`)

const CHILD = `
  import { standardError } from './runner/observe/log-output.ts'
  import { systemClock } from './runner/platform/clock.ts'
  const output = standardError(systemClock())
  const lines = JSON.parse(process.env.LINES_LENGTHS).map((length, i) => ('line ' + i + ' ').padEnd(length, 'x') + '\\n')
  for (const line of lines) output.hold(line)
  output.flush()
  output.stream.write('between\\n')
  output.hold('last\\n')
  output.flush()
  output.end()
`

describe('lines that are gathered', () => {
  it('reach standard error', () => {
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', CHILD],
      { env: { ...process.env, LINES_LENGTHS: JSON.stringify(LENGTHS) }, encoding: 'utf8', maxBuffer: 10_000_000 },
    )
    expect(status, stderr).to.equal(0)
    expect(stderr === `${LINES.join('')}between\nlast\n`, stderr.slice(0, 2_000)).to.equal(true)
  })

  it('reach any other destination', () => {
    const written: string[] = []
    const output = gathered({ write: text => void written.push(text) })
    for (const line of LINES) output.hold(line)
    expect(written.length).to.be.within(2, 20)
    output.flush()
    output.flush()
    expect(written.join('') === LINES.join('')).to.equal(true)
  })
})
