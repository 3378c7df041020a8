/**
 * The two engines that are compared, the embedded one and the reference implementation; both are reopened when they are lost.
 */
import { type BoundValue, type EmbeddedEngine, openEmbeddedEngine, QueryFault } from '../../runner/index.js'
import { embeddedTables } from '../../test/googlesql/case-files.js'
import { openReference, type Reference, RejectedError } from '../oracle/reference.js'
import type { OurAnswer, TheirAnswer } from './answers.js'
import { openPartitionEngine } from './partition-engine.js'
import type { Question } from './render.js'
import { fuzzCaseTables } from './tables.js'

const TIMEOUT_MS = 5_000
/** An engine that has not even reported a time-out after this time is reopened. */
const LOST_MS = 12_000

export interface Engines {
  readonly ours: (question: Question) => Promise<OurAnswer>
  readonly theirs: (question: Question) => Promise<TheirAnswer>
  readonly close: () => Promise<void>
}

export async function openEngines(cache: string): Promise<Engines> {
  const tables = fuzzCaseTables()
  const partitions = await openPartitionEngine(TIMEOUT_MS)
  const openOurs = (): Promise<EmbeddedEngine> =>
    openEmbeddedEngine({ tables: embeddedTables(tables), timeoutMs: TIMEOUT_MS })
  let engine: Promise<EmbeddedEngine> = openOurs()
  let reference: Promise<Reference> = openReference(cache, tables)
  await Promise.all([engine, reference])

  /** Replaces the reference only if it is still the one that was lost: several queries may report the same loss. */
  const renewReference = async (lost: Promise<Reference>): Promise<void> => {
    if (reference !== lost) return
    reference = openReference(cache, tables)
    ;(await lost).close()
  }
  const renewEngine = async (lost: Promise<EmbeddedEngine>): Promise<void> => {
    if (engine !== lost) return
    engine = openOurs()
    await (await lost).close()
  }

  return {
    ours: async question => {
      const { sql, parameters } = question
      if (/`p\./.test(sql)) return partitions.ask(question)
      const asked = engine
      try {
        const answer = await withDeadline((await asked).query(sql, parameters), LOST_MS)
        if (answer === null) {
          await renewEngine(asked)
          return { kind: 'timeout' }
        }
        return { kind: 'rows', ...answer }
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        if (code === 'QUERY_TIMEOUT') return { kind: 'timeout' }
        return { kind: 'error', message, isFault: error instanceof QueryFault }
      }
    },
    theirs: async question => askReference(question.reference, question.parameters),
    close: async () => {
      ;(await reference).close()
      await (await engine).close()
      await partitions.close()
    },
  }

  async function askReference(sql: string, parameters: Readonly<Record<string, BoundValue>>): Promise<TheirAnswer> {
    for (let attempt = 0; ; attempt++) {
      const asked = reference
      try {
        return { kind: 'rows', ...(await (await asked).evaluate(sql, parameters)) }
      } catch (error) {
        if (!(error instanceof RejectedError)) return { kind: 'none', message: (error as Error).message }
        const { message, isUnsupported } = error
        const isLate = /deadline/i.test(message)
        const isLost =
          /UNAVAILABLE|ECONN|connect|Connection|dropped|closed|Cancelled|shutdown/i.test(message) && isUnsupported
        if (isLate || isLost) await renewReference(asked)
        // Another query may have crashed the reference, so this one is tried again once.
        if (isLost && attempt === 0) continue
        if (isUnsupported || isUnbuilt(message)) return { kind: 'none', message }
        return { kind: 'error', message }
      }
    }
  }
}

const isUnbuilt = (message: string): boolean =>
  /Unsupported built-in function|Function not found|optional function implementation|not implemented|Unimplemented/i.test(
    message,
  )

async function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
