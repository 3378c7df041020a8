/**
 * The shell parts of the workflows and of the hook, run in a repository over a folder that `sluice init` made. `npx sluice` is the
 * built program loaded once; test/cli/warm-program.test.ts holds that it prints and ends as a process of its own does.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { parse } from 'yaml'
import { command, scratch } from '../cli/command.js'
import { openWarmProgram, type WarmProgram } from '../cli/warm-program.js'

interface Step {
  readonly name?: string
  readonly run?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
}

const stepsOf = (file: string): readonly Step[] => {
  const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: Readonly<Record<string, { steps: readonly Step[] }>> }
  return Object.values(jobs).flatMap(({ steps }) => steps)
}
const WORKFLOWS = {
  'the example': 'examples/ci/endpoints.yml',
  'what init writes': 'templates/init/_github/workflows/validate.yml',
} as const

describe('CI of a folder of endpoints', function () {
  this.timeout(180_000)
  const folder = scratch()
  const at = folder.path
  const repo = at('api')
  let warm: WarmProgram

  async function shell(script: string, env: Readonly<Record<string, string>> = {}) {
    // As GitHub runs a step.
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: repo,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${at('bin')}:${process.env['PATH']}`,
        HOME: at(),
        RUNNER_TEMP: at('temp'),
        GITHUB_STEP_SUMMARY: at('temp/summary.md'),
        SLUICE_ENGINE_MEMORY: '256',
        ...env,
      },
    })
    const ended = new Promise<number | null>(done => child.once('close', done))
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await ended, out, err }
  }
  const read = (file: string): string => readFileSync(at(file), 'utf8')
  const manifest = 'api/endpoints/shop.top-products.yaml'
  function edit(from: string, to: string): void {
    expect(read(manifest)).to.contain(from)
    writeFileSync(at(manifest), read(manifest).replace(from, to))
  }
  /** Runs the steps as a pull request against `main`; resolves to the code of the first that fails, or 0. */
  async function runWorkflow(file: string, env: Readonly<Record<string, string>> = {}) {
    let out = ''
    let code = 0
    for (const { name, run, if: condition = '' } of stepsOf(file)) {
      if (run === undefined || run.startsWith('npm install') || (code !== 0 && !condition.startsWith('always()')))
        continue
      const step = await shell(run, { BASE: 'main', MAY_BREAK: 'false', NUMBER: '7', ...env })
      out += `${step.out}${step.err}`
      // make is 2 where a command of it fails; diff is 2 only for an unknown revision.
      expect(run.startsWith('make') ? [0, 2] : [0, 1], `${name ?? run}: ${step.err}`).to.include(step.code)
      if (step.code !== 0) code = 1
    }
    return { code, out }
  }

  before(async () => {
    for (const name of ['bin', 'temp']) mkdirSync(at(name))
    warm = await openWarmProgram(at('program.sock'))
    writeFileSync(at('bin/npx'), `#!/bin/bash\nshift\n${warm.script}\n`, { mode: 0o755 })
    writeFileSync(at('bin/gh'), `#!/bin/sh\necho "gh $*" >> '${at('temp/gh.txt')}'\n`, { mode: 0o755 })
    expect((await command(['init', repo])).code).to.equal(0)
    for (const name of ['Makefile', 'pre-commit']) copyFileSync(`examples/ci/${name}`, at('api', name))
    const made = await shell(
      'git init -q -b main; git config user.name t; git config user.email t@t.t; git add -A; git commit -qm first; git switch -qc change',
    )
    expect(made).to.deep.equal({ code: 0, out: '', err: '' })
  })
  beforeEach(async () => {
    await shell('git checkout -q . && git clean -fdq endpoints')
    for (const name of ['summary.md', 'changes.md', 'gh.txt']) rmSync(at('temp', name), { force: true })
  })
  after(() => {
    warm.close()
    folder.remove()
  })

  for (const [which, file] of Object.entries(WORKFLOWS)) {
    it(`${which} passes, and says in the summary that nothing changed`, async () => {
      expect((await runWorkflow(file)).code).to.equal(0)
      expect(read('temp/summary.md')).to.equal('### Endpoints\n\n`main` → `the working tree`: no changes\n')
    })

    it(`${which} fails on a breaking change, and shows it`, async () => {
      edit('max_rows: 100', 'max_rows: 90')
      expect((await runWorkflow(file)).code).to.equal(1)
      expect(read('temp/summary.md')).to.contain('`max_rows is 90; it was 100` (setting/max-rows-lowered)')
    })

    it(`${which} fails on a broken manifest, and on a failing test`, async () => {
      edit('SUM(price)', 'SUM(prise)')
      const broken = await runWorkflow(file)
      expect(broken.code).to.equal(1)
      expect(broken.out).to.match(/^::error file=endpoints\/shop\.top-products\.yaml,line=\d+,/m)
      await shell('git checkout -q .')
      edit('revenue DESC', 'revenue')
      const failing = await runWorkflow(file)
      expect(failing.code).to.equal(1)
      expect(failing.out).to.match(/^::error file=endpoints\/shop\.top-products\.test\.yaml,/m)
    })
  }

  it('the example comments on the pull request, also where the change breaks; the label lets it pass', async () => {
    edit('max_rows: 100', 'max_rows: 90')
    expect((await runWorkflow(WORKFLOWS['the example'])).code).to.equal(1)
    expect(read('temp/gh.txt')).to.match(
      /^gh pr comment 7 --body-file \S+\/changes\.md --edit-last --create-if-none\n$/,
    )
    expect((await runWorkflow(WORKFLOWS['the example'], { MAY_BREAK: 'true' })).code).to.equal(0)
  })

  it('neither writes an argument of the pull request into a script', () => {
    for (const file of Object.values(WORKFLOWS)) {
      for (const { run = '' } of stepsOf(file)) expect(run).to.not.contain('${{')
    }
  })

  it('the hook refuses a commit with a broken manifest or a failing test, shows changes, and leaves other commits alone', async () => {
    await shell('cp pre-commit .git/hooks/pre-commit')
    edit('SUM(price)', 'SUM(prise)')
    const broken = await shell('git commit -qam broken')
    expect(broken.code).to.equal(1)
    expect(broken.err).to.contain('Unrecognized name: prise')
    writeFileSync(at('api/notes.txt'), 'x')
    expect((await shell('git add notes.txt && git commit -qm notes')).code).to.equal(0)
    await shell('git checkout -q endpoints')
    edit('max_rows: 100', 'max_rows: 90')
    const shown = await shell('git commit -qam fewer')
    expect(shown.code, shown.err).to.equal(0)
    expect(`${shown.out}${shown.err}`).to.contain('breaking    max_rows is 90; it was 100')
    expect(existsSync(at('api/.git/hooks/pre-commit'))).to.equal(true)
  })
})
