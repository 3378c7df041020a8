/** The programs of docs/formats.md print what the page shows. UPDATE_DOCS=1 writes what they really print into the page. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { need, PYTHON, whyPending } from '../installed/installed.js'
import { type Checkout, openTutorialFolder } from './console.js'
import { type Block, readPage } from './page.js'

const FILE = 'docs/formats.md'
const PAGE = readPage(FILE)
const TSX = pathToFileURL(resolve('node_modules/tsx/dist/loader.mjs')).href
/** Copies DuckDB's extension, which a package has, to where DuckDB would install it from the network. */
const INSTALL_HTTPFS = `
for file in '${dirname(PYTHON)}'/../lib/python*/site-packages/duckdb_extension_httpfs/extensions/*/httpfs.duckdb_extension; do
  folder=~/.duckdb/extensions/$(basename "$(dirname "$file")")/linux_amd64
  mkdir -p "$folder" && cp "$file" "$folder"
done`
/** What runs a program of this language; the file is in the folder of the tutorial. */
const RUNS: Readonly<Record<string, (file: string) => string>> = {
  python: file => `'${PYTHON}' ${file}`,
  ts: file => `'${process.execPath}' --import '${TSX}' ${file}`,
}

describe(`the programs of ${FILE}${whyPending('the Python packages')}`, function () {
  this.timeout(240_000)
  let checkout: Checkout
  let port: string
  const updates: { readonly block: Block; readonly text: string }[] = []

  before(async function () {
    need(this, 'the Python packages')
    checkout = await openTutorialFolder()
    port = (await checkout.enter('printf %s "$PORT"')).trim()
    await checkout.enter(INSTALL_HTTPFS)
    for (const block of PAGE.blocks) {
      if (block.path !== null) await checkout.write(block)
      else if (block.language === 'console') await checkout.run(block)
    }
  })
  after(async () => {
    await checkout?.close()
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, updated(readFileSync(FILE, 'utf8')))
  })

  const updated = (page: string): string =>
    updates.reduceRight(
      (text, { block, text: now }) => text.slice(0, block.offset) + now + text.slice(block.offset + block.text.length),
      page,
    )

  for (const [i, block] of PAGE.blocks.entries()) {
    const run = RUNS[block.language]
    if (!run) continue
    it(`print what is shown: program ${i}, ${block.language}`, async () => {
      const path = `program-${i}.${block.language === 'ts' ? 'mts' : 'py'}`
      const shown = PAGE.blocks[i + 1]!
      expect(shown.language).to.equal('text')
      await checkout.write({ ...block, path, text: block.text.replaceAll(':8080', `:${port}`) })
      const printed = `${(await checkout.enter(run(path))).trimEnd()}\n`
      if (process.env['UPDATE_DOCS'] === '1') updates.push({ block: shown, text: printed })
      else expect(printed).to.equal(shown.text)
      if (block.language === 'ts') compileStrictly(join(checkout.folder, path))
    })
  }

  it('make one query together', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const counts = metrics.match(/^sluice_queries_total\{.*$/gm)
    expect(counts).to.deep.equal(['sluice_queries_total{endpoint="billing.invoices",engine="duckdb",outcome="ok"} 1'])
  })
})

/** @throws with what the compiler says. */
function compileStrictly(file: string): void {
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')]
  const flags = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--module', 'nodenext']
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...flags, ...types, file], { encoding: 'utf8' })
}
