import { expect } from 'chai'
import { command } from './command.js'

describe('sluice query --functions', () => {
  it('prints a table: every function with its signatures, and every refused one with the reason', async () => {
    const { code, out } = await command(['query', '--functions'])
    expect(code).to.equal(0)
    const [names, refused] = out.split('\nRefused\n')
    expect(names).to.match(/^SUBSTR +SUBSTR\(STRING, INT64, \[INT64\]\) -> STRING$/m)
    expect(names).to.match(/^ +also SUBSTRING$/m)
    expect(names).to.match(/^ +with DISTINCT, HAVING MAX, OVER$/m)
    expect(refused).to.match(/^ST_\* +the type GEOGRAPHY is not supported/m)
  })

  it('prints the data with --format json', async () => {
    const { out } = await command(['query', '--functions', '--format', 'json'])
    const { functions, refused } = JSON.parse(out)
    expect(functions.map((each: { name: string }) => each.name)).to.include.members(['ABS', 'CAST', 'COUNT', '+'])
    expect(refused[0]).to.have.all.keys('name', 'documentation', 'reason')
  })

  const WRONG: readonly (readonly [argv: readonly string[], problem: string])[] = [
    [['query', 'SELECT 1', '--functions'], '--functions lists functions, and takes no SQL'],
    [['query', '--functions', '--format', 'csv'], '--functions prints --format text or json'],
    [['query'], 'query takes SQL: as an argument, with --file, or from standard input'],
  ]
  for (const [argv, problem] of WRONG) {
    it(`is refused: ${argv.join(' ')}`, async () => {
      expect(await command(argv)).to.deep.include({ code: 2, err: `sluice: ${problem}\n` })
    })
  }
})
