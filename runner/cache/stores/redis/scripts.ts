/** Several commands in one go, as a script; one after the other where Redis refuses scripts. */
import type { Clock } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import type { RedisLink, Reply } from './link.js'

/** Where scripts are refused, it is done without them for so long. */
const WITHOUT_SCRIPTS_MS = 60_000

export interface Script {
  readonly text: string
  /** All in one slot. */
  readonly keys: readonly string[]
  readonly values: readonly (string | Buffer)[]
}

export interface Scripts {
  /** What the script answers, or `byCommands` does in its place. @throws StoreError. */
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

/** `ERR`: no such command, or what Redis 6 makes of a command that a script may not do. */
function isRefusalOfScripts(thrown: unknown): boolean {
  return thrown instanceof StoreError && (thrown.kind === 'NOPERM' || thrown.kind === 'ERR')
}
