/**
 * A reader that stalls, comes back, is slow or leaves: the lines it gets, the lines dropped, and the report of their number.
 */
import { expect } from 'chai'
import { boundedOutput, MAX_WAITING } from '../../runner/observe/bounded-output.js'
import { type ManualClock, manualClock } from '../cache/manual-clock.js'

const LINE = `${'x'.repeat(1_023)}\n`

/** An output with a simulated reader, which accepts no bytes until `takes` is called. */
function reader(clock: ManualClock) {
  let room: number | null = 0
  let text = ''
  const output = boundedOutput(bytes => {
    if (room === null) throw Object.assign(new TypeError('gone'), { code: 'EPIPE' })
    const taken = bytes.subarray(0, room)
    room -= taken.length
    text += Buffer.from(taken).toString('latin1')
    return taken.length
  }, clock)
  return {
    output,
    write: (line: string) => output.write(Buffer.from(line)),
    /** The reader accepts up to `bytes` from now on; null: it has left. */
    takes: (bytes: number | null) => {
      room = bytes
    },
    text: () => text,
    lines: () => text.split('\n').slice(0, -1),
  }
}

const droppedIn = (lines: readonly string[]): readonly number[] =>
  lines.flatMap(line => (line.includes('dropped') ? [(JSON.parse(line) as { dropped: number }).dropped] : []))

describe('output whose reader may stall', () => {
  it('is written at once where the reader accepts it', () => {
    const { write, takes, text } = reader(manualClock())
    takes(1_000)
    write('one\ntwo\n')
    expect(text()).to.equal('one\ntwo\n')
  })

  it('waits for the reader, and then comes as whole lines in order', async () => {
    const clock = manualClock()
    const { output, write, takes, text } = reader(clock)
    takes(2)
    for (const line of ['one\n', 'two\n', 'three\n']) write(line)
    expect(text()).to.equal('on')
    takes(4)
    await clock.advance(200)
    expect(text()).to.equal('one\ntw')
    takes(1_000)
    write('four\n')
    expect(text()).to.equal('one\ntwo\nthree\nfour\n')
    expect(output.dropped()).to.equal(0)
  })

  it('is bounded: further lines are dropped, and their number is reported to the reader when it is back', async () => {
    const clock = manualClock()
    const { output, write, takes, lines } = reader(clock)
    for (let i = 0; i < 5_000; i += 1) write(LINE)
    write('a\nb\n')
    takes(Number.POSITIVE_INFINITY)
    await clock.advance(200)
    const taken = lines().filter(line => line === LINE.trimEnd()).length
    expect(taken * LINE.length).to.equal(MAX_WAITING)
    expect(droppedIn(lines())).to.deep.equal([5_002 - taken])
    expect(output.dropped()).to.equal(5_002 - taken)
    expect(lines().at(-1)).to.match(/^\{"level":"warn","time":"[^"]+Z","dropped":\d+,"msg":"dropped \d+ lines /)
    write('after\n')
    expect(lines().at(-1)).to.equal('after')
  })

  it('reports each gap once, at the place of the missing lines, to a slow reader', async () => {
    const clock = manualClock()
    const { output, write, takes, lines } = reader(clock)
    let written = 0
    for (let round = 0; round < 400; round += 1) {
      takes(10_000)
      for (let i = 0; i < 20; i += 1, written += 1) write(LINE)
      await clock.advance(100)
    }
    takes(Number.POSITIVE_INFINITY)
    await clock.advance(200)
    const gaps = droppedIn(lines())
    expect(gaps.length).to.be.within(2, 8)
    expect(gaps.reduce((sum, count) => sum + count, 0)).to.equal(output.dropped())
    expect(lines().length - gaps.length + output.dropped()).to.equal(written)
  })

  it('goes on without a reader, and reports the gap to a new one', () => {
    const { output, write, takes, lines } = reader(manualClock())
    write('waits\n')
    takes(null)
    write('one\ntwo\n')
    write('three\n')
    expect(output.dropped()).to.equal(4)
    takes(1_000)
    write('four\n')
    expect(droppedIn(lines())).to.deep.equal([4])
    expect(lines()[1]).to.equal('four')
  })

  it('gives waiting lines to the reader at the end of the process', () => {
    const { output, write, takes, lines } = reader(manualClock())
    write(LINE)
    takes(10_000)
    output.end()
    expect(lines()).to.have.length(1)
  })
})
