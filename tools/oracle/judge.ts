/** Judges one case by the reference implementation. */
import { type StructField, typeName } from '../../googlesql/types/types.js'
import { type EmbeddedEngine, QueryFault, type ResultColumn } from '../../runner/index.js'
import type { FiledCase } from '../../test/googlesql/case-files.js'
import { areSameRows } from './compare.js'
import { type Reference, type ReferenceResult, RejectedError } from './reference.js'
import { reasonOfResultRule, reasonWhyUnbuilt } from './unbuilt.js'

export type Verdict =
  | { readonly kind: 'agrees' }
  /** The reference cannot say, or what it says is not BigQuery's: `reason` tells why, or is undefined: somebody has to look. */
  | { readonly kind: 'differs' | 'not-evaluated'; readonly found: string; readonly reason?: string }

/** The rows, names and types of a case, and what the embedded engine infers, against the reference's. */
export async function judge(each: FiledCase, reference: Reference, engine: EmbeddedEngine): Promise<Verdict> {
  const found = await difference(each, reference, engine)
  const { oracle } = each
  if (found === null) {
    const isNeedless = oracle !== undefined && 'differs' in oracle
    return isNeedless
      ? { kind: 'differs', found: 'agrees with the reference: no reason is needed' }
      : { kind: 'agrees' }
  }
  if (oracle && 'skip' in oracle) return { kind: 'not-evaluated', found, reason: oracle.skip }
  if (oracle) return { kind: 'differs', found, reason: oracle.differs }
  const unbuilt = reasonWhyUnbuilt(each.sql, found)
  if (unbuilt) return { kind: 'not-evaluated', found, reason: unbuilt }
  const rule = each.error === undefined ? undefined : reasonOfResultRule(each.error)
  return { kind: 'differs', found, ...(rule && { reason: rule }) }
}

/** What the reference does otherwise, or null. */
async function difference(each: FiledCase, reference: Reference, engine: EmbeddedEngine): Promise<string | null> {
  let result: ReferenceResult
  try {
    result = await reference.evaluate(each.sql, each.parameters)
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error
    if (error.isUnsupported) return error.message
    return each.error === undefined ? `rejects: ${error.message}` : null
  }
  if (each.rows === undefined) return `gives rows: ${JSON.stringify(result.rows)}`
  if (!areSameRows(each.rows, result.rows, result.columns, !each.unordered)) {
    return `gives ${JSON.stringify(result.rows)}`
  }
  const inferred = await inferredColumns(each, engine)
  return (inferred && wrongColumn(inferred, result.columns, each.columns)) ?? null
}

/** Undefined when the engine does not run it; the case's own test says that. */
async function inferredColumns(each: FiledCase, engine: EmbeddedEngine): Promise<readonly ResultColumn[] | undefined> {
  try {
    return (await engine.query(each.sql, each.parameters)).columns
  } catch (error) {
    if (error instanceof QueryFault) return undefined
    throw error
  }
}

/** Names that the reference does not give are for the engine to make up, and the case to state. */
function wrongColumn(
  inferred: readonly ResultColumn[],
  columns: readonly StructField[],
  stated: readonly string[] | undefined,
): string | undefined {
  for (const [i, { name, type }] of columns.entries()) {
    const ours = inferred[i]!
    if (ours.type !== typeName(type)) return `column ${i + 1} is ${typeName(type)}, not ${ours.type}`
    if (name !== '' && name !== ours.name) return `column ${i + 1} is named ${name}, not ${ours.name}`
    if (stated && name !== '' && name !== stated[i]) return `column ${i + 1} is named ${name}, not ${stated[i]}`
  }
  return undefined
}
