/** Runs several commands atomically as a script; one after the other where Redis refuses scripts. */
import type { Clock } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import type { RedisLink, Reply } from './link.js'

/** How long scripts are avoided after a refusal, in milliseconds. */
const WITHOUT_SCRIPTS_MS = 60_000

export interface Script {
  readonly text: string
  /** The keys, all in one slot. */
  readonly keys: readonly string[]
  readonly values: readonly (string | Buffer)[]
}

export interface Scripts {
  /** The reply of the script, or of `byCommands` in its place. @throws StoreError. */
  run(script: Script, byCommands: () => Promise<Reply>): Promise<Reply>
}

export function createScripts(link: Pick<RedisLink, 'send'>, clock: Clock): Scripts {
  let refusedAt = -Infinity
  return {
    async run({ text, keys, values }, byCommands) {
      if (clock.ticksMs() - refusedAt < WITHOUT_SCRIPTS_MS) return byCommands()
      try {
        return await link.send(['EVAL', text, String(keys.length), ...keys, ...values])
      } catch (thrown) {
        if (!isRefusalOfScripts(thrown)) throw thrown
        refusedAt = clock.ticksMs()
        return byCommands()
      }
    },
  }
}

/** `ERR` stands for an unknown command, or in Redis 6 for a command that scripts may not call. */
function isRefusalOfScripts(thrown: unknown): boolean {
  return thrown instanceof StoreError && (thrown.kind === 'NOPERM' || thrown.kind === 'ERR')
}
