/** Compares one case with the reference implementation. */
import { type StructField, typeName } from '../../googlesql/types/types.js'
import { type EmbeddedEngine, QueryFault, type ResultColumn } from '../../runner/index.js'
import type { FiledCase } from '../../test/googlesql/case-files.js'
import { areSameRows } from './compare.js'
import { type Reference, type ReferenceResult, RejectedError } from './reference.js'
import { reasonOfResultRule, reasonWhyUnbuilt } from './unbuilt.js'

export type Verdict =
  | { readonly kind: 'agrees' }
  /** `reason` says why the reference has no answer or one that differs; undefined: the case has to be examined. */
  | { readonly kind: 'differs' | 'not-evaluated'; readonly found: string; readonly reason?: string }

/** Compares the rows and names of a case, and the names and types that the embedded engine infers, with the reference's. */
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

/** The difference from the reference, as text; null where the two agree. */
async function difference(each: FiledCase, reference: Reference, engine: EmbeddedEngine): Promise<string | null> {
  let result: ReferenceResult
  try {
    result = await reference.evaluate(each.reference ?? each.sql, each.parameters)
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

/** The columns that the embedded engine infers; undefined when it refuses the query, which the test of the case checks. */
async function inferredColumns(each: FiledCase, engine: EmbeddedEngine): Promise<readonly ResultColumn[] | undefined> {
  try {
    return (await engine.query(each.sql, each.parameters)).columns
  } catch (error) {
    if (error instanceof QueryFault) return undefined
    throw error
  }
}

/** The first wrong column, as text. A column that the reference does not name may have any name. */
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
