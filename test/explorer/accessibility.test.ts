/** What axe-core finds on each view of the page, in both themes, wide and narrow; and that focus is always visible. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { until } from '../until.js'
import { openPage } from './browser.js'
import { describeInBrowser, type InBrowser } from './driver.js'
import { type Explored, PROJECT, TOKEN } from './explored.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

/** @param rules those of axe; all, unless it is said */
async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules })
  const { violations: found } = (await page.evaluate(`axe.run(document, ${options})`)) as {
    violations: readonly Violation[]
  }
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  )
}

/** The rules of axe that read colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

const HEIGHT = 900
const NARROW = 360
const WIDE = 1440
const WIDEST = 2560

/** By how many pixels the page is wider than its window. A chart takes the new width in the frame after. */
const EXCESS = `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(document.documentElement.scrollWidth - document.documentElement.clientWidth))))`

/** It may see queries. */
let author = ''

type Views = readonly (readonly [name: string, go: (page: Page) => Promise<unknown>])[]

/** From the sign-in to a result, one after the other. */
const VIEWS: Views = [
  ['signing in', page => page.getByLabel('Token').waitFor()],
  [
    'a refused token',
    async page => {
      await page.getByLabel('Token').fill('wrong')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
  ],
  [
    'the list',
    async page => {
      await page.getByLabel('Token').fill(author)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: /^tests\.words/ }).waitFor()
    },
  ],
  [
    'an endpoint',
    async page => {
      await page.getByRole('link', { name: /^tests\.typed/ }).click()
      await page.getByRole('heading', { name: 'tests.typed' }).waitFor()
    },
  ],
  [
    'mistakes',
    async page => {
      await page.getByRole('button', { name: 'Run' }).click()
      await page.locator('[aria-invalid]').first().waitFor()
    },
  ],
  [
    'lines',
    async page => {
      await openHash(page, `#/functions.invocation-stats?project=${PROJECT}&interval=1day&run=1`)
      await page.locator('canvas').waitFor()
    },
  ],
  [
    'a chosen cell, and the menu of downloads',
    async page => {
      await page.getByRole('gridcell').first().click()
      await page.getByRole('button', { name: 'Download' }).click()
    },
  ],
  [
    'bars',
    async page => {
      await openHash(page, '#/tests.words?run=1')
      await page.locator('.bars').waitFor()
    },
  ],
  [
    'nested and odd cells',
    async page => {
      await openHash(page, '#/tests.hostile?run=1')
      await page.locator('td [aria-expanded]').first().click()
      await page.locator('.tree').first().waitFor()
    },
  ],
  [
    'documentation',
    async page => {
      await openHash(page, `#/functions.invocation-stats?project=${PROJECT}&interval=1day&run=1`)
      await page.getByRole('tab', { name: 'Documentation' }).click()
      await page.getByRole('heading', { name: 'Example of a result' }).waitFor()
    },
  ],
  [
    'the call as other tools make it',
    async page => {
      await page.getByRole('tab', { name: 'Use it from' }).click()
      await page.getByRole('tab', { name: 'Python' }).click()
    },
  ],
  [
    'the query',
    async page => {
      await page.getByRole('tab', { name: 'Query' }).click()
      await page.locator('.query').waitFor()
    },
  ],
  ['history', page => page.getByRole('tab', { name: 'History' }).click()],
  ['no endpoint', page => openHash(page, '#/no.such-endpoint')],
]

let states = 0

/** Each is described in other words, by which its state is known. */
function draft(name: 'one' | 'two', sql: string): string {
  states += 1
  const id = `00000000-0000-4000-8000-0000000000${name === 'one' ? 'e1' : 'e2'}`
  return `id: ${id}\nname: drafts.${name}\ndescription: State ${states}.\nsql: |\n  ${sql}\n`
}

