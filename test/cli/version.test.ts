import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { command } from './command.js'

describe('sluice --version', () => {
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await command(['--version'])).to.deep.equal({ code: 0, out: `${version}\n`, err: '' })
  })
})

describe('the package', () => {
  it('holds what the README links to', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
    const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\(([^#)][^)#]*)/g)].map(([, path]) => path ?? '')
    expect(links).to.include('docs/functions.md')
    const missing = links.filter(
      path => !/^https?:/.test(path) && !files.some(file => `${path}/`.startsWith(`${file}/`)),
    )
    expect(missing).to.deep.equal([])
  })
})
