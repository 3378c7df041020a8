/**
 * A release, from `npm version` to what the workflow's shell parts do: in a repository of the packed files, with a registry on
 * loopback. `docker` and `gh` speak to services that are not here, so what they are asked is only written down.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { scratch } from '../cli/command.js'
import { need, whyPending } from '../installed/installed.js'
import { type OwnRegistry, openRegistry, ownManifest, published } from './own-registry.js'

interface Job {
  readonly steps: readonly { readonly name?: string; readonly run?: string }[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly needs?: string | readonly string[]
}
const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as { jobs: Readonly<Record<string, Job>> }
const stepOf = (job: string, name: string): string => jobs[job]!.steps.find(step => step.name === name)!.run!

const CHANGELOG =
  '# Changelog\n\nAbout it.\n\n## Unreleased\n\n- [FEATURE] Something\n  new.\n\n## 0.0.1 (2026-01-01)\n\n- Old.\n'
const NOTES = '- [FEATURE] Something\n  new.\n'

describe('a release', function () {
  this.timeout(180_000)
  const folder = scratch()
  const at = folder.path
  let registry: OwnRegistry | undefined

  function shell(script: string, env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: at('repo'),
      encoding: 'utf8',
      env: {
        HOME: at(),
        ...registry?.env,
        PATH: `${at('bin')}:${process.env['PATH']}`,
        RUNNER_TEMP: at('temp'),
        GITHUB_REF_NAME: 'v0.2.0',
        // dist/ is built: other tests run it meanwhile. It stands for the scripts that build; `npm version` has it off.
        npm_config_ignore_scripts: 'true',
        ...env,
      },
    })
    return { code: status, out: stdout, err: stderr }
  }
  function passing(script: string, env: Readonly<Record<string, string>> = {}): string {
    const { code, out, err } = shell(script, env)
    expect(code, `${script}\n${out}${err}`).to.equal(0)
    return out
  }
  const read = (file: string): string => readFileSync(at(file), 'utf8')
  const version = (which: string) => shell(`npm version ${which}`, { npm_config_ignore_scripts: 'false' })

  before(() => {
    for (const name of ['bin', 'temp', 'repo/tools']) mkdirSync(at(name), { recursive: true })
    for (const name of ['docker', 'gh']) {
      writeFileSync(at('bin', name), `#!/bin/sh\necho "${name} $*" >> '${at('temp/asked.txt')}'\n`, { mode: 0o755 })
    }
    // The packed files, without the time that a clone takes.
    const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', at()], {
      encoding: 'utf8',
    })
    passing(`tar -xzf '${at(packed.stdout.trim())}' --strip-components 1`)
    copyFileSync('tools/changelog.mjs', at('repo/tools/changelog.mjs'))
    writeFileSync(at('repo/CHANGELOG.md'), CHANGELOG)
    passing(
      'git init -q -b main; git config user.name t; git config user.email t@t.t; git add -Af; git commit -qm first',
    )
  })
  after(async () => {
    await registry?.close()
    folder.remove()
  })

  it('is one command: the version, its section of the changelog, a commit and a tag', () => {
    expect(version('0.2.0').code).to.equal(0)
    expect(JSON.parse(read('repo/package.json')).version).to.equal('0.2.0')
    const date = new Date().toISOString().slice(0, 10)
    expect(read('repo/CHANGELOG.md')).to.equal(
      CHANGELOG.replace('## Unreleased\n', `## Unreleased\n\n## 0.2.0 (${date})\n`),
    )
    expect(passing('git describe --exact-match; git status --porcelain')).to.equal('v0.2.0\n')
  })

  it('is refused where nothing is listed as unreleased, and changes nothing', () => {
    const { code, err } = version('minor')
    expect(code).to.equal(1)
    expect(err).to.contain('CHANGELOG.md lists nothing as unreleased\n')
    expect(passing('git describe --exact-match; git status --porcelain')).to.equal('v0.2.0\n')
  })

  it('has as notes what the changelog lists for its version', () => {
    // test/package/vscode.test.ts packs the real one.
    writeFileSync(at('temp/sluice-0.2.0.vsix'), '')
    passing(stepOf('notes', 'release notes'))
    expect(read('temp/notes.md')).to.equal(NOTES)
    expect(read('temp/asked.txt')).to.equal(
      `gh release create v0.2.0 --verify-tag --title v0.2.0 --notes-file ${at('temp/notes.md')} --latest ${at('temp/sluice-0.2.0.vsix')}\n`,
    )
  })

  it('stops at a tag that is not the version of the package', () => {
    const { code, err } = shell(stepOf('notes', 'release notes'), { GITHUB_REF_NAME: 'v0.3.0' })
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: 'the tag is v0.3.0, and package.json has the version 0.2.0\n',
    })
  })

  it('builds and pushes the image under the version and as the latest', () => {
    writeFileSync(at('temp/asked.txt'), '')
    const env = { IMAGE: 'images.example/team/sluice', IMAGE_USER: 'me', IMAGE_PASSWORD: 'hunter2' }
    passing(stepOf('image', 'image'), env)
    expect(read('temp/asked.txt').trimEnd().split('\n')).to.deep.equal([
      'docker login images.example --username me --password-stdin',
      'docker build --pull --tag images.example/team/sluice:0.2.0 .',
      'docker push images.example/team/sluice:0.2.0',
      'docker tag images.example/team/sluice:0.2.0 images.example/team/sluice:latest',
      'docker push images.example/team/sluice:latest',
    ])
  })

  it('is tested before anything is published, and asks for no more rights than each part needs', () => {
    expect(jobs['test']!.steps.map(step => step.run).filter(Boolean)).to.deep.equal(['.ci/run'])
    expect([jobs['package']!.needs, jobs['image']!.needs]).to.deep.equal(['test', 'test'])
    expect(jobs['package']!.permissions).to.deep.equal({ contents: 'read', 'id-token': 'write' })
    for (const { run = '' } of Object.values(jobs).flatMap(({ steps }) => steps)) expect(run).to.not.contain('${{')
  })

  it(`publishes the package, a prerelease not as the latest${whyPending('Verdaccio')}`, async function () {
    need(this, 'Verdaccio')
    registry = await openRegistry()
    // Only the workflow itself can prove where the package was built.
    const env = { NPM_CONFIG_PROVENANCE: 'false', HOME: registry.env['HOME']! }
    passing(stepOf('package', 'publish'), env)
    writeFileSync(
      at('repo/CHANGELOG.md'),
      read('repo/CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n- Soon.\n'),
    )
    passing(`git -c user.name=t -c user.email=t@t.t commit -qam more`)
    expect(version('0.3.0-rc.1').code).to.equal(0)
    passing(stepOf('package', 'publish'), { ...env, GITHUB_REF_NAME: 'v0.3.0-rc.1' })
    const { versions, 'dist-tags': tags } = await published(registry.url, ownManifest.name)
    expect(Object.keys(versions)).to.deep.equal(['0.2.0', '0.3.0-rc.1'])
    expect(tags).to.deep.equal({ latest: '0.2.0', next: '0.3.0-rc.1' })
  })
})
