/** Failures before a request reaches BigQuery: names, connections, TLS, credentials. */
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'chai'
import { type HeaderSource, renewable } from '../../../runner/engines/bigquery/auth/credentials.js'
import { RunnerError } from '../../../runner/model/errors.js'
import { openTestEngine, type TestEngine, type TestEngineOptions } from './open-test-engine.js'

describe('BigQuery that cannot be reached', () => {
  let test: TestEngine
  afterEach(() => test.close())

  async function open(access: TestEngineOptions['access'] = {}): Promise<void> {
    test = await openTestEngine({ access }, 50)
  }

  async function failure(): Promise<Error> {
    const error = await test.run('SELECT 1').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RunnerError)
    expect(error).to.include({ code: 'ENGINE_UNAVAILABLE', detail: 'The engine is not available', status: 502 })
    await test.engine.close()
    expect(test.fake.jobs.all).to.have.length(0)
    expect(test.events.map(event => event.kind)).not.to.include('job.cancel-failed')
    return (error as RunnerError).cause as Error
  }

  const retries = (): number => test.events.filter(event => event.kind === 'engine.retried').length

  /** A port on which no program listens. */
  async function closedPort(): Promise<number> {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise(resolve => server.close(resolve))
    return port
  }

  it('because its name does not resolve is tried six times', async () => {
    await open({ baseUrl: 'http://bigquery.invalid/bigquery/v2' })
    expect((await failure()).message).to.match(/^(ENOTFOUND|EAI_AGAIN)$/)
    expect(retries()).to.equal(5)
  })

  it('because no server listens is tried six times', async () => {
    await open({ baseUrl: `http://127.0.0.1:${await closedPort()}` })
    expect((await failure()).message).to.equal('ECONNREFUSED')
    expect(retries()).to.equal(5)
  })

  it('because it does not speak TLS is tried once', async () => {
    // The server answers every TLS greeting with plain HTTP.
    const server = createServer(
      socket => void socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    await open({ baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect((await failure()).message).to.match(/^(EPROTO|ERR_SSL)/)
    expect(retries()).to.equal(0)
    await new Promise(resolve => server.close(resolve))
  })

  it('because there are no credentials gets no request', async () => {
    await open({ credentials: () => Promise.reject(new TypeError('Could not load the default credentials')) })
    expect((await failure()).message).to.equal('no credentials: Could not load the default credentials')
    expect(retries()).to.equal(0)
    expect(test.fake.exchanges).to.have.length(0)
  })

  for (const refusal of [
    { status: 400, message: 'invalid_grant', passes: false },
    { status: 503, message: 'busy', passes: true },
    { code: 'ECONNRESET', message: 'socket hang up', passes: true },
  ]) {
    const { passes, ...facts } = refusal
    it(`because credentials are refused with ${facts.message} is ${passes ? 'asked later' : 'not asked'}`, async () => {
      let asked = 0
      await open({
        credentials: async () => {
          asked += 1
          if (asked === 1) throw Object.assign(new TypeError(facts.message), facts)
          return {}
        },
      })
      if (!passes) expect((await failure()).message).to.equal(`no credentials: ${facts.message}`)
      else expect(await test.run('SELECT 1')).to.include({ rowCount: 0 })
      expect(retries()).to.equal(passes ? 1 : 0)
    })
  }

  describe('because the credentials have expired', () => {
    /** Sources of credentials, created one after the other; the header of a call names the source that was used. */
    function sources(): { readonly made: () => number; readonly access: ReturnType<typeof renewable> } {
      let made = 0
      const source = (): HeaderSource => {
        made += 1
        const token = `Bearer ${made}`
        return { getRequestHeaders: async () => new Headers({ authorization: token }) }
      }
      return { made: () => made, access: renewable(source(), source) }
    }

    it('gets one more request with new ones, for every caller', async () => {
      const { made, access } = sources()
      await open(access)
      test.fake.fault = ({ headers }) =>
        headers.authorization === 'Bearer 1' ? { status: 401, reason: 'authError' } : undefined
      await Promise.all(Array.from({ length: 20 }, (_, i) => test.run(`SELECT ${i}`)))
      expect(made()).to.equal(2)
      expect(test.fake.jobs.all).to.have.length(20)
      await test.run('SELECT 20')
      expect(test.fake.exchanges.at(-1)!.headers.authorization).to.equal('Bearer 2')
      expect(made()).to.equal(2)
    })

    it('and new ones are refused as well gets no further request', async () => {
      const { made, access } = sources()
      await open(access)
      test.fake.fault = () => ({ status: 401, reason: 'authError', message: 'Invalid Credentials' })
      expect((await failure()).message).to.equal('Invalid Credentials (authError, HTTP 401)')
      expect(test.fake.exchanges).to.have.length(2)
      expect(made()).to.equal(2)
    })
  })
})
