import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { command } from './command.js'

describe('sluice --version', () => {
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await command(['--version'])).to.deep.equal({ code: 0, out: `${version}\n`, err: '' })
  })
})
