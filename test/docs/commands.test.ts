/**
 * Every page with `console` blocks is run from top to bottom; test/package/install.test.ts runs the tutorial, which installs the
 * package. UPDATE_DOCS=1 writes what was really printed into the pages.
 */
import { isRun, openCheckout, openTutorialFolder } from './console.js'
import { pageFiles, readPage } from './page.js'
import { describeCommands } from './page-commands.js'

/** A page that says so begins in the folder of the tutorial, with the files that the tutorial wrote. */
const GOES_ON = /examples\s+go\s+on\s+from\s+the\s+folder\s+of\s+the\s+\[tutorial\]\(tutorial\.md\)/

for (const page of pageFiles().map(readPage).filter(isRun)) {
  if (page.file === 'docs/tutorial.md') continue
  describeCommands(page, GOES_ON.test(page.text) ? openTutorialFolder : openCheckout)
}
