/** The tests of a page: every file that it shows is written, and every command prints what is shown. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { need, whyPending } from '../installed/installed.js'
import { isUnreachable } from '../registry.js'
import type { Checkout } from './console.js'
import type { Page } from './page.js'

interface Update {
  readonly offset: number
  readonly length: number
  readonly text: string
}

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0
const isUpdating = process.env['UPDATE_DOCS'] === '1'

/**
 * @param further declares tests of what the commands have made; they are skipped where npm reached no registry
 * @param tools what `open` needs of what test/installed/install.sh installs
 */
export function describeCommands(
  page: Page,
  open: () => Promise<Checkout>,
  further: (checkout: () => Checkout) => void = () => undefined,
  tools: readonly string[] = [],
): void {
  describe(`the commands of ${page.file}${whyPending(...tools)}`, function () {
    this.timeout(600_000)
    let checkout: Checkout | undefined
    /** npm reached no registry, so what the page installs is not there. */
    let isCutOff = false
    const updates: Update[] = []

    before(async function () {
      need(this, ...tools)
      checkout = await open()
    })
    beforeEach(function () {
      if (isCutOff) this.skip()
    })
    after(async () => {
      await checkout?.close()
      if (isUpdating) writeFileSync(page.file, updated(page.text, updates))
    })

    for (const block of page.blocks) {
      if (block.path !== null) {
        it(`${block.path} is written`, () => checkout!.write(block))
      }
      if (block.language !== 'console') continue
      it(`print what is shown: ${block.text.split('\n')[0]}`, async function () {
        if (block.words.includes('python3') && !HAS_PYTHON) this.skip()
        const printed = await checkout!.run(block)
        isCutOff = printed !== block.text && isUnreachable(printed)
        if (isCutOff) this.skip()
        if (isUpdating) updates.push({ offset: block.offset, length: block.text.length, text: printed })
        else expect(printed).to.equal(block.text)
      })
    }
    further(() => checkout!)
  })
}

/** The text with these parts replaced, which stand in order. */
function updated(text: string, updates: readonly Update[]): string {
  return updates.reduceRight(
    (all, one) => all.slice(0, one.offset) + one.text + all.slice(one.offset + one.length),
    text,
  )
}
