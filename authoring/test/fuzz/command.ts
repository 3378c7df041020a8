/** The command `fuzz`. */
import type { Declaring } from '../../terminal/declare.js'
import { type Flags, settingFlags, withSettings } from '../../terminal/flags.js'
import { EMBEDDED_TEST_FLAGS } from '../command.js'

export function declareFuzz({ command, exit, io }: Declaring): void {
  withSettings(
    command('fuzz <name>', 'Call an endpoint as strangers would, and print each call that fails as a test.'),
    FUZZ_FLAGS,
  )
    .option('--seed <number>', 'the same seed makes the same calls', '1')
    .option('--count <calls>', 'make this many calls; every bound of every parameter is tried in any case', '1000')
    .option('--now <time>', "freeze the clock at this ISO 8601 time; else it is that of the endpoint's tests")
    .action(async (name: string, flags: Flags) => {
      const { fuzz } = await import('./fuzz.js')
      exit(await fuzz(name, settingFlags(flags), flags, io))
    })
}

/** Fuzzing is for the embedded engine. */
const FUZZ_FLAGS = [...EMBEDDED_TEST_FLAGS, '--data', '--database']