/** An author's second window, from a sound manifest to a broken one. */
const viewsBesideEditor = ({ write, runner }: Explored): Views => [
  [
    'what was saved',
    async page => {
      write('one', draft('one', 'SELECT 1 AS n'))
      await until(
        () => runner.endpoints().some(({ description }) => description === `State ${states}.`),
        'the draft is served',
      )
      await page.getByLabel('Token').fill(author)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: /^drafts\.one/ }).click()
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('gridcell').waitFor()
      write('one', draft('one', 'SELECT 2 AS n'))
      await page.getByText(/^Saved at/).waitFor()
      // Until then the result before is faded.
      await page.getByRole('gridcell', { name: '2', exact: true }).waitFor()
    },
  ],
  [
    'a mistake, while the state before is served',
    page => {
      write('one', draft('one', 'SELECT nothing AS n'))
      return page.getByRole('alert').waitFor()
    },
  ],
  [
    'an endpoint that is not served',
    async page => {
      write('two', draft('two', 'SELECT 1 / '))
      await openHash(page, '#/drafts.two')
      await page.getByText(/This endpoint is not served/).waitFor()
      await page.getByRole('alert').waitFor()
    },
  ],
  [
    'the list with what is not served',
    async page => {
      await openHash(page, '#/')
      await page.getByRole('link', { name: /^drafts\.two 1 mistake/ }).waitFor()
    },
  ],
]

const openHash = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`)

/**
 * Each view in light and in dark, narrow and wide, before the next. The themes differ only in colours. Below 760 and 900
 * pixels parts are hidden, or stand below others instead of beside them; above, a width changes neither what is there nor
 * how it is styled, only how much room it has.
 */
function holdViews({ server, browser }: InBrowser, views: () => Views): void {
  it('has no violation in any view, and is never wider than its window', async () => {
    author = await server().token({ allow: ['*'], allTenants: true, explain: true })
    const { page, close } = await openPage(browser(), server().page, {
      colorScheme: 'light',
      // Between two colours a contrast may be low.
      reducedMotion: 'reduce',
      viewport: { width: WIDE, height: HEIGHT },
    })
    await page.evaluate(AXE)
    for (const [name, go] of views()) {
      await go(page)
      expect(await violations(page), `${name}, light`).to.deep.equal([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await violations(page, OF_COLOURS), `${name}, dark`).to.deep.equal([])
      await page.emulateMedia({ colorScheme: 'light' })
      for (const width of [WIDEST, NARROW, WIDE]) {
        await page.setViewportSize({ width, height: HEIGHT })
        const wider = await page.evaluate(EXCESS)
        expect(wider, `${name}: the page is wider than its window of ${width} px`).to.equal(0)
        if (width === NARROW) expect(await violations(page), `${name}, narrow`).to.deep.equal([])
      }
    }
    await close()
  })
}

describeInBrowser(
  'the explorer beside an editor, for assistive technology',
  within => holdViews(within, () => viewsBesideEditor(within.server())),
  { dev: true },
)

describeInBrowser('the explorer for assistive technology', within => {
  const { server, browser } = within
  holdViews(within, () => VIEWS)

  it('shows where the focus is, whatever has it', async () => {
    const { page, close } = await openPage(browser(), server().page)
    await page.getByLabel('Token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await openHash(page, `#/functions.invocation-stats?project=${PROJECT}&interval=1day&run=1`)
    await page.locator('canvas').waitFor()
    await page.evaluate('document.activeElement.blur()')
    const seen = new Set<string>()
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      const focused = (await page.evaluate(`(() => {
        const { tagName, className, textContent } = document.activeElement
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
        return { name: [tagName, className, textContent.slice(0, 20)].join(' '), outline: outlineStyle + parseInt(outlineWidth) }
      })()`)) as { name: string; outline: string }
      if (focused.name.startsWith('BODY')) break
      seen.add(focused.name)
      expect(focused.outline, focused.name).to.equal('solid2')
    }
    expect(seen.size).to.be.greaterThan(20)
    await close()
  })
})
