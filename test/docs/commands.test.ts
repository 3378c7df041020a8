/** Every page with `console` blocks is run from top to bottom. UPDATE_DOCS=1 writes what was really printed into the pages. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { isUnreachable } from '../registry.js'
import { type Checkout, isRun, openCheckout, openTutorialFolder } from './console.js'
import { pageFiles, readPage } from './page.js'

/** A page that says so begins in the folder of the tutorial, with the files that the tutorial wrote. */
const GOES_ON = /examples\s+go\s+on\s+from\s+the\s+folder\s+of\s+the\s+\[tutorial\]\(tutorial\.md\)/

interface Update {
  readonly offset: number
  readonly length: number
  readonly text: string
}

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0
const isUpdating = process.env['UPDATE_DOCS'] === '1'

for (const page of pageFiles().map(readPage).filter(isRun)) {
  describe(`the commands of ${page.file}`, function () {
    this.timeout(240_000)
    let checkout: Checkout
    /** npm reached no registry, so what the page installs is not there. */
    let isCutOff = false
    const updates: Update[] = []

    before(async () => {
      checkout = await (GOES_ON.test(page.text) ? openTutorialFolder() : openCheckout())
    })
    after(async () => {
      await checkout.close()
      if (isUpdating) writeFileSync(page.file, updated(page.text, updates))
    })

    for (const block of page.blocks) {
      if (block.path !== null) {
        it(`${block.path} is written`, () => checkout.write(block))
      }
      if (block.language !== 'console') continue
      it(`print what is shown: ${block.text.split('\n')[0]}`, async function () {
        if (isCutOff || (block.words.includes('python3') && !HAS_PYTHON)) this.skip()
        const printed = await checkout.run(block)
        isCutOff = printed !== block.text && isUnreachable(printed)
        if (isCutOff) this.skip()
        if (isUpdating) updates.push({ offset: block.offset, length: block.text.length, text: printed })
        else expect(printed).to.equal(block.text)
      })
    }
  })
}

/** The text with these parts replaced, which stand in order. */
function updated(text: string, updates: readonly Update[]): string {
  return updates.reduceRight(
    (all, one) => all.slice(0, one.offset) + one.text + all.slice(one.offset + one.length),
    text,
  )
}
