/** A real browser, Debian's Chromium, and pages in it that report whatever a strict page must not do. */
import { spawnSync } from 'node:child_process'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { isRequired } from '../installed/installed.js'

const PROGRAMS = [process.env['CHROMIUM'] ?? '', 'chromium', 'chromium-browser', 'google-chrome']

/** Its path, by CHROMIUM or by PATH; null where it is not installed. */
function findChromium(): string | null {
  for (const program of PROGRAMS.filter(name => name !== '')) {
    const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return null
}

const CHROMIUM = findChromium()

/**
 * Called inside a suite: true where there is no browser. It then adds a pending test that says so, and the suite must add no
 * other test.
 */
export function isPendingWithoutBrowser(): boolean {
  if (CHROMIUM !== null || isRequired) return false
  it.skip('is tested in a real browser: chromium is not installed (apt-get install chromium, or CHROMIUM=its path)')
  return true
}

export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new TypeError('chromium is needed, but not installed')
  // Containers often allow no sandbox and have little shared memory.
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** Both ends throw an error that names each violation, console error, uncaught error and request to another origin. */
export interface OpenPage {
  readonly page: Page
  /** Leaves what the page shows, as a new page: nothing is stored, and no other page is open. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Chromium itself writes an error for each answer of 400 and above, and where no server answers; the page shows those. */
const ANSWERED =
  /^Failed to load resource: (?:the server responded with a status of (?:4\d\d|503)|net::ERR_CONNECTION_REFUSED)/

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', event =>
  console.error('violation of ' + event.violatedDirective + ': ' + event.blockedURI + ' ' + event.sample))`

/** A page in a context of its own: no storage, no cache. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const faults: string[] = []
  context.on('page', page => {
    page.on('console', message => {
      if (message.type() === 'error' && !ANSWERED.test(message.text())) faults.push(`console: ${message.text()}`)
    })
    page.on('pageerror', error => faults.push(`uncaught: ${error.stack ?? error.message}`))
  })
  context.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    const isOwn = origin === new URL(url).origin || protocol === 'blob:' || protocol === 'data:'
    if (!isOwn) faults.push(`request to ${request.url()}`)
  })
  await context.addInitScript(REPORT_VIOLATIONS)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  const throwFaults = (): void => {
    if (faults.length > 0) throw new TypeError(faults.splice(0).join('\n'))
  }
  return {
    page,
    async clear() {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      // Text at the same origin: at another, or a blank page, Chromium would start a process, and another for the next test.
      await page.goto(new URL('/healthz', url).href)
      await page.evaluate('sessionStorage.clear(), localStorage.clear()')
      for (const other of context.pages()) if (other !== page) await other.close()
      throwFaults()
    },
    async close() {
      await context.close()
      throwFaults()
    },
  }
}
