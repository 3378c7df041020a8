/** What the page shows of a result: the table, the chart, a comparison, the query, and the call as other tools make it. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { CONNECT_TOOLS } from '../../authoring/connect/tools.js'
import { until } from '../until.js'
import { cells, describeInBrowser, grid, open, runButton, statusIs } from './driver.js'
import { PROJECT, TOKEN } from './explored.js'

describeInBrowser('a result in the explorer', ({ server, on }) => {
  const rowsInDocument = (page: Page) => page.locator('tr[data-index]').count()
  /** The first column of the rows in the document. */
  const firstColumn = (page: Page) => page.locator('tr[data-index] td:first-child').allTextContents()
  const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()')

  describe('the table', () => {
    it('has 100,000 rows, of which few are in the document, from the first to the last', async () => {
      await on(
        async page => {
          await statusIs(page, /^100000 rows/)
          expect(await grid(page).getAttribute('aria-rowcount')).to.equal('100001')
          const box = page.locator('.table-box')
          const most: number[] = []
          for (const share of [0.1, 0.35, 0.5, 0.77, 1]) {
            await box.evaluate((node, part) => node.scrollTo(0, node.scrollHeight * part), share)
            await until(async () => (await firstColumn(page)).length > 0, 'rows are drawn')
            const wanted = Math.round(share * 100_000)
            const near = async () =>
              (await firstColumn(page)).some(text => Math.abs(Number(text) - wanted) < (share === 1 ? 1 : 200))
            await until(near, `rows near ${wanted} are shown`)
            most.push(await rowsInDocument(page))
          }
          expect(Math.max(...most)).to.be.at.most(200)
          expect(await page.locator('tr[data-index]').last().getAttribute('aria-rowindex')).to.equal('100001')
        },
        { hash: '#/tests.rows?rows=100000&run=1' },
      )
    })

    it('is sorted by a column, up, down, and as it came', async () => {
      await on(
        async page => {
          await statusIs(page, /^12 rows/)
          const head = page.getByRole('columnheader', { name: /^name/ })
          const sortedBy = async (direction: string | null, first: string) => {
            await page.getByRole('button', { name: /^name/ }).click()
            await until(async () => (await cells(page).nth(1).textContent()) === first, `${first} is first`)
            expect(await head.getAttribute('aria-sort')).to.equal(direction)
          }
          await sortedBy('ascending', 'row 1')
          expect(await cells(page, 1).nth(1).textContent()).to.equal('row 10')
          await sortedBy('descending', 'row 9')
          await sortedBy(null, 'row 1')
          expect(await cells(page, 1).nth(1).textContent()).to.equal('row 2')
        },
        { hash: '#/tests.rows?rows=12&run=1' },
      )
    })

    it('is moved in with the keyboard alone, and what is chosen is copied', async () => {
      await on(
        async page => {
          await statusIs(page, /^500 rows/)
          await grid(page).focus()
          await page.keyboard.press('Control+End')
          await until(async () => (await page.locator('td.is-active').count()) === 1, 'a cell is chosen')
          const chosen = page.locator('td.is-active')
          expect(await grid(page).getAttribute('aria-activedescendant')).to.equal(await chosen.getAttribute('id'))
          await page.keyboard.press('Home')
          await until(async () => (await chosen.textContent()) === '500', 'the first cell of the last row')
          await page.keyboard.press('ArrowUp')
          await until(async () => (await chosen.textContent()) === '499', 'the row above')
          await page.getByRole('button', { name: /^Copy cell/ }).click()
          expect(await copied(page)).to.equal('499')
          await page.getByRole('button', { name: /^Copy row/ }).click()
          expect(JSON.parse(String(await copied(page)))).to.deep.equal({ n: 499, name: 'row 499', share: 499 / 7 })
          await page.getByRole('button', { name: /^Copy column/ }).click()
          expect(String(await copied(page)).split('\n')).to.have.length(500)
        },
        { hash: '#/tests.rows?rows=500&run=1', permissions: ['clipboard-read', 'clipboard-write'] },
      )
    })

    it('shows hostile and odd values as text, exactly', async () => {
      await on(
        async page => {
          await statusIs(page, /^1 row/)
          const [markup, turned, long, empty, missing, big] = await cells(page).allTextContents()
          expect(markup).to.equal('<img src=x onerror="document.title=1">')
          expect(turned).to.equal('abc\u202Edef')
          expect(long).to.have.length.below(1_000)
          expect([empty, missing, big]).to.deep.equal(['', 'NULL', '9223372036854775807'])
          expect(await page.locator('td img, td script').count()).to.equal(0)
          expect(await page.title()).to.match(/^tests\.hostile/)
          const align = await cells(page)
            .nth(5)
            .evaluate(node => node.ownerDocument.defaultView.getComputedStyle(node).textAlign)
          expect(align).to.equal('right')
          // A text that turns the direction does so in its own cell alone.
          expect(await cells(page).nth(1).locator('bdi').count()).to.equal(1)
        },
        { hash: '#/tests.hostile?run=1' },
      )
    })

    it('shows every digit of a NUMERIC that the contract wants as a number', async () => {
      await on(
        async page => {
          await statusIs(page, /^1 row/)
          const digits = ['12345678901234567890.123456789', '-0.10000000000000000000000000000000000001']
          expect(await cells(page).allTextContents()).to.deep.equal(digits)
          await cells(page).first().click()
          await page.getByRole('button', { name: /^Copy row/ }).click()
          for (const text of digits) expect(String(await copied(page))).to.contain(text)
        },
        { hash: '#/tests.digits?run=1', permissions: ['clipboard-read', 'clipboard-write'] },
      )
    })

    it('is not there for 20 MB and more, which can be downloaded', async () => {
      await on(
        async page => {
          await statusIs(page, /^21 rows/)
          await page.getByText('This is too much to show here').waitFor()
          expect(await grid(page).count()).to.equal(0)
          await page.getByRole('button', { name: 'Download' }).click()
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: /^CSV(?! for)/ }).click(),
          ])
          expect(readFileSync(await download.path()).byteLength).to.be.greaterThan(20_000_000)
        },
        { hash: '#/tests.large?run=1' },
      )
    })

    it('opens nested values level by level, with their numbers whole', async () => {
      await on(
        async page => {
          await statusIs(page, /^1 row/)
          const toggle = cells(page).nth(6).locator('[aria-expanded]').first()
          expect(await toggle.getAttribute('aria-expanded')).to.equal('false')
          await toggle.click()
          await until(async () => (await toggle.getAttribute('aria-expanded')) === 'true', 'it is open')
          const text = (await cells(page).nth(6).textContent())!
          expect(text).to.contain('12345678901234567890')
          expect(text).to.contain('</script><script>document.title=2</script>')
          const nested = cells(page).nth(7)
          await nested.locator('[aria-expanded]').first().click()
          await nested.getByRole('button', { name: /^\[1\]/ }).click()
          await nested.getByRole('button', { name: /^parts/ }).click()
          expect(await nested.textContent()).to.contain('deeper')
          const heights = (await page
            .locator('tr[data-index]')
            .evaluate(node => [node.offsetHeight])) as readonly number[]
          expect(heights[0]).to.be.greaterThan(60)
        },
        { hash: '#/tests.hostile?run=1' },
      )
    })

    it('shows all digits of a number, and the end of an address that is wider than its column', async () => {
      await on(
        async page => {
          await statusIs(page, /^9 rows/)
          const isWhole = (await page.evaluate(
            `[...document.querySelectorAll('.table-box tbody td.number, .table-box tbody td:last-child')]
              .every(cell => cell.scrollWidth <= cell.clientWidth &&
                [...cell.querySelectorAll('span')].every(part => part.scrollWidth <= part.clientWidth))`,
          )) as boolean
          expect(isWhole).to.equal(true)
          const addresses = (await page.evaluate(
            `[...document.querySelectorAll('.table-box tbody td:nth-child(2)')].filter(cell => cell.textContent !== '').map(cell => {
              const [start, end] = cell.querySelectorAll('span')
              const isInSight = end.getBoundingClientRect().right <= cell.getBoundingClientRect().right
              return [start.scrollWidth > start.clientWidth, isInSight && end.textContent]
            })`,
          )) as readonly (readonly [boolean, string])[]
          expect(addresses.map(([isCut]) => isCut)).to.deep.equal(Array.from({ length: 9 }, () => true))
          expect(addresses.map(([, end]) => end)).to.deep.equal(
            Array.from({ length: 9 }, (_, i) => `/orders/500${i + 1}`),
          )
        },
        { hash: '#/tests.alike?run=1' },
      )
    })

    it('shows times in UTC or in the zone of the browser, to the microsecond', async () => {
      await on(
        async page => {
          await statusIs(page, /^1 row/)
          const times = async () => (await cells(page).allTextContents()).slice(8)
          expect(await times()).to.deep.equal(['2026-01-31 12:00:00.123456', '2026-01-31 12:00:00'])
          await page.getByRole('button', { name: 'Local' }).click()
          await until(async () => (await times())[0] === '2026-01-31 17:30:00.123456', 'the time is local')
          // A DATETIME has no zone.
          expect((await times())[1]).to.equal('2026-01-31 12:00:00')
        },
        { hash: '#/tests.hostile?run=1', timezoneId: 'Asia/Kolkata' },
      )
    })
  })

  describe('the chart', () => {
    it('has a line for each number, an axis for each unit, and shows what is under the pointer', async () => {
      await on(
        async page => {
          const chart = page.getByRole('img', { name: /^Line chart of amount, half by moment: 300 points/ })
          await chart.waitFor()
          expect(await page.locator('.u-axis').count()).to.equal(3)
          await page.locator('.u-over').hover()
          await until(
            async () => /\d (?:B|ms)/.test((await page.locator('.legend').textContent())!),
            'values are shown',
          )
          await page.locator('.legend').getByRole('button', { name: /^half/ }).click()
          await page.getByRole('img', { name: /^Line chart of amount by moment/ }).waitFor()
          const half = page.locator('.legend').getByRole('button', { name: /^half/ })
          expect(await half.getAttribute('aria-pressed')).to.equal('false')
          // A line that is hidden stays so in the next result.
          await page.getByLabel(/^points/).fill('301')
          await page.keyboard.press('Control+Enter')
          await page.getByRole('img', { name: /^Line chart of amount by moment: 301 points/ }).waitFor()
          expect(await half.getAttribute('aria-pressed')).to.equal('false')
        },
        { hash: '#/tests.times?points=300&run=1' },
      )
    })

    it('has points that are not joined where rows have the same time, and none for an identifier', async () => {
      await on(
        async page => {
          await page.getByRole('img', { name: /^Points of amount by moment: 9 points/ }).waitFor()
          expect(await page.locator('.legend button[aria-pressed]').allTextContents()).to.deep.equal(['amount'])
        },
        { hash: '#/tests.repeated?run=1' },
      )
    })

    it('is saved as a picture', async () => {
      await on(
        async page => {
          await page.locator('canvas').waitFor()
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: 'Save picture' }).click(),
          ])
          expect(download.suggestedFilename()).to.equal('tests.times.png')
          const bytes = readFileSync(await download.path())
          expect(bytes.subarray(1, 4).toString()).to.equal('PNG')
          expect(bytes.byteLength).to.be.greaterThan(5_000)
        },
        { hash: '#/tests.times?points=50&run=1' },
      )
    })

    it('is of bars where there are words and no times', async () => {
      await on(
        async page => {
          await page.getByRole('img', { name: /^Bar chart of size by word: 4 bars/ }).waitFor()
          expect(await page.locator('.bar-value').allTextContents()).to.deep.equal(['30', '30', '50', '60'])
        },
        { hash: '#/tests.words?run=1' },
      )
    })

    it('is compared with the same call an hour earlier', async () => {
      await on(
        async page => {
          await page.locator('canvas').waitFor()
          await page.getByLabel('Compare with').selectOption('an hour earlier')
          await page.getByText(/^Dashed: points=300, an hour earlier/).waitFor()
          await page.locator('.u-over').hover()
          const legend = page.locator('.legend')
          await until(
            async () => /amount.*before: .*half.*before: /.test((await legend.textContent())!),
            'both are shown',
          )
        },
        { hash: '#/tests.times?points=300&run=1' },
      )
    })

    it('leaves an earlier call that takes too long, and asks for it again', async () => {
      await on(
        async page => {
          await page.locator('canvas').waitFor()
          await page.route('**/tests.since?*', () => {}) // is never answered
          const left = page.waitForEvent('requestfailed')
          await page.getByLabel('Compare with').selectOption('an hour earlier')
          await page.getByText('Asking for the same call an hour earlier').waitFor()
          await page.keyboard.press('Escape')
          expect((await left).url()).to.contain('since=2026-01-31T11')
          expect(await page.getByText(/^Asking/).count()).to.equal(0)
          expect(await page.getByLabel('Compare with').inputValue()).to.equal('')
          await page.unrouteAll({ behavior: 'ignoreErrors' })
          await page.getByLabel('Compare with').selectOption('an hour earlier')
          await page.getByText('Dashed: since=2026-01-31T11:00:00Z, an hour earlier').waitFor()
        },
        { hash: '#/tests.since?since=2026-01-31T12:00:00Z&run=1' },
      )
    })

    it('is compared with a result that was kept', async () => {
      await on(
        async page => {
          await page.locator('canvas').waitFor()
          await page.getByLabel('Compare with').selectOption('0')
          await page.getByText(/^This result is kept/).waitFor()
          await page.getByLabel(/^points/).fill('40')
          await page.keyboard.press('Control+Enter')
          await statusIs(page, /^40 rows/)
          await page.getByText(/^Dashed: points=20, as of/).waitFor()
          await page.getByLabel('Compare with').selectOption('nothing')
          await until(async () => (await page.getByText(/^Dashed/).count()) === 0, 'nothing is compared')
        },
        { hash: '#/tests.times?points=20&run=1' },
      )
    })
  })

  describe('beyond the result', () => {
    it('has the call as other tools make it, without the token', async () => {
      await on(async page => {
        await open(page, 'usage.api-counts')
        await page.getByLabel(/^project/).fill(PROJECT)
        await page.getByRole('tab', { name: 'Use it from' }).click()
        for (const [title, sign] of [
          ['curl', '$SLUICE_TOKEN'],
          ['Python', 'SLUICE_TOKEN'],
        ] as const) {
          await page.getByRole('tab', { name: title }).click()
          const text = (await page.locator('pre code').textContent())!
          expect(text).to.contain(sign)
          expect(text).to.contain(PROJECT)
          expect(text).to.contain(`${server().url}/api/endpoints/query/usage.api-counts`)
          expect(text).to.not.contain(TOKEN)
        }
        const titles = await page.getByRole('tablist', { name: 'Tools' }).getByRole('tab').allTextContents()
        const names = CONNECT_TOOLS.map(({ name }) => name)
        expect(titles).to.have.length(names.length)
        expect(titles.filter((title, i) => !title.toLowerCase().startsWith(names[i]!))).to.deep.equal([])
      })
    })

    it('has the documentation, with errors and a reviewed example', async () => {
      await on(async page => {
        await open(page, 'functions.invocation-stats')
        await page.getByRole('heading', { name: 'Example of a result' }).waitFor()
        const text = (await page.locator('.documentation').textContent())!
        expect(text).to.contain('A result is served for up to 15 min.')
        expect(text).to.contain('ARGUMENT_INVALID')
        expect(text).to.contain('p95_execution_time')
        const [link] = await page.getByRole('link', { name: 'ARGUMENT_INVALID' }).all()
        expect(await link!.getAttribute('href')).to.equal('../problems/argument-invalid')
      })
    })

    it('has the query for a token that may see it, and for no other', async () => {
      const author = await server().token({
        allow: ['functions.*', 'logs.all'],
        pin: { project: PROJECT },
        explain: true,
      })
      await on(
        async page => {
          await open(page, 'functions.invocation-stats')
          await page.getByRole('tab', { name: 'Query' }).click()
          await page.getByText('Fill these in first').waitFor()
          await page.getByLabel(/^interval/).fill('7day')
          const code = page.locator('.query pre')
          await until(async () => /INTERVAL 7 DAY/.test((await code.textContent({ timeout: 60_000 }))!), 'the variant')
          const text = (await page.locator('.query aside').textContent())!
          expect(text).to.match(/@project.*STRING.*rofcefgbzohedjdeiulh/)
          expect(await code.textContent()).to.not.contain(PROJECT)
          // Arguments of any length beside it leave the query at the top.
          const top = async (selector: string) => (await page.locator(selector).boundingBox())!.y
          await page.locator('.query aside').evaluate(node => {
            node.append(...Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(200, ' x')))
          })
          expect((await top('.query pre')) - (await top('.query'))).to.be.below(60)
        },
        { token: author },
      )
      await on(async page => {
        await open(page, 'functions.invocation-stats')
        await runButton(page).waitFor()
        expect(await page.getByRole('tab', { name: 'Query' }).count()).to.equal(0)
      })
    })
  })
})
