import { openAccess } from '../../runner/engines/bigquery/auth/credentials.js'
import { type BigQueryEngine, openBigQueryEngine } from '../../runner/engines/bigquery/open-engine.js'
import { systemClock } from '../../runner/process/clock.js'
import { engineContract } from '../contracts/engine.js'
import { PLAIN_OPTIONS } from '../engines/bigquery/plain-options.js'
import { type Emulator, needEmulator, PROJECT, startEmulator, WHY_PENDING } from './emulator.js'

/** Each is the emulator's, not BigQuery's: seen in its answers. */
const FAULTS = {
  'STRING: \'a"\\\\\\n\\u00e9\' as "a\\"\\\\\\né"': 'the emulator does not know the escape \\u',
  'STRUCT<INT64, a STRING>: STRUCT(1, \'x\' AS a) as {"_field_1":1,"a":"x"}':
    'it names fields without a name otherwise',
  'in any order, as often as they are named, without regard to case': 'it tells parameters by their case',
  'a query of an unknown name, without a word of it to callers': 'its message is not in the words of BigQuery',
  'an overflow, without a word of it to callers': 'its message is not in the words of BigQuery',
  'a text that is no number, without a word of it to callers': 'its message is not in the words of BigQuery',
  'a NULL inside an array of the result, without a word of it to callers': 'it lets one pass',
  'an argument that is no regular expression, by its name': 'its message is not in the words of BigQuery',
  'a query without running it': 'its dry run evaluates constants',
  'a constant that fails in a branch that no row reaches': 'its dry run evaluates constants',
  'a mistake, giving its place': 'it does not tell places',
}

/** It runs queries one after another and stops none: this one ends, some time after everybody has left. */
const SLOW =
  'SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 10000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 6000)) AS b ' +
  'WHERE MOD(a * b, 7) = 3'

async function openEngine(host: string): Promise<BigQueryEngine> {
  return openBigQueryEngine({
    access: await openAccess({ project: PROJECT, credentialsFile: null, emulatorHost: host }),
    ...PLAIN_OPTIONS,
    clock: systemClock(),
    observe: () => {},
    random: Math.random,
  })
}

describe(`the BigQuery engine over an emulator${WHY_PENDING}`, function () {
  this.timeout(600_000)
  let emulator: Emulator
  before(async function () {
    needEmulator(this)
    emulator = await startEmulator()
  })
  after(() => emulator?.stop())

  engineContract(() => openEngine(emulator.host), { faults: FAULTS, slow: SLOW })
})
