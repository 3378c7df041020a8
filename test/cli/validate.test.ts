import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect } from 'chai'
import { itInAll } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

interface Told {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly rule: string
  readonly severity: string
  readonly message: string
}

describe('sluice validate', () => {
  const folder = scratch()
  const endpoints = folder.path('endpoints')
  const broken = folder.path('endpoints', 'shop', 'broken.yaml')
  const alone = folder.path('endpoints', 'shop', 'sales.yaml')
  const validate = (...argv: readonly string[]): Promise<Finished> =>
    command(['validate', ...argv, '--data', folder.path('data'), '--engine-memory', '256'])
  /** Validates a folder with a correct manifest, and a manifest with an error in its form and an error in its SQL. */
  const ours = (...argv: readonly string[]): Promise<Finished> =>
    validate(...argv, '--endpoints', endpoints, '--tables', 'test/cases/new-table/tables')
  let lines: readonly string[] = []
  const placeOf = (text: string): { line: number; column: number } => {
    const line = lines.findIndex(one => one.includes(text)) + 1
    return { line, column: lines[line - 1]!.indexOf(text) + 1 }
  }

  before(() => {
    mkdirSync(folder.path('data'))
    mkdirSync(folder.path('endpoints', 'shop'), { recursive: true })
    cpSync('test/cases/new-table/endpoints/shop.sales.yaml', alone)
    const text = readFileSync(alone, 'utf8')
      .replace('5f1c2a74', '6f1c2a74')
      .replace('name: shop.sales', 'name: shop.broken')
      .replace('Two letters.', '"100%, or: more"')
      .replace('AND line.sku IN', 'AND line.sko IN')
      .replace('country = @country', 'country = @country -- 100%')
      .replace('turnover, type: NUMERIC', 'turn:over, type: NUMERIC')
    writeFileSync(broken, text)
    lines = text.split('\n')
  })
  after(() => folder.remove())

  itInAll("finds no problems in the project's own manifests, in one line", async () => {
    const { code, out, err } = await validate()
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.match(/^3 manifests, \d+ variants: no problems\n$/)
  })

  itInAll('says with --hints what would narrow the types, which is not a problem', async () => {
    const { code, out, err } = await validate('--hints')
    expect(code).to.equal(0)
    expect(out).to.match(/^3 manifests, \d+ variants: no problems, \d+ hints\n$/)
    expect(err).to.match(/^\S+\.yaml:\d+:\d+: hint: column "\w+" .* \[columns\/narrow\]$/m)
    const { out: notices } = await validate('--hints', '--format', 'github')
    expect(notices).to.match(/^::notice file=/)
  })

  itInAll('says with --explain refresh what is kept of each variant, which is not a problem', async () => {
    const { code, out, err } = await validate('--explain', 'refresh')
    expect(code).to.equal(0)
    expect(out).to.match(/^3 manifests, \d+ variants: no problems, 7 hints\n$/)
    const lines = err.trimEnd().split('\n')
    expect(lines.filter(line => line.endsWith(' [refresh/kept]'))).to.have.length(6)
    expect(lines).to.include(
      'endpoints/logs.all.yaml:36:3: hint: no buckets are kept: results are not cached [refresh/whole]',
    )
    const { out: json } = await validate('--explain', 'refresh', '--format', 'json')
    const rules = (JSON.parse(json) as readonly Told[]).map(({ rule }) => rule)
    expect([...new Set(rules)]).to.deep.equal(['refresh/kept', 'refresh/whole'])
    expect(await validate('--explain', 'all')).to.include({ code: 2 })
  })

  it('prints problems, one a line, on standard error, a summary on standard output, and ends with 1', async () => {
    const { code, out, err } = await ours()
    expect(code).to.equal(1)
    expect(out).to.match(/^2 manifests, \d+ variants: \d+ errors?, 0 warnings\n$/)
    for (const line of err.trimEnd().split('\n'))
      expect(line).to.match(/^\S+\/broken\.yaml:\d+:\d+: .+ \[[a-z-]+\/[a-z-]+\]$/)
    const { line, column } = placeOf('turn:over')
    expect(err).to.include(`${broken}:${line}:${column}: `)
  })

  it('as JSON, an array of objects with six members', async () => {
    const { code, out, err } = await ours('--format', 'json')
    expect([code, err]).to.deep.equal([1, ''])
    const told = JSON.parse(out) as readonly Told[]
    for (const one of told) {
      expect(Object.keys(one)).to.deep.equal(['file', 'line', 'column', 'rule', 'severity', 'message'])
      expect(one).to.include({ file: broken, severity: 'error' })
    }
    expect(told.map(({ line, column }) => ({ line, column }))).to.deep.include(placeOf('turn:over'))
  })

  it('as annotations for GitHub, which escape what they must', async () => {
    const { code, out, err } = await ours('--format', 'github')
    expect([code, err]).to.deep.equal([1, ''])
    const { line, column } = placeOf('turn:over')
    const told = out.trimEnd().split('\n')
    for (const one of told) expect(one).to.match(/^::error file=[^:,]+,line=\d+,col=\d+,title=[^:,]+::.+$/)
    expect(told.some(one => one.startsWith(`::error file=${broken},line=${line},col=${column},`))).to.equal(true)
  })

  it('checks only the files and folders that it is given', async () => {
    expect(await ours(alone)).to.include({ code: 0, err: '' })
    const { code, err } = await ours(folder.path('endpoints', 'shop'))
    expect([code, err.includes(broken)]).to.deep.equal([1, true])
  })

  it('as JSON, an empty array where there are no problems', async () => {
    expect(await ours(alone, '--format', 'json')).to.deep.equal({ code: 0, out: '[]\n', err: '' })
  })

  it('reports SQL that names a missing column, with BigQuery’s message', async () => {
    writeFileSync(broken, lines.join('\n').replace('turn:over', 'turnover'))
    const { code, out } = await ours('--format', 'json')
    const { line, column } = placeOf('sko IN')
    expect(code).to.equal(1)
    const [told] = JSON.parse(out) as readonly Told[]
    expect(told).to.include({ line, column, severity: 'error' })
    expect(told?.message).to.include('sko')
  })

  it('ends with 1 when a table schema is broken, and names it', async () => {
    mkdirSync(folder.path('tables'))
    writeFileSync(folder.path('tables', 'shop.sales.json'), '[{"name": "order_id", "type": "INTEGR"}]')
    const { code, err } = await validate('--endpoints', endpoints, '--tables', folder.path('tables'))
    expect(code).to.equal(1)
    expect(err).to.match(/shop\.sales\.json:1:\d+: .*INTEGR/)
  })

  it('tells mistakes in table schemas beside all others, in every format, and not what they cause', async () => {
    const tables = folder.path('broken-tables')
    cpSync('test/cases/new-table/tables', tables, { recursive: true })
    const schema = readFileSync(folder.path('broken-tables', 'shop.sales.json'), 'utf8')
    writeFileSync(folder.path('broken-tables', 'shop.sales.json'), schema.replace('"mode"', '"mod"'))
    writeFileSync(broken, lines.join('\n').replace('description:', 'descripton:'))
    const { code, out } = await validate('--endpoints', endpoints, '--tables', tables, '--format', 'json')
    expect(code).to.equal(1)
    const told = (JSON.parse(out) as readonly Told[]).map(({ file, message }) => `${basename(file)} ${message}`)
    expect(told.filter(one => one.startsWith('shop.sales.json'))).to.have.length(1)
    expect(told.join('\n'))
      .to.include('did you mean "mode"?')
      .and.to.include('did you mean "description"?')
      .and.not.include('not found')
  })

  itInAll('does not accept a file that does not exist', async () => {
    const { code, out, err } = await validate('--endpoints', folder.path('nowhere'))
    expect(code, out + err).to.not.equal(0)
    const missing = await ours(folder.path('endpoints', 'shop', 'no-such.yaml'))
    expect(missing.code, missing.out + missing.err).to.not.equal(0)
  })
})
