/** The page beside an editor: a real server with `--dev`, and manifests that are saved. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { until } from '../until.js'
import { cells, describeInBrowser, runButton, statusIs } from './driver.js'

const ID = '00000000-0000-4000-8000-0000000000e1'

interface Draft {
  readonly name?: string
  readonly id?: string
  readonly description?: string
  readonly parameters?: string
  readonly sql: string
}

const draft = ({ name = 'drafts.one', id = ID, description = 'A draft.', parameters = '', sql }: Draft): string =>
  [`id: ${id}`, `name: ${name}`, `description: ${description}`, ...(parameters ? [parameters] : [])].join('\n') +
  `\nsql: |\n  ${sql}\n`

const WITH_N = 'parameters:\n  n: { type: int64, default: 1 }'

/** What the list says of drafts with flaws. */
const listed = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('.endpoints a:has(.flaws)').allInnerTexts()).filter(text => !text.startsWith('tests.'))

describeInBrowser(
  'the explorer beside an editor',
  ({ server, on }) => {
    const write = (text: Draft | string, file = 'draft'): void =>
      server().write(file, typeof text === 'string' ? text : draft(text))

    let states = 0
    let token = ''
    before(async () => {
      token = await server().token({ allow: ['*'], explain: true, allTenants: true })
    })

    /** A page at the endpoint, which is as `text` says. */
    async function at(text: Draft, hash: string, test: (page: Page) => Promise<void>): Promise<void> {
      states += 1
      const description = `State ${states}.`
      write({ ...text, description })
      const isServed = () =>
        server()
          .runner.endpoints()
          .some(one => one.description === description)
      await until(isServed, 'the draft is served')
      await on(
        async page => {
          await page.getByRole('heading', { name: 'drafts.one' }).waitFor()
          await test(page)
        },
        { hash, token },
      )
    }

    it('shows the fields, the documentation and the query of a saved manifest, and runs the last call again', async () => {
      await at({ sql: 'SELECT 1 AS n' }, '#/drafts.one', async page => {
        await page.getByText('This endpoint takes no arguments.').waitFor()
        await runButton(page).click()
        await until(async () => (await cells(page).innerText()) === '1', 'the first result')
        write({ description: 'A better draft.', parameters: WITH_N, sql: 'SELECT @n + 41 AS n' })
        await until(async () => (await cells(page).innerText()) === '42', 'the result of what was saved')
        await page.getByLabel(/^n /).waitFor()
        await page.getByText('A better draft.').first().waitFor()
        await page.getByText(/^Saved at \d\d:\d\d:\d\d: the last call ran again\.$/).waitFor()
        await page.getByLabel(/^n /).fill('2')
        await runButton(page).click()
        await until(async () => (await cells(page).innerText()) === '43', 'a result of the new field')
        write({ description: 'A better draft.', sql: 'SELECT 7 AS n' })
        await until(async () => (await cells(page).innerText()) === '7', 'the result without the field')
        expect(await page.getByLabel(/^n /).count()).to.equal(0)
        expect(await page.evaluate('location.hash')).to.equal('#/drafts.one?run=1')
        await page.getByRole('tab', { name: 'Query' }).click()
        await page.getByText('SELECT 7 AS n').waitFor()
        write({ sql: 'SELECT 8 AS n' })
        await page.getByText('SELECT 8 AS n').waitFor()
      })
    })

    it('runs nothing by itself where there was no call, and keeps what is in the fields', async () => {
      await at({ parameters: WITH_N, sql: 'SELECT @n AS n' }, '#/drafts.one', async page => {
        const field = page.getByLabel(/^n /)
        await field.fill('5')
        write({ parameters: WITH_N, sql: 'SELECT @n * 2 AS n' })
        await page.getByText(/^Saved at .*: this is the new state\.$/).waitFor()
        expect(await field.inputValue()).to.equal('5')
        expect(await page.evaluate('location.hash')).to.equal('#/drafts.one')
        await runButton(page).click()
        await until(async () => (await cells(page).innerText()) === '10', 'the result of what was saved')
      })
    })

    it('shows a mistake with its place, keeps the result, and follows its correction', async () => {
      await at({ sql: 'SELECT 1 AS n' }, '#/drafts.one?run=1', async page => {
        await statusIs(page, /^1 row/)
        write({ sql: 'SELECT nothing AS n' })
        const alert = page.getByRole('alert')
        await alert.waitFor()
        const text = await alert.innerText()
        expect(text).to.match(/draft\.yaml:5:10\n/)
        expect(text).to.contain('Unrecognized name: nothing')
        expect(text).to.contain('The state before is served')
        expect(await listed(page)).to.have.length(1)
        expect((await listed(page))[0]).to.match(/^drafts\.one\s+1 mistake/)
        expect(await cells(page).innerText()).to.equal('1')
        expect(await page.getByText(/^Saved at/).count()).to.equal(0)
        write({ sql: 'SELECT 2 AS n' })
        await until(async () => (await cells(page).innerText()) === '2', 'the result of the correction')
        expect([await alert.count(), await listed(page)]).to.deep.equal([0, []])
      })
    })

    it('says of a warning that was there before that it is there, and not that anything was saved', async () => {
      const parameters = 'parameters:\n  constructor: { type: string }'
      await at({ parameters, sql: 'SELECT @constructor AS n' }, '#/drafts.one?run=1', async page => {
        await statusIs(page, /^1 row/)
        await page.getByText('[parameter/object-member]').waitFor()
        const calls = page.getByRole('tab', { name: 'History' })
        await calls.click()
        expect(await page.locator('.history li').count()).to.equal(1)
        expect(await page.getByText(/^Saved at/).count()).to.equal(0)
        write({ parameters, sql: 'SELECT 2 AS n, @constructor AS m' })
        await page.getByText(/^Saved at .*: the last call ran again\.$/).waitFor()
      })
    })

    it('lists what is not served, by its file where it has no name, and opens it when it is', async () => {
      const OTHER = '00000000-0000-4000-8000-0000000000e2'
      await at({ sql: 'SELECT 1 AS n' }, '#/drafts.one', async page => {
        write({ name: 'drafts.two', id: OTHER, sql: 'SELECT 1 / ' }, 'other')
        const link = page.getByRole('link', { name: /^drafts\.two 1 mistake/ })
        await link.click()
        await page.getByRole('heading', { name: 'drafts.two' }).waitFor()
        expect(await page.getByRole('alert').innerText()).to.match(/other\.yaml:\d+:\d+/)
        write('[', 'other')
        const byFile = page.getByRole('link', { name: /other\.yaml \d mistake/ })
        await byFile.waitFor()
        await page.getByRole('heading', { name: /other\.yaml$/ }).waitFor()
        write({ name: 'drafts.two', id: OTHER, sql: 'SELECT 2 AS n' }, 'other')
        await page.getByRole('heading', { name: 'drafts.two' }).waitFor()
        await runButton(page).click()
        await statusIs(page, /^1 row/)
        expect(await listed(page)).to.deep.equal([])
      })
    })

    it('stays with an endpoint that is renamed', async () => {
      await at({ parameters: WITH_N, sql: 'SELECT @n AS n' }, '#/drafts.one?n=3&run=1', async page => {
        await until(async () => (await cells(page).innerText()) === '3', 'the first result')
        write({ name: 'drafts.renamed', parameters: WITH_N, sql: 'SELECT @n + 1 AS n' })
        await page.getByRole('heading', { name: 'drafts.renamed' }).waitFor()
        await until(async () => (await cells(page).innerText()) === '4', 'the result under the new name')
        expect(await page.getByLabel(/^n /).inputValue()).to.equal('3')
        expect(await page.evaluate('location.hash')).to.equal('#/drafts.renamed?n=3&run=1')
        write({ sql: 'SELECT 1 AS n' })
        await page.getByRole('heading', { name: 'drafts.one' }).waitFor()
      })
    })

    it('shows what a manifest says as text', async () => {
      await at({ sql: 'SELECT 1 AS n' }, '#/drafts.one', async page => {
        write({ sql: 'SELECT `<img src=x onerror=document.title=1>` AS n' })
        await page.getByRole('alert').waitFor()
        expect(await page.getByRole('alert').innerText()).to.contain('<img src=x')
        expect(await page.locator('img').count()).to.equal(0)
        write({ sql: 'SELECT 1 AS n' })
        await until(async () => (await page.getByRole('alert').count()) === 0, 'the correction')
      })
    })

    it('says that the server is away, and follows the next one', async () => {
      await at({ sql: 'SELECT 1 AS n' }, '#/drafts.one', async page => {
        write({ description: 'Followed.', sql: 'SELECT 1 AS n' })
        await page.getByText('Followed.').first().waitFor()
        // Chromium itself writes an error for each attempt that reaches no server.
        const away = page.getByText(/^Edits are not followed/).first()
        await server().restart(async () => {
          await away.waitFor()
          write({ description: 'Edited meanwhile.', sql: 'SELECT 9 AS n' })
        })
        await page.getByText('Edited meanwhile.').first().waitFor()
        await until(async () => !(await away.isVisible()), 'the page follows again')
        write({ description: 'Edited after.', sql: 'SELECT 10 AS n' })
        await page.getByText('Edited after.').first().waitFor()
      })
    })

    it('follows once the server can be asked whether to', async () => {
      await at({ sql: 'SELECT 1 AS n' }, '#/drafts.one', async page => {
        let isAway = true
        await page.route('**/api/token', route => (isAway ? route.abort('connectionrefused') : route.continue()))
        const failed = page.waitForEvent('requestfailed', request => request.url().endsWith('/api/token'))
        await page.reload()
        await failed
        isAway = false
        write({ description: 'Edited after.', sql: 'SELECT 10 AS n' })
        await page.getByText('Edited after.').first().waitFor()
      })
    })
  },
  { dev: true },
)
