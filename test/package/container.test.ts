/** The container's files, held without a container: what they copy is there, and their commands do what they say. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { createRunner } from '../../runner/serve/runner.js'
import { SETTINGS } from '../../runner/settings/settings.js'

interface Instruction {
  readonly word: string
  readonly rest: string
}

/** One instruction a line, with lines that end in a backslash joined. */
const instructions: readonly Instruction[] = readFileSync('Dockerfile', 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => /^([A-Z]+)\s+(.*)$/.exec(line)!)
  .map(([, word, rest]) => ({ word: word!, rest: rest!.trim() }))

/** The instructions between a FROM and the next. */
const stages: readonly (readonly Instruction[])[] = instructions.reduce<Instruction[][]>((all, one) => {
  if (one.word === 'FROM') all.push([])
  all.at(-1)!.push(one)
  return all
}, [])
const last = stages.at(-1)!
const given = (word: string): readonly string[] => last.filter(one => one.word === word).map(one => one.rest)
const VARIABLES = new Map(
  [
    ...given('ENV')
      .join(' ')
      .matchAll(/(\w+)=(\S+)/g),
  ].map(match => [match[1]!, match[2]!]),
)
const ignored = readFileSync('.dockerignore', 'utf8').split('\n')

describe('the Dockerfile', () => {
  it('builds in one stage and serves from another, without what builds', () => {
    expect(stages).to.have.length(2)
    expect(stages[0]![0]!.rest).to.match(/ AS build$/)
    expect(stages[0]!.some(({ rest }) => rest.includes('npm prune --omit=dev'))).to.equal(true)
    expect(given('RUN').join(' ')).to.not.contain('npm')
  })

  it('is of a Node that the package takes', () => {
    const majors = stages.map(stage => Number(/^node:(\d+)-slim/.exec(stage[0]!.rest)![1]))
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(engines.node).to.equal('>=20.19')
    for (const major of majors) expect(major).to.be.greaterThan(20)
  })

  it('copies files that are there, and that .dockerignore lets through', () => {
    const copied = instructions
      .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1))
    expect(copied).to.include.members(['package-lock.json', 'runner', 'templates'])
    expect(copied.filter(path => !existsSync(path))).to.deep.equal([])
    expect(ignored).to.include('*')
    expect(copied.filter(path => !ignored.includes(`!${path}`))).to.deep.equal([])
  })

  it('copies all that the compiler reads', () => {
    const { include } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as { include: readonly string[] }
    const copied = stages[0]!.filter(({ word }) => word === 'COPY').map(({ rest }) => rest.split(/\s+/)[0])
    expect(copied).to.include.members([...include, 'schemas'])
  })

  it('copies the modules that the build imports', () => {
    const imported = [...readFileSync('tools/build.mjs', 'utf8').matchAll(/import\('\.\/(.*?)'\)/g)]
    expect(imported).to.have.length.above(1)
    const copied = stages[0]!.flatMap(({ word, rest }) => (word === 'COPY' ? rest.split(/\s+/) : []))
    expect(copied).to.include.members(imported.map(([, name]) => `tools/${name}`))
  })

  it('takes from the build what the package needs', () => {
    const taken = given('COPY').filter(rest => rest.startsWith('--from=build '))
    const targets = [...taken, ...given('COPY')].map(rest => rest.split(/\s+/).at(-1)!)
    for (const path of ['package.json', 'node_modules', 'schemas', 'dist', 'templates']) {
      expect(targets).to.include(`/opt/sluice/${path}`)
    }
  })

  it('runs the program as a user that may do little', () => {
    expect(given('USER')).to.deep.equal(['node'])
    const [, program] = JSON.parse(given('ENTRYPOINT')[0]!) as string[]
    expect(statSync(program!.replace('/opt/sluice/', '')).isFile()).to.equal(true)
    expect(JSON.parse(given('CMD')[0]!)).to.deep.equal(['serve'])
  })

  it('sets what serve reads', () => {
    const known = new Set(SETTINGS.map(setting => setting.variable))
    expect([...VARIABLES.keys()].filter(name => !known.has(name))).to.deep.equal(['NODE_ENV'])
    expect(VARIABLES.get('PORT')).to.equal(given('EXPOSE')[0])
  })
})

describe("the container's health check", () => {
  const [flags, command] = given('HEALTHCHECK')[0]!.split(/\s+CMD\s+/) as [string, string]
  const check = (port: number): Promise<number | null> => {
    const [program, ...args] = JSON.parse(command) as string[]
    const child = spawn(program!.replace(/^node$/, process.execPath), args, {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: 'ignore',
    })
    return new Promise(resolve => child.once('exit', resolve))
  }

  it('waits longer than a start takes', () => {
    expect(Number(/--start-period=(\d+)s/.exec(flags)![1])).to.be.at.least(30)
  })

  it('passes on a server that is alive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-container-'))
    const token = 'unrestricted-token-of-32-letters'
    const runner = await createRunner({ port: 0, dataDir: folder, token, engineMemoryMb: 256 })
    try {
      const { url, close } = await runner.listen()
      expect(await check(Number(new URL(url).port))).to.equal(0)
      await close()
    } finally {
      await runner.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('fails where nothing listens, and where the answer is not a success', async () => {
    const server = createServer((_, response) => void response.writeHead(503).end())
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await check(port)).to.equal(1)
    await new Promise(resolve => server.close(resolve))
    expect(await check(port)).to.equal(1)
  })
})

describe('the compose file', () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8')) as {
    services: Record<
      'sluice' | 'redis',
      { build?: string; environment?: Record<string, string>; volumes?: string[]; depends_on?: Record<string, unknown> }
    >
  }
  const { environment = {}, volumes = [] } = services.sluice

  it('builds the Dockerfile, and waits for Redis', () => {
    expect(services.sluice.build).to.equal('.')
    expect(Object.keys(services)).to.include.members(Object.keys(services.sluice.depends_on ?? {}))
    expect(new URL(environment['REDIS_URL']!).hostname).to.equal('redis')
  })

  it('sets what serve reads, and no token of its own', () => {
    const known = new Set(SETTINGS.map(setting => setting.variable))
    expect(Object.keys(environment).filter(name => !known.has(name))).to.deep.equal([])
    expect(environment['SLUICE_TOKEN']).to.match(/^\$\{SLUICE_TOKEN:\?/)
  })

  it('mounts folders that serve reads where the image is started', () => {
    const targets = volumes.map(volume => volume.split(':')[1])
    const defaults = SETTINGS.filter(({ variable }) => /^SLUICE_(ENDPOINTS|TABLES|DATA)$/.test(variable))
    expect(targets).to.have.members(defaults.map(setting => `${given('WORKDIR')[0]}/${setting.default}`))
  })
})

describe('the workflow of this repository', () => {
  it('runs what anyone can run', () => {
    const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8'))
    const steps = Object.values(jobs as Record<string, { steps: { run?: string }[] }>).flatMap(job => job.steps)
    const commands = steps.flatMap(step => step.run ?? [])
    expect(commands).to.include('.ci/run')
    for (const command of commands) expect(statSync(command).mode & 0o111).to.not.equal(0)
  })
})
