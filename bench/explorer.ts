/** The explorer in a real browser: first paint, scrolling, from click to chart, and memory. */
import type { Browser, Page } from 'playwright-core'
import { openBrowser, openPage } from '../test/explorer/browser.js'
import { open, runButton, signIn, statusIs } from '../test/explorer/driver.js'
import { type Explored, explored } from '../test/explorer/explored.js'
import { type Figure, spread } from './figures.js'

const LOADS = 15
const CALLS = 25
const RUNS = 500

export async function inBrowser(): Promise<readonly Figure[]> {
  const s = await explored()
  const browser = await openBrowser()
  try {
    return [
      await firstPaint(browser, s),
      ...(await scrolling(browser, s)),
      await clickToChart(browser, s),
      await memory(browser, s),
    ]
  } finally {
    await browser.close()
    await s.close()
  }
}

/** Measures the first paint; each page load is in a browser context without a cache. */
async function firstPaint(browser: Browser, s: Explored): Promise<Figure> {
  const samples: number[] = []
  for (let i = 0; i < LOADS; i += 1) {
    const { page, close } = await openPage(browser, s.page)
    await page.getByLabel('Token').waitFor()
    samples.push(Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)))
    await close()
  }
  return { what: 'first paint of the page, cold, on loopback', value: spread(samples), bar: '≤ 300 ms' }
}

/** Scrolls by a page's height per frame for three seconds; resolves to frames per second, and the most rows in the document. */
const SCROLL = `new Promise(resolve => {
  const box = document.querySelector('.table-box')
  const began = performance.now()
  let frames = 0
  let most = 0
  const step = now => {
    frames += 1
    most = Math.max(most, document.querySelectorAll('tr[data-index]').length)
    box.scrollTop += box.clientHeight
    if (now - began < 3000) requestAnimationFrame(step)
    else resolve({ rate: (frames * 1000) / (now - began), most })
  }
  requestAnimationFrame(step)
})`

async function scrolling(browser: Browser, s: Explored): Promise<readonly Figure[]> {
  const { page, close } = await openPage(browser, `${s.page}#/tests.rows?rows=100000&run=1`)
  await signIn(page)
  await statusIs(page, /^100000 rows/)
  const { rate, most } = (await page.evaluate(SCROLL)) as { readonly rate: number; readonly most: number }
  await close()
  return [
    { what: 'scrolling 100,000 rows, a page a frame', value: `${rate.toFixed(0)} frames/s`, bar: '≥ 50' },
    { what: 'rows in the document meanwhile', value: String(most), bar: '≤ 200' },
  ]
}

/** Clicks on Run; resolves to the milliseconds until the new chart has been painted, without the time of the call. */
const CLICK = `new Promise(resolve => {
  const result = document.querySelector('.below')
  const began = performance.now()
  const observer = new MutationObserver(records => {
    const isDrawn = records.some(({ addedNodes }) => [...addedNodes].some(node => node.querySelector?.('canvas') ?? false))
    if (!isDrawn) return
    observer.disconnect()
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const calls = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/query/'))
      resolve(performance.now() - began - calls.at(-1).duration)
    }))
  })
  observer.observe(result, { childList: true, subtree: true })
  ;[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Run').click()
})`

async function clickToChart(browser: Browser, s: Explored): Promise<Figure> {
  const { page, close } = await openPage(browser, `${s.page}#/tests.times?points=1000&run=1`)
  await signIn(page)
  await page.locator('canvas').waitFor()
  const samples: number[] = []
  for (let i = 0; i < CALLS; i += 1) samples.push(Number(await page.evaluate(CLICK)))
  await close()
  return {
    what: 'from click to painted chart of 1,000 points, beyond the call',
    value: spread(samples),
    bar: '≤ 100 ms',
  }
}

async function memory(browser: Browser, s: Explored): Promise<Figure> {
  const { page, close } = await openPage(browser, s.page)
  await signIn(page)
  await open(page, 'tests.times')
  await page.getByLabel(/^points/).fill('1000')
  const used: number[] = []
  for (let run = 1; run <= RUNS; run += 1) {
    await runButton(page).click()
    await statusIs(page, /^1000 rows/)
    if (run % 100 === 0) used.push(await heapMegabytes(page))
  }
  await close()
  const text = used.map(megabytes => megabytes.toFixed(1)).join(', ')
  return { what: `the page's heap after 100, 200, … ${RUNS} runs`, value: `${text} MB`, bar: 'flat' }
}

async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const samples: number[] = []
  for (let i = 0; i < 3; i += 1) {
    await session.send('HeapProfiler.collectGarbage')
    samples.push((await session.send('Runtime.getHeapUsage')).usedSize / 1e6)
  }
  await session.detach()
  return Math.min(...samples)
}
