/** The page in a real browser: a token, an endpoint, a call, and what is shown of it. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { until } from '../until.js'
import { openPage } from './browser.js'
import { cells, describeInBrowser, grid, open, runButton, signIn, statusIs, statusText } from './driver.js'
import { PROJECT, TOKEN } from './explored.js'

describeInBrowser('the explorer', ({ server, browser, on }) => {
  describe('the token', () => {
    it('is asked for in a field that hides it, and lists what it may call', async () => {
      const token = await server().token({ allow: ['tests.words', 'tests.cut'] })
      await on(
        async page => {
          expect(await page.getByLabel('Token').getAttribute('type')).to.equal('password')
          await signIn(page, token)
          await page.getByRole('link', { name: /^tests\.cut/ }).waitFor()
          expect(await page.locator('.endpoints a .name').allTextContents()).to.deep.equal(['tests.cut', 'tests.words'])
          expect(await page.title()).to.contain('Sluice')
          expect(await page.locator('html').getAttribute('lang')).to.equal('en')
        },
        { token: null },
      )
    })

    it('stays when the page is loaded again, and is not there in a new tab', async () => {
      await on(async page => {
        await open(page, 'tests.cut')
        await page.reload()
        await page.getByRole('heading', { name: 'tests.cut' }).waitFor()
        const other = await page.context().newPage()
        await other.goto(server().page)
        await other.getByLabel('Token').waitFor()
        expect(await other.getByRole('button', { name: 'Forget token' }).count()).to.equal(0)
      })
    })

    it('is forgotten on demand, with all that it has shown', async () => {
      await on(async page => {
        await open(page, 'tests.cut')
        await runButton(page).click()
        await statusIs(page, /^5 rows/)
        await page.getByRole('button', { name: 'Forget token' }).click()
        await page.getByLabel('Token').waitFor()
        expect(await page.evaluate('sessionStorage.length + document.querySelectorAll("table").length')).to.equal(0)
        await page.reload()
        await page.getByLabel('Token').waitFor()
      })
    })

    it('that is refused is said to be so, and the field is empty again', async () => {
      for (const wrong of ['wrong', 'ключ']) {
        await on(
          async page => {
            await signIn(page, wrong)
            const alert = page.getByRole('alert')
            await alert.waitFor()
            expect((await alert.textContent())?.toLowerCase()).to.contain('token')
            await until(async () => (await page.getByLabel('Token').inputValue()) === '', 'the field is empty')
          },
          { token: null },
        )
      }
    })

    it('whose rate is used up by the list is taken all the same', async () => {
      const token = await server().token({ allow: ['tests.cut'], rate: '1/hour' })
      await on(page => page.getByRole('link', { name: /^tests\.cut/ }).waitFor(), { token })
    })

    it('that is revoked meanwhile is forgotten', async () => {
      const before = server().events.length
      const token = await server().token({ allow: ['*'], expires: '1min', rate: '1000/min' })
      await on(
        async page => {
          await page.getByRole('link', { name: /^tests\.cut/ }).waitFor()
          await page.route('**/api/**', route => route.continue({ headers: { 'X-API-KEY': 'revoked' } }))
          await open(page, 'tests.cut')
          await runButton(page).click()
          await page.getByRole('alert').waitFor()
          await page.getByLabel('Token').waitFor()
          expect(await page.evaluate('sessionStorage.length')).to.equal(0)
        },
        { token },
      )
      expect(server().events.length).to.be.greaterThan(before)
    })

    it('is never in an address, and nowhere on the page', async () => {
      const asked: string[] = []
      await on(async page => {
        page.on('request', request => asked.push(request.url()))
        await open(page, 'tests.words')
        await page.keyboard.press('Control+Enter')
        await statusIs(page, /^4 rows/)
        const html = String(await page.evaluate('document.documentElement.outerHTML + location.href'))
        expect(html).to.not.contain(TOKEN)
        expect(asked.length).to.be.greaterThan(0)
        expect(asked.filter(url => url.includes(TOKEN))).to.deep.equal([])
      })
    })
  })

  describe('the endpoints', () => {
    it('are found by name and description, with the keyboard alone', async () => {
      await on(async page => {
        await page.getByRole('link', { name: /^tests\.cut/ }).waitFor()
        await page.keyboard.press('/')
        const search = page.getByRole('searchbox', { name: 'Find an endpoint' })
        expect(await search.evaluate(node => node === node.ownerDocument.activeElement && node.value === '')).to.equal(
          true,
        )
        await page.keyboard.type('serverless')
        expect(await page.locator('.endpoints a .name').allTextContents()).to.deep.equal(['functions.invocation-stats'])
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'functions.invocation-stats' }).waitFor()
      })
    })

    it('say so where a name in the address is none of them', async () => {
      await on(
        async page => {
          await page.getByRole('heading', { name: 'Not found' }).waitFor()
        },
        { hash: '#/no.such-endpoint' },
      )
    })
  })

  describe('a call', () => {
    const CALLS = [
      ['functions.invocation-stats', { project: PROJECT, interval: '7day' }, true],
      ['logs.all', { project: PROJECT, project_tier: 'PRO' }, false],
      ['usage.api-counts', { project: PROJECT, interval: 'daily' }, true],
    ] as const

    for (const [name, fields, hasChart] of CALLS) {
      it(`of ${name} is filled in, run, and shown${hasChart ? ' with a chart' : ''}`, async () => {
        await on(async page => {
          await open(page, name)
          for (const [field, value] of Object.entries(fields)) {
            const control = page.getByLabel(new RegExp(`^${field}\\b`))
            if ((await control.evaluate(node => node.tagName)) === 'SELECT') await control.selectOption(value)
            else await control.fill(value)
          }
          await runButton(page).click()
          await statusIs(page, /^[1-9]\d* rows?/)
          expect(await grid(page).getByRole('columnheader').count()).to.be.greaterThan(3)
          const rows = Number(/\d+/.exec(await statusText(page))![0])
          expect(await grid(page).getAttribute('aria-rowcount')).to.equal(String(rows + 1))
          if (hasChart) {
            await page.locator('canvas').waitFor()
            expect(await page.getByRole('img', { name: /^Line chart of/ }).count()).to.equal(1)
          } else {
            expect(await page.locator('canvas').count()).to.equal(0)
            await page.getByText(/^No chart: it needs a column of numbers/).waitFor()
          }
          const query = new URLSearchParams({ ...fields, run: '1' })
          expect(await page.evaluate('location.hash')).to.equal(`#/${name}?${query}`)
        })
      })
    }

    it('that an address names is run when it is opened', async () => {
      await on(
        async page => {
          await statusIs(page, /^3 rows/)
          expect(await page.getByLabel(/^rows/).inputValue()).to.equal('3')
        },
        { hash: '#/tests.rows?rows=3&run=1' },
      )
    })

    it('is gone back to by the browser', async () => {
      await on(async page => {
        await open(page, 'tests.rows')
        for (const rows of ['3', '4']) {
          await page.getByLabel(/^rows/).fill(rows)
          await page.keyboard.press('Control+Enter')
          await statusIs(page, new RegExp(`^${rows} rows`))
        }
        await page.goBack()
        await statusIs(page, /^3 rows/)
        expect(await page.getByLabel(/^rows/).inputValue()).to.equal('3')
      })
    })

    it('shows what the server says of arguments beside their fields, until they are mended', async () => {
      await on(async page => {
        await open(page, 'tests.typed')
        await page.getByLabel(/^count/).fill('11')
        await page.getByLabel(/^since/).fill('yesterday')
        await runButton(page).click()
        await page.getByRole('alert').waitFor()
        const faulty: string[] = []
        for (const field of ['word', 'flag', 'count', 'since', 'day', 'tags', 'tier']) {
          const control = page.getByLabel(new RegExp(`^${field}\\b`))
          if ((await control.getAttribute('aria-invalid')) !== 'true') continue
          faulty.push(field)
          const [id] = (await control.getAttribute('aria-describedby'))!.split(' ')
          const message = String(await page.evaluate(`document.getElementById(${JSON.stringify(id)}).textContent`))
          expect(message).to.match(/must|required|missing/)
        }
        expect(faulty).to.deep.equal(['count', 'since', 'tier'])
        await page.getByLabel(/^count/).fill('10')
        expect(await page.getByLabel(/^count/).getAttribute('aria-invalid')).to.equal(null)
        await page.getByLabel(/^since/).fill('2026-01-31')
        await page.getByLabel(/^tier/).selectOption('large')
        await runButton(page).click()
        await statusIs(page, /^1 row/)
        expect(await page.locator('[aria-invalid]').count()).to.equal(0)
      })
    })

    it('has a field for each type', async () => {
      await on(async page => {
        await open(page, 'tests.typed')
        expect(await page.getByLabel(/^word/).locator('option').allTextContents()).to.deep.equal([
          'not set',
          'red',
          'green',
        ])
        expect(await page.getByLabel(/^flag/).locator('option').allTextContents()).to.deep.equal([
          'default: true',
          'true',
          'false',
        ])
        expect(await page.getByLabel(/^tier/).locator('option').allTextContents()).to.deep.equal([
          'choose…',
          'small',
          'large',
        ])
        expect(await page.getByLabel(/^count/).getAttribute('inputmode')).to.equal('numeric')
        await page.getByLabel(/^word/).selectOption('green')
        await page.getByLabel(/^flag/).selectOption('false')
        await page.getByLabel(/^tags/).fill('a b\nc,d\n')
        const colours = page.getByRole('group', { name: /^colours/ })
        expect(await colours.getByRole('checkbox').count()).to.equal(3)
        for (const colour of ['blue', 'green', 'red', 'green']) await colours.getByLabel(colour).click()
        expect(await colours.getByRole('checkbox', { checked: true }).count()).to.equal(2)
        await page.getByLabel(/^tier/).selectOption('small')
        await page.getByRole('button', { name: '1 d ago' }).first().click()
        await page.keyboard.press('Control+Enter')
        await statusIs(page, /^1 row/)
        const shown = await cells(page).allTextContents()
        expect([shown[0], shown[1], shown[2], shown[5], shown[6], shown[7]]).to.deep.equal([
          'green',
          'false',
          'NULL',
          'a b|c,d',
          '1',
          'red|blue',
        ])
        const dayAgo = Date.parse(`${shown[3]!.replace(' ', 'T')}Z`)
        expect(Math.abs(Date.now() - 86_400_000 - dayAgo)).to.be.below(600_000)
      })
    })

    it('has empty fields of names that every object of JavaScript has a member of', async () => {
      await on(async page => {
        await open(page, 'tests.members')
        await page.getByLabel(/^constructor/).waitFor()
        expect(await page.locator('[aria-invalid], .at-fault').count()).to.equal(0)
        await runButton(page).click()
        await statusIs(page, /^1 row/)
        expect(await cells(page).allTextContents()).to.deep.equal(['NULL', 'NULL', ''])
        expect(await page.evaluate('location.hash')).to.equal('#/tests.members?run=1')
      })
    })

    it('offers what a list was called with before value by value', async () => {
      await on(async page => {
        await open(page, 'tests.members')
        const field = page.getByLabel(/^valueOf/)
        await field.fill('a,b\nc')
        await runButton(page).click()
        await statusIs(page, /^1 row/)
        expect(await page.locator('.chips button').allTextContents()).to.deep.equal(['x'])
        await field.fill('')
        expect(await page.locator('.chips button').allTextContents()).to.deep.equal(['a,b', 'c', 'x'])
        await page.getByRole('button', { name: 'a,b' }).click()
        await page.getByRole('button', { name: 'x', exact: true }).click()
        expect(await field.inputValue()).to.equal('a,b\nx')
      })
    })

    it('shows a pinned argument, and does not let it be changed', async () => {
      const token = await server().token({ allow: ['functions.*', 'tests.rows'], pin: { project: PROJECT } })
      await on(
        async page => {
          await open(page, 'functions.invocation-stats')
          const field = page.getByLabel(/^project/)
          expect(await field.inputValue()).to.equal(PROJECT)
          expect(await field.getAttribute('readonly')).to.not.equal(null)
          await page.getByLabel(/^interval/).fill('1day')
          await runButton(page).click()
          await statusIs(page, /^\d+ rows?/)
        },
        { token },
      )
    })

    it('that runs is cancelled with Esc, and its query ends', async () => {
      await on(async page => {
        await open(page, 'tests.slow')
        await runButton(page).click()
        await page.getByRole('button', { name: 'Cancel' }).waitFor()
        const isSeen = (kind: 'query.started' | 'query.done' | 'query.failed') => () =>
          server().events.some(event => event.kind === kind && event.endpoint === 'tests.slow')
        await until(isSeen('query.started'), 'the query runs')
        await page.keyboard.press('Escape')
        await statusIs(page, /^Cancelled/)
        const left = () =>
          server().events.some(
            event => event.kind === 'request.done' && event.endpoint === 'tests.slow' && event.status === 499,
          )
        await until(left, 'the server knows that its caller has left')
        expect(isSeen('query.done')()).to.equal(false)
        await open(page, 'tests.cut')
        await runButton(page).click()
        await statusIs(page, /^5 rows/)
      })
    })

    it('of arguments too long for an address is sent, and downloaded, all the same', async () => {
      await on(async page => {
        await open(page, 'tests.typed')
        const tags = Array.from({ length: 900 }, (_, i) => `a-rather-long-tag-${i}`)
        await page.getByLabel(/^tags/).fill(tags.join('\n'))
        await page.getByLabel(/^tier/).selectOption('small')
        await runButton(page).click()
        await statusIs(page, /^1 row/)
        await page.getByRole('button', { name: 'Download' }).click()
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: /^CSV for Excel/ }).click(),
        ])
        expect(readFileSync(await download.path(), 'utf8')).to.contain(`${tags.at(-2)}|${tags.at(-1)}`)
      })
    })

    it('says so where the server does not answer, and goes on when it is back', async () => {
      await on(async page => {
        await open(page, 'tests.cut')
        await page.getByRole('heading', { name: 'tests.cut' }).waitFor()
        await page.route('**/query/**', route =>
          route.fulfill({ status: 503, headers: { 'Retry-After': '2' }, body: 'x' }),
        )
        await runButton(page).click()
        await page.getByRole('alert').getByText('Ask again in 2 s.').waitFor()
        await page.unroute('**/query/**')
        await runButton(page).click()
        await statusIs(page, /^5 rows/)
      })
    })

    it('that is cut says so', async () => {
      await on(async page => {
        await open(page, 'tests.cut')
        await runButton(page).click()
        await statusIs(page, /^5 rows.*truncated/)
        await page.getByText('The endpoint cuts its results').waitFor()
      })
    })

    it('says what the cache did, as the server and not the browser did it', async () => {
      await on(async page => {
        await open(page, 'tests.rows')
        await page.getByLabel(/^rows/).fill('17')
        const run = runButton(page)
        await run.click()
        await page.getByText(/^miss: the query ran, and the result is stored/).waitFor()
        await run.click()
        await page.getByText(/^hit, \d+ s old, fresh for [89]\d\d s more/).waitFor()
        // An age is true at one time alone.
        expect(await page.locator('.facts').innerText()).to.match(/Called at\s+\d\d:\d\d:\d\d/)
        await page.getByText('Headers', { exact: true }).click()
        expect(await page.locator('.more').textContent()).to.match(/ETag".*X-Request-Id.*Cache-Statussluice; hit; ttl=/)
        expect(await page.locator('.timing li').allTextContents()).to.have.length.of.at.least(2)
        await page.getByRole('tab', { name: 'History' }).click()
        expect(await page.locator('.history li').allTextContents()).to.have.length(2)
      })
    })

    it('is shared by a link, which runs it for a reader with a token of their own', async () => {
      const permissions = ['clipboard-read', 'clipboard-write']
      await on(
        async page => {
          await runButton(page).click()
          await statusIs(page, /^10 rows/)
          await page.getByRole('button', { name: 'Copy link' }).click()
          await page.getByText('Copied').waitFor()
          const link = (await page.evaluate('navigator.clipboard.readText()')) as string
          expect(link).to.equal(`${server().page}#/tests.rows?rows=10&run=1`)
          const reader = await server().token({ allow: ['tests.*'] })
          const opened = await openPage(browser(), link)
          await signIn(opened.page, reader)
          await statusIs(opened.page, /^10 rows/)
          await opened.close()
        },
        { hash: '#/tests.rows?rows=10', permissions },
      )
    })

    it('has its list of formats within a narrow window, wherever its button stands', async () => {
      await on(
        async page => {
          await runButton(page).click()
          await statusIs(page, /^\d+ rows/)
          await page.getByRole('button', { name: 'Download' }).click()
          for (const name of ['CSV exact', 'Parquet']) {
            const box = (await page.getByRole('button', { name: new RegExp(`^${name}`) }).boundingBox())!
            expect([box.x >= 0, box.x + box.width <= 360], name).to.deep.equal([true, true])
          }
        },
        {
          hash: `#/functions.invocation-stats?project=${PROJECT}&interval=1day`,
          viewport: { width: 360, height: 780 },
        },
      )
    })

    it('is downloaded in each format under the name of the endpoint', async () => {
      await on(async page => {
        await open(page, 'tests.words')
        await runButton(page).click()
        await statusIs(page, /^4 rows/)
        const NAMES = [
          ['CSV exact', 'csv', 'word,size\r\n'],
          ['Excel workbook', 'xlsx', 'PK'],
          ['CSV for Excel', 'csv', '\ufeffword,size\r\n'],
          ['NDJSON', 'ndjson', '{"word":"one","size":30}\n'],
          ['Arrow', 'arrows', ''],
          ['Parquet', 'parquet', 'PAR1'],
          ['JSON', 'json', '{"result":[{"word":"one","size":30}'],
        ] as const
        for (const [name, extension, begin] of NAMES) {
          await page.getByRole('button', { name: 'Download' }).click()
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: new RegExp(`^${name}\\b`) }).click(),
          ])
          expect(download.suggestedFilename()).to.equal(`tests.words.${extension}`)
          const text = readFileSync(await download.path(), 'utf8')
          expect(text.length).to.be.greaterThan(20)
          expect(text.slice(0, begin.length)).to.equal(begin)
        }
      })
    })
  })

  it('asks for no edits of a server without --dev', async () => {
    const asked: string[] = []
    await on(async page => {
      page.on('request', request => asked.push(new URL(request.url()).pathname))
      await page.locator('.token-name').waitFor()
      await page.reload()
      await page.locator('.token-name').waitFor()
      await open(page, 'tests.words')
      await runButton(page).click()
      await statusIs(page, /^4 rows/)
    })
    expect(asked).to.include('/api/token')
    expect(asked).to.not.include('/api/dev/changes')
  })
})
