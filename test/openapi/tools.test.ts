/** Real tools read the documents: two validators, and a generator whose types compile strictly and call the server. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { readEndpoints } from '../../authoring/client/contract.js'
import { typescriptClient } from '../../authoring/client/typescript.js'
import { runtimeOf } from '../authoring/client/described.js'
import { type EveryType, serveEveryType, TOKEN } from './every-type.js'

const run = promisify(execFile)
const QUERIES = ['', '?version=3.0', '?formats=all', '?version=3.0&formats=all']

/** What a tool prints; a tool that fails is an error with what it has printed. */
async function printed(cwd: string, program: string, ...argv: readonly string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NODE_OPTIONS: '' }
  try {
    const { stdout, stderr } = await run(process.execPath, [resolve('node_modules', program), ...argv], { cwd, env })
    return stdout + stderr
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { readonly stdout?: string; readonly stderr?: string }
    throw new TypeError(`${program} failed:\n${stdout}${stderr}`)
  }
}

const CLIENT = `
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const client = createClient<paths>({ baseUrl: process.argv[2]!, headers: { 'X-API-KEY': process.argv[3]! } })
`

const RIGHT = `${CLIENT}
const query = { text: 'abc', period: 'week', day: '2026-01-31', words: ['x', 'y'] }
const { data, error } = await client.GET('/api/endpoints/query/every.type', { params: { query } })
if (error) throw new Error(error.detail)
const [row] = data.result
const days: number = row!.days
const page = await client.GET('/api/endpoints/query/every.type', { params: { query: { ...query, page_size: 1 } } })
const next: string | null | undefined = page.data!.next
if (next !== null || data.next !== undefined) throw new Error('not the last page')
const text: string = row!.text
const money: string = row!.money
const whole: number | string | null = row!.any_whole
const moment: string = row!.moment
const nested: number | string | null = row!.nested[0]!.whole
const day: string | null | undefined = row!.nested[0]!.inner_one?.day
const words: string[] = row!.words
console.log(JSON.stringify([days, text, money, whole, moment, nested, day, words]))

const refused = await client.GET('/api/endpoints/query/every.type', { params: { query: { text: 'ABC', period: 'day' } } })
if (refused.response.status !== 400) throw new Error('not refused')
const { code, errors = [] } = refused.error!
const known: 'ARGUMENT_INVALID' | string = code
console.log(JSON.stringify([known, errors.map(({ parameter }) => parameter)]))
`

/** A call of `logs.all` whose first row the program reads. */
const READER = `${CLIENT}const query = { project: 'a', project_tier: 'PRO' }
const { data } = await client.GET('/api/endpoints/query/logs.all', { params: { query } })
const row = data!.result[0]!
`

/** Programs that must not compile, each with a part of what the compiler says. */
const WRONG: readonly { readonly what: string; readonly program: string; readonly says: RegExp }[] = [
  {
    what: 'without an argument that is required',
    program: `${CLIENT}await client.GET('/api/endpoints/query/every.type', { params: { query: { text: 'abc' } } })`,
    says: /Property 'period' is missing/,
  },
  {
    what: 'with an argument that is not one of the choices',
    program: `${CLIENT}const query = { text: 'a', period: 'day', choice: 'c' as const }
await client.GET('/api/endpoints/query/every.type', { params: { query } })`,
    says: /Type '"c"' is not assignable to type/,
  },
  {
    what: 'that reads a column that is not there',
    program: `${READER}console.log(row.nothing)`,
    says: /Property 'nothing' does not exist/,
  },
  {
    what: 'that takes a column that may be NULL for text',
    program: `${READER}const text: string = row.event_message\nconsole.log(text)`,
    says: /Type 'string \| null' is not assignable to type 'string'/,
  },
]

const NAMES = ['every.type', 'logs.all', 'functions.invocation-stats', 'usage.api-counts'] as const

/**
 * Values of the types of our own client are values of the document's types, and the other way round. Our arguments take more:
 * integers as bigint, undefined for what may be left out, and lists that are read only.
 */
