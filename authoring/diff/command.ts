/** The command `diff`. */
import type { Declarer } from '../terminal/declare.js'
import { ENGINE_FLAGS, formatFlag, WAREHOUSE_FLAGS } from '../terminal/flags.js'
import type { DiffFlags } from './diff.js'

export function declareDiff({ command, settings, io }: Declarer): void {
  command('diff <base> [head]', 'Tell what changed between two git revisions or folders, and what breaks callers.', [
    ...ENGINE_FLAGS,
    ...WAREHOUSE_FLAGS,
    '--price-per-tib',
  ])
    .option('--allow-breaking', 'end with 0 although a change breaks callers')
    .addOption(formatFlag('how changes are printed; markdown fits a comment of a pull request', 'markdown', 'json'))
    .runs(async (base: string, head: string | undefined, flags: DiffFlags) =>
      (await import('./diff.js')).diffRevisions(base, head, settings(flags), flags, io),
    )
}
