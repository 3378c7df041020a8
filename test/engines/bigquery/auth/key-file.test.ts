/** The error names an invalid credentials file, and quotes nothing of its content. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Access, openAccess } from '../../../../runner/engines/bigquery/auth/credentials.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import { command } from '../../../cli/command.js'
import { openTestEngine } from '../open-test-engine.js'

const SECRET = 'hunter2'
const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const SERVICE_ACCOUNT = { type: 'service_account', client_email: 'a@b.c', private_key: PEM, project_id: 'of-the-key' }

describe('a credentials file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'key-file-'))
  const file = join(folder, 'key.json')
  after(() => rmSync(folder, { recursive: true }))

  const open = (content: unknown, project: string | null = 'p'): Promise<Access> => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return openAccess({ project, credentialsFile: file, emulatorHost: null })
  }

  for (const { what, content, problem } of [
    { what: 'that is not JSON', content: SECRET, problem: 'which is not a JSON object' },
    { what: 'that was cut', content: `{"private_key": "${SECRET}`, problem: 'which is not a JSON object' },
    { what: 'that is a list', content: [SECRET], problem: 'which is not a JSON object' },
    {
      what: 'of an unknown type',
      content: { type: SECRET },
      problem:
        'whose "type" is none of service_account, authorized_user, external_account, external_account_authorized_user, impersonated_service_account',
    },
    {
      what: 'without its key',
      content: { ...SERVICE_ACCOUNT, private_key: undefined },
      problem: 'which has no "private_key", as credentials of type service_account have',
    },
    {
      what: 'whose key is invalid',
      content: { ...SERVICE_ACCOUNT, private_key: SECRET },
      problem: 'whose "private_key" is not a key in PEM',
    },
    {
      what: 'of a user without a refresh token',
      content: { type: 'authorized_user', client_id: 'x', client_secret: SECRET },
      problem: 'which has no "refresh_token", as credentials of type authorized_user have',
    },
  ]) {
    it(`${what} is refused, with or without a project`, async () => {
      const message = `GOOGLE_APPLICATION_CREDENTIALS names ${file}, ${problem}`
      for (const project of ['p', null]) {
        const error = await open(content, project).catch((thrown: unknown) => thrown)
        expect(error).to.include({ name: 'SetupError', message })
      }
    })
  }

  it('that does not exist, or is a folder, ends a command with 3', async () => {
    for (const [path, code] of [
      [join(folder, 'none.json'), 'ENOENT'],
      [folder, 'EISDIR'],
    ] as const) {
      const empty = mkdtempSync(join(folder, 'empty-'))
      const flags = ['--engine', 'bigquery', '--project', 'p', '--endpoints', empty, '--tables', empty]
      const ended = await command(['validate', ...flags], { GOOGLE_APPLICATION_CREDENTIALS: path })
      const err = `sluice: GOOGLE_APPLICATION_CREDENTIALS names ${path}, which cannot be read: ${code}\n`
      expect(ended).to.deep.equal({ code: 3, out: '', err })
    }
  })

  it('determines the project where no setting does', async () => {
    expect(await open(SERVICE_ACCOUNT, null)).to.include({ project: 'of-the-key' })
    expect(await open(SERVICE_ACCOUNT, 'p')).to.include({ project: 'p' })
  })

  describe('of an external account', () => {
    let server: Server
    let exchange: { readonly status: number; readonly body: object }
    const account = (): object => ({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/ci',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/token`,
      credential_source: { file: join(folder, 'subject-token') },
    })
    beforeEach(async () => {
      server = createServer((_, response) => {
        response.writeHead(exchange.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(exchange.body))
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    })
    afterEach(() => new Promise(resolve => server.close(resolve)))

    async function failure(access: Access): Promise<RunnerError> {
      const { credentials, origin } = access
      const test = await openTestEngine({ access: { credentials, ...(origin !== undefined && { origin }) } }, 50)
      const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown)
      await test.close()
      expect(error).to.include({ code: 'ENGINE_UNAVAILABLE', detail: 'The engine is not available' })
      return error as RunnerError
    }

    it('exchanges the token in the file that it names for an access token', async () => {
      writeFileSync(join(folder, 'subject-token'), 'a-subject-token')
      exchange = { status: 200, body: { access_token: 'an-access-token', expires_in: 3_600, token_type: 'Bearer' } }
      const access = await open(account())
      expect(await access.credentials(access.baseUrl)).to.include({ authorization: 'Bearer an-access-token' })
    })

    it('that has expired is logged with the name of the file, which the caller does not get', async () => {
      writeFileSync(join(folder, 'subject-token'), SECRET)
      exchange = { status: 400, body: { error: 'invalid_grant', error_description: 'The subject token has expired.' } }
      const { cause } = await failure(await open(account()))
      const { message } = cause as Error
      expect(message).to.include(`no credentials: GOOGLE_APPLICATION_CREDENTIALS names ${file}: `)
      expect(message).to.include('The subject token has expired.')
      expect(message).not.to.include(SECRET)
    })

    it('whose token file is missing is logged with the names of both files', async () => {
      const missing = { ...account(), credential_source: { file: join(folder, 'no-token') } }
      const { message } = (await failure(await open(missing))).cause as Error
      expect(message).to.include(`GOOGLE_APPLICATION_CREDENTIALS names ${file}: `)
      expect(message).to.include('no-token')
    })
  })

  it('that becomes invalid while it is in use is reported without its content', async () => {
    const access = await open(SERVICE_ACCOUNT)
    writeFileSync(file, `${SECRET}`)
    const test = await openTestEngine({ access: { credentials: access.credentials, origin: access.origin! } }, 50)
    const error = (await test.run('SELECT 1').catch((thrown: unknown) => thrown)) as RunnerError
    await test.close()
    expect((error.cause as Error).message).to.include(`GOOGLE_APPLICATION_CREDENTIALS names ${file}: `)
    expect(JSON.stringify([error.stack, (error.cause as Error).stack])).not.to.include(SECRET)
  })
})