const ASSIGNABLE = `
import type { paths } from './api.js'
import type { Args, EndpointName, Row } from './client.js'

type Operation<N extends EndpointName> = paths[\`/api/endpoints/query/\${N}\`]['get']
type TheirRow<N extends EndpointName> = Operation<N>['responses'][200]['content']['application/json']['result'][number]
type TheirArgs<N extends EndpointName> = NonNullable<Operation<N>['parameters']['query']>
/** openapi-typescript takes an argument that is JSON for a text. */
type Plain<T> = T extends readonly (infer E)[]
  ? Exclude<E, bigint>[]
  : Exclude<T, bigint | undefined | { readonly [member: string]: unknown }>
type PlainArgs<N extends EndpointName> = { [K in keyof Args<N>]: Plain<Args<N>[K]> }
/** Where nothing is left out, so that no name can be missing on one side. */
type Names<N extends EndpointName> = Exclude<keyof TheirArgs<N>, 'format' | 'page_size' | 'cursor'>
${NAMES.map(
  name => `{
  const ours: (row: TheirRow<'${name}'>) => Row<'${name}'> = row => row
  const theirs: (row: Row<'${name}'>) => TheirRow<'${name}'> = row => row
  const sent: (args: TheirArgs<'${name}'>) => Args<'${name}'> = args => args
  const taken: (args: PlainArgs<'${name}'>) => TheirArgs<'${name}'> = args => args
  const known: (name: keyof Args<'${name}'>) => Names<'${name}'> = name => name
  const named: (name: Names<'${name}'>) => keyof Args<'${name}'> = name => name
  void [ours, theirs, sent, taken, known, named]
}`,
).join('\n')}
`

const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    module: 'NodeNext',
    target: 'ES2022',
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
  },
}

describe('openapi: real tools', function () {
  this.timeout(180_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-openapi-tools-'))
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  let server: EveryType
  before(async () => {
    server = await serveEveryType()
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    write('package.json', '{"type":"module"}')
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  for (const query of QUERIES) {
    it(`@seriousme/openapi-schema-validator finds no mistake in openapi.json${query}`, async () => {
      const { valid, errors } = await new Validator().validate(JSON.parse(await server.document(query)))
      expect(valid, JSON.stringify(errors)).to.equal(true)
    })

    // The document of all formats has all that the other has.
    if (!query.includes('formats=all')) continue
    it(`redocly lint, with its strictest rules, finds no mistake in openapi.json${query}`, async () => {
      write('openapi.json', await server.document(query))
      const told = await printed(
        folder,
        '@redocly/cli/bin/cli.js',
        'lint',
        '--extends',
        'recommended-strict',
        'openapi.json',
      )
      expect(told).to.match(/Your API description is valid/)
    })
  }

  for (const query of ['', '?version=3.0']) {
    describe(`openapi-typescript of openapi.json${query}`, () => {
      /** What the compiler says, of all programs at once: it takes seconds to start. */
      let said = ''
      before(async () => {
        write('openapi.json', await server.document(query))
        await printed(folder, 'openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'api.d.ts')
        const described = await fetch(`${server.url}/api/endpoints`, { headers: { 'X-API-KEY': TOKEN } })
        write('client.ts', typescriptClient(readEndpoints(await described.json())!, runtimeOf('ts')))
        const programs = [RIGHT, ...WRONG.map(({ program }) => program), ASSIGNABLE]
        const files = programs.map((_, i) => `program-${i}.ts`)
        for (const [i, program] of programs.entries()) write(files[i]!, program)
        write('tsconfig.json', JSON.stringify({ ...STRICT, files }))
        const failure = await printed(folder, 'typescript/bin/tsc', '-p', '.').catch((thrown: Error) => thrown)
        said = failure instanceof Error ? failure.message : failure
      })
      const saidOf = (program: number): string =>
        said
          .split(/^(?=program-)/m)
          .filter(part => part.startsWith(`program-${program}.ts`))
          .join('')

      it('compiles strictly, and openapi-fetch calls the server', async () => {
        expect(said).to.include('program-1.ts')
        expect(saidOf(0)).to.equal('')
        const lines = (await printed(folder, 'tsx/dist/cli.mjs', 'program-0.ts', server.url, TOKEN)).trim().split('\n')
        expect(lines.map(line => JSON.parse(line))).to.deep.equal([
          [7, 'abc', '-12.5', '9007199254740993', '2026-01-31T12:00:00.123456Z', 5, '2026-01-31', ['x', 'y']],
          ['ARGUMENT_INVALID', ['text']],
        ])
      })

      it('has the types of our own client', () => expect(saidOf(WRONG.length + 1)).to.equal(''))

      for (const [i, { what, says }] of WRONG.entries()) {
        it(`does not compile a program ${what}`, () => expect(saidOf(i + 1)).to.match(says))
      }
    })
  }
})
