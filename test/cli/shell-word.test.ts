import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { shellWord } from '../../authoring/terminal/shell-word.js'

describe('shellWord', () => {
  for (const text of [
    'a/b.yaml',
    '--data=x',
    '',
    'two words',
    "it's",
    '~',
    '~root/x',
    '$HOME',
    '*',
    'a;b',
    '`id`',
    '\n',
    'é',
  ]) {
    it(`is read by a shell as the text: ${JSON.stringify(text)}`, () => {
      const read = execFileSync('sh', ['-c', `printf '<%s>' ${shellWord(text)}`], { encoding: 'utf8', cwd: '/' })
      expect(read).to.equal(`<${text}>`)
    })
  }

  it('has no quotes around a path or a flag', () => {
    for (const text of ['endpoints/shop.yaml', '--engine=bigquery', 'a_b:1']) expect(shellWord(text)).to.equal(text)
  })
})
