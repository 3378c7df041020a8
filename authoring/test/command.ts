/** The command `test`. */
import type { Declaring } from '../terminal/declare.js'
import {
  ENGINE_FLAGS,
  type Flags,
  formatFlag,
  type GivenFlags,
  settingFlags,
  WAREHOUSE_FLAGS,
  without,
  withSettings,
} from '../terminal/flags.js'

export function declareTest({ command, exit, io }: Declaring): void {
  withSettings(
    command('test [paths...]', 'Run the tests beside manifests, <name>.test.yaml, over the rows that they have.'),
    // Tests never read a data folder.
    [...without(ENGINE_FLAGS, '--data', '--database'), ...WAREHOUSE_FLAGS],
  )
    .option('--name <name>', 'run only the tests of this name')
    .option('--watch', 'run again after each change of a file, until the process is asked to end')
    .option('--update', 'write what calls give into rows, rows_unordered, count, columns and truncated')
    .option('--coverage', 'name the variants, lookup rows and template branches that no test runs')
    .option('--min-coverage <percent>', 'end with 1 where the coverage is less: 100')
    .addOption(formatFlag('how results are printed', 'junit', 'github', 'json'))
    .action(async (paths: string[], flags: GivenFlags) => {
      const { testEndpoints } = await import('./run-tests.js')
      exit(await testEndpoints(paths, settingFlags(flags), flags as Flags, io))
    })
}
