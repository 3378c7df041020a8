/** The command `diff`. */
import type { Declaring } from '../terminal/declare.js'
import { ENGINE_FLAGS, type Flags, formatFlag, settingFlags, WAREHOUSE_FLAGS, withSettings } from '../terminal/flags.js'
import type { DiffFormat } from './diff.js'

export function declareDiff({ command, exit, io }: Declaring): void {
  withSettings(
    command('diff <base> [head]', 'Tell what changed between two git revisions or folders, and what breaks callers.'),
    [...ENGINE_FLAGS, ...WAREHOUSE_FLAGS, '--price-per-tib'],
  )
    .option('--allow-breaking', 'end with 0 although a change breaks callers')
    .addOption(formatFlag('how changes are printed; markdown fits a comment of a pull request', 'markdown', 'json'))
    .action(async (base: string, head: string | undefined, flags: Flags & { readonly allowBreaking?: true }) => {
      const { diffRevisions } = await import('./diff.js')
      const more = { format: flags['format'] as DiffFormat, allowBreaking: flags.allowBreaking === true }
      exit(await diffRevisions(base, head, settingFlags(flags), more, io))
    })
}
