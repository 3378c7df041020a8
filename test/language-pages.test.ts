import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
      // Below the project, so that imports of packages are found.
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
