import { openAccess } from '../../runner/engines/bigquery/auth/credentials.js'
import { BigQueryEngine } from '../../runner/engines/bigquery/open-engine.js'
import { systemClock } from '../../runner/platform/clock.js'
import { engineContract } from '../contracts/engine.js'
import { PLAIN_OPTIONS } from '../engines/bigquery/plain-options.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

/** Faults of the emulator, not of BigQuery: the emulator's answers show each of them. */
const FAULTS = {
  'STRING: \'a"\\\\\\n\\u00e9\' as "a\\"\\\\\\né"': 'the emulator does not know the escape \\u',
  'STRUCT<INT64, a STRING>: STRUCT(1, \'x\' AS a) as {"_field_1":1,"a":"x"}':
    'the emulator names unnamed fields in another way',
  'in any order, as often as they are named, without regard to case': 'the emulator distinguishes parameters by case',
  'a query of an unknown name, without a word of it to callers': 'the emulator’s message is not BigQuery’s',
  'an overflow, without a word of it to callers': 'the emulator’s message is not BigQuery’s',
  'a text that is not a number, without a word of it to callers': 'the emulator’s message is not BigQuery’s',
  'a NULL inside an array of the result, without a word of it to callers': 'the emulator does not refuse it',
  'a query without running it': 'the emulator’s dry run evaluates constants',
  'a constant that fails in a branch that no row reaches': 'the emulator’s dry run evaluates constants',
  'a mistake, giving its place': 'the emulator does not report places',
}

/** The emulator runs queries one after another and cannot cancel one, so this slow query must end by itself. */
const SLOW =
  'SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 10000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 6000)) AS b ' +
  'WHERE MOD(a * b, 7) = 3'

async function openEngine(host: string): Promise<BigQueryEngine> {
  return new BigQueryEngine({
    access: await openAccess({ project: PROJECT, credentialsFile: null, emulatorHost: host }),
    ...PLAIN_OPTIONS,
    clock: systemClock(),
    observe: () => {},
    random: Math.random,
  })
}

describeOverEmulator('the BigQuery engine over an emulator', emulator => {
  engineContract(() => openEngine(emulator().host), { faults: FAULTS, slow: SLOW })
})
