/** The command `compare`. */
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, formatFlag, WAREHOUSE_FLAGS, without } from '../terminal/flags.js'
import type { CompareFlags } from './compare.js'

export function declareCompare({ command, settings, io }: Declarer): void {
  command(
    'compare [name] [arguments...]',
    'Run a call, or with --all every one, on both engines and tell where results differ: compare logs.all project=abc',
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
    .runs(async (name: string | undefined, args: string[], flags: CompareFlags) =>
      (await import('./compare.js')).compareEngines(
        name === undefined ? [] : [name, ...args],
        settings(flags),
        flags,
        io,
      ),
    )
}

/** `compare` opens both engines, so it has no `--engine` and ignores SLUICE_ENGINE. */
const COMPARE_FLAGS = [...without(ENGINE_FLAGS, '--engine'), ...WAREHOUSE_FLAGS]
