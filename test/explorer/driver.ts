/** What tests do on the page, by what it offers to people and assistive technology. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { until } from '../until.js'
import { isPendingWithoutBrowser, type OpenPage, openBrowser, openPage } from './browser.js'
import { type Explored, explored, TOKEN } from './explored.js'

interface Options extends BrowserContextOptions {
  /** The part of the address behind the page. */
  readonly hash?: string
  /** @default the unrestricted token; null for none */
  readonly token?: string | null
}

export interface InBrowser {
  server(): Explored
  browser(): Browser
  /** Runs a test on a page as a new one is, which must have done nothing that it may not. */
  on(test: (page: Page) => Promise<void>, options?: Options): Promise<void>
}

/** A suite with a server and a browser; pending where there is no browser. */
export function describeInBrowser(
  title: string,
  define: (within: InBrowser) => void,
  settings: Parameters<typeof explored>[0] = {},
): void {
  describe(title, function () {
    this.timeout(600_000)
    if (isPendingWithoutBrowser()) return
    let s: Explored
    let chromium: Browser
    /** The pages that tests have left, by their options: a new one takes twice the processor time of most tests. */
    const left = new Map<string, OpenPage>()
    before(async () => {
      s = await explored(settings)
      chromium = await openBrowser()
    })
    after(async () => {
      await chromium?.close()
      await s?.close()
    })
    define({
      server: () => s,
      browser: () => chromium,
      on: (test, options) => onPage({ browser: chromium, server: s, left }, test, options),
    })
  })
}

async function onPage(
  { browser, server, left }: { browser: Browser; server: Explored; left: Map<string, OpenPage> },
  test: (page: Page) => Promise<void>,
  { hash = '', token = TOKEN, ...options }: Options = {},
): Promise<void> {
  const key = JSON.stringify(options)
  const url = server.page + hash
  const before = left.get(key)
  // One at which a test fails is not used again.
  left.delete(key)
  await before?.page.goto(url)
  const opened = before ?? (await openPage(browser, url, options))
  if (token !== null) await signIn(opened.page, token)
  await test(opened.page)
  await opened.clear()
  left.set(key, opened)
}

export async function signIn(page: Page, token = TOKEN): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
}

/** Resolves once the endpoint's form is there: keys that are pressed before are lost. */
export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: new RegExp(`^${name.replaceAll('.', '\\.')}`) }).click()
  await page.getByRole('heading', { name, exact: true }).waitFor()
}

export const runButton = (page: Page): Locator => page.getByRole('button', { name: 'Run' })

export const statusText = async (page: Page): Promise<string> => (await page.getByRole('status').textContent()) ?? ''

export const statusIs = (page: Page, text: RegExp): Promise<void> =>
  until(async () => text.test(await statusText(page)), `the status matches ${text}`)

export const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Result' })

/** The cells of a row in the document. */
export const cells = (page: Page, row = 0): Locator =>
  grid(page).locator('tr[data-index]').nth(row).getByRole('gridcell')
