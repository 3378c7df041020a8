/** What axe-core finds on each view of the page, in both themes and at three widths; and that focus is always visible. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { openPage } from './browser.js'
import { describeInBrowser } from './driver.js'
import { PROJECT, TOKEN } from './explored.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations: found } = (await page.evaluate('axe.run(document)')) as { violations: readonly Violation[] }
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  )
}

/** It may see queries. */
let author = ''

/** From the sign-in to a result, one after the other. */
const VIEWS: readonly (readonly [name: string, go: (page: Page) => Promise<unknown>])[] = [
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

const openHash = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`)

describeInBrowser('the explorer for assistive technology', ({ server, browser }) => {
  before(async () => {
    author = await server().token({ allow: ['*'], allTenants: true, explain: true })
  })

  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 1440],
    ['light', 360],
    ['dark', 2560],
  ] as const) {
    it(`has no violation, ${colorScheme}, ${width} px wide`, async () => {
      const { page, close } = await openPage(browser(), server().page, {
        colorScheme,
        // Between two colours a contrast may be low.
        reducedMotion: 'reduce',
        viewport: { width, height: 900 },
      })
      for (const [name, go] of VIEWS) {
        await go(page)
        expect(await violations(page), name).to.deep.equal([])
        const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect(wider, `${name}: the page is wider than its window`).to.equal(0)
      }
      await close()
    })
  }

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
