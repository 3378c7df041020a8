/** The page of a server on BigQuery, which an emulator plays: what a call has cost, and that none is made unasked. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { describeOverEmulator, PROJECT } from '../bigquery-emulator/emulator.js'
import { until } from '../until.js'
import { isPendingWithoutBrowser, openBrowser, openPage } from './browser.js'
import { cells, open, runButton, signIn, statusIs } from './driver.js'
import { type Explored, explored } from './explored.js'

const ID = '00000000-0000-4000-8000-0000000000f1'
const orders = (select: string, more = ''): string =>
  `id: ${ID}\nname: shop.orders\n${more}sql: |\n  SELECT ${select} FROM \`shop.orders\`\n`

describeOverEmulator('the explorer on BigQuery', emulator => {
  if (isPendingWithoutBrowser()) return
  let s: Explored
  let browser: Browser
  before(async () => {
    const fields = [{ name: 'name', type: 'STRING' }]
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ name: `order ${i}` }))
    await emulator().addTable({ dataset: 'shop', table: 'orders', fields, rows })
    s = await explored({ engine: 'bigquery', emulatorHost: emulator().host, project: PROJECT, dev: true }, 20)
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await s?.close()
  })

  let states = 0
  /** The endpoint as this text says, open on a page: one opened before it is served would be told of it as of an edit. */
  async function at(text: string, test: (page: Page) => Promise<void>): Promise<void> {
    states += 1
    const description = `State ${states}.`
    s.write('orders', `description: ${description}\n${text}`)
    await until(() => s.runner.endpoints().some(one => one.description === description), 'the endpoint is served')
    const { page, close } = await openPage(browser, s.page)
    await signIn(page)
    await open(page, 'shop.orders')
    await test(page)
    await close()
  }

  it('says what the query was billed, of a hit that there was none', async () => {
    await at(orders('COUNT(*) AS n', 'settings: { cache: { ttl_seconds: 900 } }\n'), async page => {
      const answered = page.waitForResponse(/query\/shop\.orders/)
      await runButton(page).click()
      await statusIs(page, /^1 row/)
      expect(await cells(page).innerText()).to.equal('1000')
      // The emulator answers every query with 0; the words for other amounts are tested by themselves.
      expect((await answered).headers()['server-timing']).to.include('desc="0 bytes billed"')
      expect(await page.locator('.facts').innerText()).to.match(/Billed\s+nothing/)
      await runButton(page).click()
      await page.getByText(/^hit,/).waitFor()
      expect(await page.locator('.facts').innerText()).to.not.include('Billed')
    })
  })

  it('runs a saved manifest only when it is told to', async () => {
    await at(orders('COUNT(*) AS n'), async page => {
      await runButton(page).click()
      await statusIs(page, /^1 row/)
      s.write('orders', `description: Edited.\n${orders('COUNT(*) + 1 AS n')}`)
      await page.getByText(/^Saved at \d\d:\d\d:\d\d: the result below is of the state before\.$/).waitFor()
      expect(await cells(page).innerText()).to.equal('1000')
      const again = page.getByRole('button', { name: 'Run again' })
      await again.click()
      await until(async () => (await cells(page).innerText()) === '1001', 'the result of what was saved')
      await page.getByText(/^Saved at \d\d:\d\d:\d\d: the last call ran again\.$/).waitFor()
      expect(await again.count()).to.equal(0)
    })
  })
})
