/** A result that has pages: its rows are fetched as the reader comes to them. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { until } from '../until.js'
import { cells, describeInBrowser, grid, runButton, statusIs } from './driver.js'
import { TOKEN } from './explored.js'

describeInBrowser('pages in the explorer', ({ server, on }) => {
  const toEnd = (page: Page) => page.locator('.table-box').evaluate(node => node.scrollTo(0, node.scrollHeight))
  const lastNumber = async (page: Page) =>
    Number(await page.locator('tr[data-index] td:first-child').last().textContent())
  const queries = () => server().events.filter(event => event.kind === 'query.started').length
  const purge = async () => {
    const init = { method: 'POST', headers: { 'X-API-KEY': TOKEN } }
    expect((await fetch(`${server().url}/api/endpoints/tests.pages/purge`, init)).ok).to.equal(true)
  }

  it('are fetched when the end of the table comes into sight, and not before', async () => {
    await on(
      async page => {
        await statusIs(page, /^300 of 20000 rows/)
        expect(await page.getByRole('status').innerText()).to.match(/^300 of 20\s?000 rows/)
        expect(await grid(page).getAttribute('aria-rowcount')).to.equal('20001')
        const before = queries()
        await page.locator('.table-box').evaluate(node => node.scrollTo(0, node.scrollHeight / 2))
        await until(async () => (await lastNumber(page)) > 150, 'the middle is shown')
        await statusIs(page, /^300 of/)
        await toEnd(page)
        await statusIs(page, /^600 of 20000 rows/)
        // The reader stays where they were.
        expect(await lastNumber(page)).to.be.within(300, 330)
        await grid(page).focus()
        await page.keyboard.press('Control+End')
        await statusIs(page, /^900 of 20000 rows/)
        expect(queries()).to.equal(before)
      },
      { hash: '#/tests.pages?rows=20000&run=1' },
    )
  })

  it('have every row once, and are in order when the last has come', async () => {
    await on(
      async page => {
        await statusIs(page, /^300 of 700 rows/)
        await toEnd(page)
        await statusIs(page, /^600 of 700 rows/)
        await toEnd(page)
        await statusIs(page, /^700 rows/)
        await toEnd(page)
        await until(async () => (await lastNumber(page)) === 700, 'the last row is shown')
        expect(await page.getByText('More are fetched').count()).to.equal(0)
        await cells(page).first().click()
        await page.getByRole('button', { name: /^Copy column/ }).click()
        const column = String(await page.evaluate('navigator.clipboard.readText()')).split('\n')
        expect(column).to.deep.equal(Array.from({ length: 700 }, (_, i) => String(i + 1)))
      },
      { hash: '#/tests.pages?rows=700&run=1', permissions: ['clipboard-read', 'clipboard-write'] },
    )
  })

  it('say that the whole result is cut, and how many rows it has', async () => {
    await on(
      async page => {
        await statusIs(page, /^300 of 20000 rows, truncated/)
        expect(await page.locator('.banner').textContent()).to.contain('at 20000 rows')
      },
      { hash: '#/tests.pages?rows=20001&run=1' },
    )
  })

  it('that are gone say so, and keep the rows', async () => {
    await on(
      async page => {
        await statusIs(page, /^300 of 900 rows/)
        await purge()
        await toEnd(page)
        const alert = page.getByRole('alert')
        await alert.waitFor()
        expect(await alert.textContent()).to.match(/The data has changed since the first rows were fetched.*PAGE_GONE/)
        expect(await alert.getByRole('button').count()).to.equal(0)
        await statusIs(page, /^300 of 900 rows/)
        await runButton(page).click()
        await until(async () => (await alert.count()) === 0, 'the new result has no problem')
        await toEnd(page)
        await statusIs(page, /^600 of 900 rows/)
      },
      { hash: '#/tests.pages?rows=900&faulty=true&run=1' },
    )
  })

  it('are asked for again where the server did not answer', async () => {
    await on(
      async page => {
        await statusIs(page, /^300 of 400 rows/)
        await page.route('**/query/tests.pages?*cursor=*', route => route.fulfill({ status: 503, body: '{}' }))
        await toEnd(page)
        const again = page.getByRole('button', { name: 'Fetch the next rows again' })
        await again.waitFor()
        await page.unroute('**/query/tests.pages?*cursor=*')
        await again.click()
        await statusIs(page, /^400 rows/)
        expect(await page.getByRole('alert').count()).to.equal(0)
      },
      { hash: '#/tests.pages?rows=400&run=1' },
    )
  })
})
