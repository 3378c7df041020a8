/** Makes docs/explorer.png: the explorer after a call, from a real run over sample data. Needs `make build` and Chromium. */
import { openBrowser, openPage } from '../test/explorer/browser.js'
import { signIn, statusIs } from '../test/explorer/driver.js'
import { explored, PROJECT } from '../test/explorer/explored.js'

const TARGET = 'docs/explorer.png'
const SIZE = { width: 1280, height: 1080 }

const s = await explored({}, 10_000)
const browser = await openBrowser()
try {
  const token = await s.token({ allow: ['functions.*', 'logs.*', 'usage.*'], allTenants: true })
  const address = `${s.page}#/functions.invocation-stats?project=${PROJECT}&interval=1day&run=1`
  const { page, close } = await openPage(browser, address, { viewport: SIZE, colorScheme: 'light' })
  await signIn(page, token)
  await statusIs(page, /^\d+ rows/)
  for (const name of ['min_execution_time', 'max_execution_time', 'p99_execution_time', 'error_count']) {
    await page.locator('.legend').getByRole('button', { name }).click()
  }
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/^hit, /).waitFor()
  await page.mouse.move(760, 660)
  await page.evaluate('document.activeElement.blur()')
  await page.screenshot({ path: TARGET })
  await close()
} finally {
  await browser.close()
  await s.close()
}
