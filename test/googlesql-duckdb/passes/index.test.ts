import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { LAST_PASSES, PASSES } from '../../../googlesql-duckdb/passes/index.js'

const FOLDER = 'googlesql-duckdb/passes'

describe('the passes', () => {
  const names = [...PASSES, ...LAST_PASSES].map(pass => pass.name)
  const files = readdirSync(FOLDER).filter(file => file !== 'index.ts')

  it('are the files of the folder', () => {
    expect(files.map(file => file.replace(/\.ts$/, '')).sort()).to.deep.equal([...names].sort())
  })

  for (const file of files) {
    it(`${file} says what it expects of a plan and what it leaves`, () => {
      const first = /^\/\*\*.*?\*\//s.exec(readFileSync(join(FOLDER, file), 'utf8'))?.[0]
      expect(first).to.match(/Before: .*After: /s)
    })

    it(`${file} is shown by trees before and after`, () => {
      const test = file.replace(/\.ts$/, '.test.ts')
      expect(readFileSync(join('test', FOLDER, test), 'utf8')).to.contain('showsPass(')
    })
  }
})
