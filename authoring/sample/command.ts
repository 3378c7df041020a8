/** The command `sample`. */
import type { Declaring } from '../terminal/declare.js'
import { type Flags, settingFlags, withSettings } from '../terminal/flags.js'

export function declareSample({ command, exit, io }: Declaring): void {
  withSettings(
    command('sample', "Write demo data: made-up logs of one vendor's platform, in nine streams that end now."),
    ['--data'],
  )
    .option('--count <entries>', 'entries of each stream', '10000')
    .option('--seed <number>', 'the same seed gives the same entries', '1')
    .option('--now <time>', 'ISO 8601 time of the newest entry')
    .option('--if-empty', 'do nothing when there are log files already')
    .action(async (flags: Flags) => {
      const { writeSample } = await import('./sample.js')
      exit(await writeSample(settingFlags(flags), flags, io))
    })
}
