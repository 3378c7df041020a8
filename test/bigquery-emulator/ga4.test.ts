/**
 * The tests of examples/ga4, whose SQL is that of BigQuery's users, over an emulator. Most of them meet what the emulator
 * lacks; each must fail for a reason that is known, so that a newer emulator, or a mistake of Sluice, shows.
 */
import { expect } from 'chai'
import { command } from '../cli/command.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

/** What the emulator cannot do, by what the report of a test says. */
const LIMITS: Readonly<Record<string, RegExp>> = {
  'a wildcard table has no arrays and structs': /Referenced (?:column "event_params"|table "device") not found/,
  'ARRAY_AGG has no IGNORE NULLS with ORDER BY and LIMIT': /\(sqlglot: Expecting \)/,
  'a week that begins on Monday is cut to a Sunday': /^ {4}\+ 2026-01-25 /m,
  'a temporary function has no ANY TYPE': /Expected '\)', got IDENT:'TYPE'/,
}
const EXPECTED = {
  'ga4.active-users, a wildcard table has no arrays and structs': 6,
  'ga4.event-parameters, ARRAY_AGG has no IGNORE NULLS with ORDER BY and LIMIT': 3,
  'ga4.funnel, a wildcard table has no arrays and structs': 3,
  'ga4.retention, a week that begins on Monday is cut to a Sunday': 2,
  'ga4.sessions, ARRAY_AGG has no IGNORE NULLS with ORDER BY and LIMIT': 5,
  'ga4.top-pages, a temporary function has no ANY TYPE': 3,
}

describeOverEmulator('examples/ga4 over an emulator', emulator => {
  it('passes its tests, or meets a known limit of the emulator', async () => {
    const folders = ['--endpoints', 'examples/ga4/endpoints', '--tables', 'examples/ga4/schemas/tables']
    const environment = { BIGQUERY_EMULATOR_HOST: emulator().host, GOOGLE_CLOUD_PROJECT: PROJECT }
    const { out } = await command(['test', '--engine', 'bigquery', ...folders, '--engine-memory', '256'], environment)
    expect(out).to.match(/^3 passed, 22 failed/m)
    const met: Record<string, number> = {}
    for (const report of out.split(/\n\n/).filter(part => part.startsWith('examples/'))) {
      const endpoint = /ga4\.[\w-]+(?=\.test\.yaml)/.exec(report)![0]
      const limit = Object.keys(LIMITS).find(name => LIMITS[name]!.test(report)) ?? report
      met[`${endpoint}, ${limit}`] = (met[`${endpoint}, ${limit}`] ?? 0) + 1
    }
    expect(met).to.deep.equal(EXPECTED)
  })
})
