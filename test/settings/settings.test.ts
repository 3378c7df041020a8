import { expect } from 'chai'
import { BYTE_SIZE_FORM } from '../../runner/model/byte-size.js'
import { UsageError } from '../../runner/model/errors.js'
import { DEFAULT_SETTINGS, readSettings, SETTINGS } from '../../runner/settings/settings.js'

function problems(flags: Record<string, string>, environment: Record<string, string>): readonly string[] {
  try {
    readSettings(flags, environment)
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.problems
    throw thrown
  }
  return []
}

describe('settings', () => {
  it('have defaults', () => {
    expect(DEFAULT_SETTINGS).to.deep.equal({
      host: '127.0.0.1',
      port: 8080,
      metricsPort: null,
      hosts: [],
      endpointsDir: 'endpoints',
      tablesDir: 'schemas/tables',
      functionsDir: 'functions',
      dataDir: 'data',
      database: null,
      tokensFile: null,
      token: null,
      engine: 'duckdb',
      watch: false,
      dev: false,
      unknownArguments: 'ignore',
      maxRegexpLength: 1_024,
      strict: false,
      project: null,
      publicUrl: null,
      explorer: 'on',
      location: null,
      defaultDataset: null,
      maxBytesBilled: null,
      reservation: null,
      priority: 'interactive',
      dataPollSeconds: 10,
      verifyRefresh: 0,
      pricePerTib: 6.25,
      credentialsFile: null,
      emulatorHost: null,
      engineMemoryMb: 1024,
      engineThreads: 0,
      engineTempMb: 8192,
      maxQueries: 512,
      maxExports: 2,
      maxResultMb: 64,
      maxUnsentMb: 256,
      writeIdleSeconds: 60,
      cacheMb: 64,
      redisUrl: null,
      redisPrefix: 'sluice:',
      redisKey: null,
      cursorKey: null,
      corsOrigins: [],
      mcp: 'on',
      mcpMaxBytes: 65_536,
      logLevel: 'info',
      drainDelaySeconds: 0,
      graceSeconds: 10,
    })
    expect(DEFAULT_SETTINGS).to.be.frozen
  })

  it('are listed in the table once each', () => {
    expect(SETTINGS.map(row => row.key)).to.have.members(Object.keys(DEFAULT_SETTINGS))
    expect(new Set(SETTINGS.map(row => row.variable)).size).to.equal(SETTINGS.length)
  })

  it('come from a flag, otherwise from the environment, otherwise from the default', () => {
    expect(readSettings({ port: '1' }, { PORT: '2' }).port).to.equal(1)
    expect(readSettings({}, { PORT: '2' }).port).to.equal(2)
    expect(readSettings({ port: undefined }, { PORT: '' }).port).to.equal(8080)
  })

  it('are typed', () => {
    const settings = readSettings(
      { 'cors-origins': 'https://a.example.com, http://localhost:3000', 'cache-memory': '0' },
      { SLUICE_TOKEN: 'unrestricted-token-of-32-letters', SLUICE_LOG_LEVEL: 'warn' },
    )
    expect(settings).to.include({ cacheMb: 0, token: 'unrestricted-token-of-32-letters', logLevel: 'warn' })
    expect(settings.corsOrigins).to.deep.equal(['https://a.example.com', 'http://localhost:3000'])
    expect(readSettings({ hosts: 'a.example.com, [::1]' }, {}).hosts).to.deep.equal(['a.example.com', '[::1]'])
    for (const hosts of ['a.example.com:80', 'https://a', 'a,,b', '*']) {
      expect(() => readSettings({ hosts }, {})).to.throw('--hosts must be names of hosts without ports')
    }
  })

  it('report every problem at once, under the name that was used', () => {
    expect(problems({ port: '70000', data: '' }, { SLUICE_GRACE: 'soon', SLUICE_ENGINE: 'sqlite' })).to.deep.equal([
      '--port must be a whole number from 0 to 65535',
      '--data must not be empty',
      'SLUICE_ENGINE must be one of duckdb, bigquery',
      'SLUICE_GRACE must be a whole number from 0 to 3600',
    ])
  })

  const SIZES = ['much', '0', '0 GB', '-1', '-5 GB', '1.5 GB', '2000 TiB', '9999999999999999']
  const bad: readonly (readonly [flags: Record<string, string>, problem: string])[] = [
    [{ project: 'My Project' }, '--project must be a project id'],
    ...SIZES.map(size => [{ 'max-bytes-billed': size }, `--max-bytes-billed must be ${BYTE_SIZE_FORM}`] as const),
    [{ 'price-per-tib': '-1' }, '--price-per-tib must be a number from 0 to 999999.999999, such as 6.25'],
    [{ 'price-per-tib': '1000000' }, '--price-per-tib must be a number from 0 to 999999.999999, such as 6.25'],
    [{ 'verify-refresh': '1/0' }, '--verify-refresh must be 0 (never) or a fraction 1/N, such as 1/20'],
    [{ 'verify-refresh': '0/1' }, '--verify-refresh must be 0 (never) or a fraction 1/N, such as 1/20'],
    [{ reservation: 'mine' }, '--reservation must be projects/P/locations/L/reservations/R'],
    [{ port: '-1' }, '--port must be a whole number from 0 to 65535'],
    [{ port: '80.5' }, '--port must be a whole number from 0 to 65535'],
    [{ port: '0x50' }, '--port must be a whole number from 0 to 65535'],
    [
      { 'cors-origins': 'https://a.example.com/path' },
      '--cors-origins must be origins like https://app.example.com, with commas between them, or *',
    ],
    [{ 'log-level': 'loud' }, '--log-level must be one of debug, info, warn, error, silent'],
  ]
  for (const [flags, problem] of bad) {
    it(`are refused as ${JSON.stringify(flags)}`, () => expect(problems(flags, {})).to.deep.equal([problem]))
  }

  it('never quote a token', () => {
    const [problem, ...others] = problems({}, { SLUICE_TOKEN: 'hunter2 and so on, of more than 32 letters' })
    expect(others).to.deep.equal([])
    expect(problem).to.match(/^SLUICE_TOKEN must be .* printable ASCII without spaces/)
    expect(problem).to.not.include('hunter2')
  })

  it('refuse a token that could be guessed, and explain how to create one', () => {
    const [problem, ...others] = problems({}, { SLUICE_TOKEN: 'unrestricted-token-of-31-letter' })
    expect(others).to.deep.equal([])
    expect(problem).to.match(/^SLUICE_TOKEN must be at least 32 characters .*"openssl rand -hex 32"/)
    expect(problem).to.not.include('unrestricted')
    expect(readSettings({}, { SLUICE_TOKEN: '' }).token, 'an empty variable counts as not set').to.equal(null)
  })
})
