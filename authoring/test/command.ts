/** The command `test`. */
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, formatFlag, settingFlags, WAREHOUSE_FLAGS, without } from '../terminal/flags.js'
import type { TestFlags } from './test-endpoints.js'

export function declareTest({ command, io }: Declarer): void {
  command(
    'test [paths...]',
    'Run the tests beside manifests, <name>.test.yaml, over the rows that they have.',
    // Tests never read a data folder.
    [...without(ENGINE_FLAGS, '--data', '--database'), ...WAREHOUSE_FLAGS],
  )
    .option('--name <name>', 'run only the tests of this name')
    .option('--watch', 'run again after each change of a file, until the process is asked to end')
    .option('--update', 'write what calls give into rows, rows_unordered, count, columns and truncated')
    .option('--coverage', 'name the variants, lookup rows and template branches that no test runs')
    .option('--min-coverage <percent>', 'end with 1 where the coverage is less: 100')
    .addOption(formatFlag('how results are printed', 'junit', 'github', 'json'))
    .runs(async (paths: string[], flags: TestFlags) =>
      (await import('./test-endpoints.js')).testEndpoints(paths, settingFlags(flags), flags, io),
    )
}
