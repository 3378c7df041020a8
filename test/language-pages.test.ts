import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'

const FOLDERS = ['googlesql', 'googlesql-duckdb']

for (const folder of FOLDERS) {
  describe(`${folder}/README.md`, () => {
    const text = readFileSync(join(folder, 'README.md'), 'utf8')

    it('names files and folders that are there', () => {
      const named = [...text.matchAll(/`([\w./-]*\/[\w./-]*)`/g)].map(([, path]) => path!)
      expect(named.length).to.be.above(8)
      expect(named.filter(path => !existsSync(join(folder, path)))).to.deep.equal([])
    })

    it('has an example that runs', async () => {
      const [, example] = /```ts\n(.*?)```/s.exec(text)!
      // The folder is inside the project, so that imports of packages resolve.
      const scratch = mkdtempSync(resolve('test', '.readme-'))
      try {
        const file = join(scratch, 'example.mts')
        const source = example!.replace(
          /'sluice\/([\w-]+)'/g,
          (_, name) => `'${pathToFileURL(resolve(name, 'index.ts'))}'`,
        )
        writeFileSync(file, `${source}\nexport { columns }\n`)
        const { columns } = await import(pathToFileURL(file).href)
        expect(columns).to.have.length(1)
      } finally {
        rmSync(scratch, { recursive: true })
      }
    })
  })
}

const SERVICE_PAGES = ['runner/engines', 'runner/engines/bigquery', 'runner/engines/duckdb', 'runner/cache']

for (const folder of SERVICE_PAGES) {
  it(`${folder}/README.md names files and folders that are there`, () => {
    const text = readFileSync(join(folder, 'README.md'), 'utf8')
    const named = [...text.matchAll(/`([\w./-]+(?:\/|\.ts|\.cjs))`/g)].map(([, path]) => path!)
    expect(named.length).to.be.above(5)
    let last = folder
    const missing = named.filter(path => {
      // A path is relative to the page, to the top of the project, or to the folder that was named last.
      const place = [join(folder, path), path].find(existsSync)
      if (place === undefined) return !existsSync(join(last, path))
      if (path.includes('/')) last = path.endsWith('/') ? place : dirname(place)
      return false
    })
    expect(missing).to.deep.equal([])
  })
}
