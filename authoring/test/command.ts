/** The command `test`. */
import { Option } from 'commander'
import type { Declaring } from '../terminal/declare.js'
import { type Flags, type GivenFlags, settingFlags, withSettings } from '../terminal/flags.js'

export function declareTest({ command, exit, io }: Declaring): void {
  withSettings(
    command('test [paths...]', 'Run the tests beside manifests, <name>.test.yaml, over the rows that they have.'),
    TEST_FLAGS,
  )
    .option('--name <name>', 'run only the tests of this name')
    .option('--watch', 'run again after each change of a file, until the process is asked to end')
    .option('--update', 'write what calls give into rows, rows_unordered, count, columns and truncated')
    .option('--coverage', 'name the variants, lookup rows and template branches that no test runs')
    .option('--min-coverage <percent>', 'end with 1 where the coverage is less: 100')
    .addOption(
      new Option('--format <format>', 'how results are printed')
        .choices(['text', 'junit', 'github', 'json'])
        .default('text'),
    )
    .action(async (paths: string[], flags: GivenFlags) => {
      const { testEndpoints } = await import('./run-tests.js')
      exit(await testEndpoints(paths, settingFlags(flags), flags as Flags, io))
    })
}

/** Tests never read a data folder. */
const TEST_FLAGS = [
  '--endpoints',
  '--tables',
  '--functions-dir',
  '--engine-memory',
  '--engine-threads',
  '--project',
  '--dataset',
  '--engine',
  '--location',
  '--max-bytes-billed',
  '--reservation',
]
