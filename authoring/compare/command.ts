/** The command `compare`. */
import type { Declaring } from '../terminal/declare.js'
import { ENGINE_FLAGS, type Flags, formatFlag, settingFlags, WAREHOUSE_FLAGS, withSettings } from '../terminal/flags.js'

export function declareCompare({ command, exit, io }: Declaring): void {
  withSettings(
    command(
      'compare [name] [arguments...]',
      'Run a call, or with --all every one, on both engines and tell where results differ: compare logs.all project=abc',
    ),
    COMPARE_FLAGS,
  )
    .option('--all', 'every endpoint, or the one that is named: all lookup rows, examples, optional parameters')
    .addOption(formatFlag('how differences are printed', 'json'))
    .option('--now <time>', 'freeze the clock at this ISO 8601 time')
    .option('--rows <rows>', 'print at most this many differing rows of a call', '5')
    .option('--max-calls <calls>', 'with --all: make at most this many calls of an endpoint', '100')
    .option('--unordered', 'count the same rows in another order as the same result')
    .option(
      '--float-digits <digits>',
      'count fractions as equal that agree to this many digits; else they must be exactly equal',
    )
    .action(async (name: string | undefined, args: string[], flags: Flags) => {
      const { compareEngines } = await import('./compare.js')
      exit(await compareEngines(name === undefined ? [] : [name, ...args], { ...settingFlags(flags), ...flags }, io))
    })
}

/** `compare` opens both engines, so it has no `--engine` and ignores SLUICE_ENGINE. */
const COMPARE_FLAGS = [...ENGINE_FLAGS.filter(flag => flag !== '--engine'), ...WAREHOUSE_FLAGS]
