/** The date and time family's scalar functions. */
import { datetimeLiteral } from '../../../googlesql/literals.js'
import { CAST_BYTES_NATIVES } from './cast-bytes-format.js'
import { CAST_NUMBER_NATIVES } from './cast-number-format.js'
import { CAST_TIME_NATIVES } from './cast-time-format.js'
import { FORMAT_TIME_NATIVES } from './format-time.js'
import { INTERVAL_NATIVES } from './interval-text.js'
import { NativeError, type NativeFunction } from './native.js'
import { PARSE_TIME_NATIVES } from './parse-time.js'
import { instantMicros, TIME_ZONE_NATIVES, timeZone } from './time-zones.js'

export const DATE_NATIVES: readonly NativeFunction[] = [
  ...TIME_ZONE_NATIVES,
  ...FORMAT_TIME_NATIVES,
  ...PARSE_TIME_NATIVES,
  ...INTERVAL_NATIVES,
  ...CAST_TIME_NATIVES,
  ...CAST_NUMBER_NATIVES,
  ...CAST_BYTES_NATIVES,
  {
    // Text without a zone of its own, zone; microseconds of the instant.
    name: 'bq_timestamp_from_text',
    parameters: ['VARCHAR', 'VARCHAR'],
    returns: 'BIGINT',
    handlesNull: false,
    compute: (text: string, zone: string) => {
      const canonical = datetimeLiteral(text)
      if (canonical === null) throw new NativeError(`Invalid timestamp: '${text}'`)
      const [seconds, fraction = ''] = canonical.split('.')
      const civil = BigInt(Date.parse(`${seconds!.replace(' ', 'T')}Z`)) * 1_000n + BigInt(fraction.padEnd(6, '0'))
      return instantMicros(timeZone(zone), civil)
    },
  },
]
