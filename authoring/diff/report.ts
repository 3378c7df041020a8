/** What `sluice diff` prints for people and for programs. */

import { type Diagnostic, plainDiagnostic } from '../../runner/model/diagnostic.js'
import { plural } from '../terminal/plural.js'
import { escapeCharacter } from '../terminal/printable.js'
import type { Change, Impact } from './change-rules.js'

export interface Comparison {
  /** The names of the sides. */
  readonly base: string
  readonly head: string
  readonly changes: readonly Change[]
  /** The errors of both sides: endpoints whose manifests have errors are not compared. */
  readonly diagnostics: readonly Diagnostic[]
}

export const isBreaking = ({ changes }: Comparison): boolean => changes.some(({ breaking }) => breaking)

export function jsonText(comparison: Comparison): string {
  const { changes } = comparison
  const diagnostics = comparison.diagnostics.map(plainDiagnostic)
  return `${JSON.stringify({ breaking: isBreaking(comparison), changes, diagnostics }, null, 2)}\n`
}

export const IMPACT_WORDS: Readonly<Record<Impact, string>> = {
  breaking: 'breaking',
  review: 'to look at',
  safe: 'safe',
}

export function plainText(comparison: Comparison): string {
  const lines: string[] = []
  for (const [endpoint, changes] of byEndpoint(comparison.changes)) {
    lines.push(printable(endpoint))
    for (const { impact, kind, detail, lines: more = [] } of changes) {
      lines.push(`  ${IMPACT_WORDS[impact].padEnd(10)}  ${printable(detail)} [${kind}]`)
      lines.push(...more.map(line => `      ${printable(line)}`.trimEnd()))
    }
    lines.push('')
  }
  return `${[...lines, summary(comparison)].join('\n')}\n`
}

/** `2 breaking, 1 to look at, 3 safe changes in 2 endpoints` */
export function summary({ changes, diagnostics }: Comparison): string {
  const counts = (['breaking', 'review', 'safe'] as const).flatMap(impact => {
    const count = changes.filter(change => change.impact === impact).length
    return count === 0 ? [] : [`${count} ${IMPACT_WORDS[impact]}`]
  })
  const endpoints = new Set(changes.map(({ endpoint }) => endpoint)).size
  const all = `${plural(changes.length, 'change')} in ${plural(endpoints, 'endpoint')}`
  const outcome = changes.length === 0 ? 'no changes' : `${counts.join(', ')}: ${all}`
  if (diagnostics.length === 0) return outcome
  return `${outcome}; ${plural(diagnostics.length, 'error')}: manifests with errors are not compared`
}

/** The changes of each endpoint, in the order of `changes`. */
export function byEndpoint(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const groups = new Map<string, Change[]>()
  for (const change of changes) groups.set(change.endpoint, [...(groups.get(change.endpoint) ?? []), change])
  return groups
}

/** Printable text, as for a terminal, but also without characters that have no width: a reviewer must see what is there. */
export const printable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, escapeCharacter)
