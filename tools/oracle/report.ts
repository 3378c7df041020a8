/** The report on the cases: which agree with the reference implementation, and which do not. */
import type { FiledCase } from '../../test/googlesql/case-files.js'
import type { Verdict } from './judge.js'

export interface Judged {
  readonly each: FiledCase
  readonly verdict: Verdict
}

/** The report in Markdown, without a date, so that it changes only when the cases or the reference change. */
export function reportText(judged: readonly Judged[], version: string): string {
  const files = [...new Set(judged.map(({ each }) => each.file))]
  const of = (file: string | null, ...kinds: Verdict['kind'][]): readonly Judged[] =>
    judged.filter(({ each, verdict }) => (file === null || each.file === file) && kinds.includes(verdict.kind))
  const row = (name: string, file: string | null): string =>
    `| ${name} | ${judged.filter(({ each }) => file === null || each.file === file).length} | ` +
    `${of(file, 'agrees').length} | ${of(file, 'differs').length} | ${of(file, 'not-evaluated').length} |`
  return [
    '# The cases and the reference implementation',
    '',
    `Written by \`make oracle\`: every case of this folder, evaluated by Google's reference implementation of GoogleSQL`,
    `(ZetaSQL, as in npm @fivetrandevelopers/zetasql ${version}): its rows, the names and types of its columns, or that it is`,
    'rejected. The time zone is UTC, the tables are those of `tables/`. FLOAT64 values may differ by a factor of 1e-12.',
    '',
    '| Cases | all | agree | differ | not evaluated |',
    '| --- | ---: | ---: | ---: | ---: |',
    row('**all**', null),
    ...files.map(file => row(file, file)),
    '',
    '## Where it differs, and why',
    '',
    ...listed(of(null, 'differs')),
    '',
    '## What it cannot evaluate, why, and where the rows come from',
    '',
    ...listed(of(null, 'not-evaluated')),
    '',
  ].join('\n')
}

/** The cases, grouped by reason. */
function listed(judged: readonly Judged[]): readonly string[] {
  if (judged.length === 0) return ['None.']
  const byReason = new Map<string, Judged[]>()
  for (const one of judged) {
    const reason = reasonOf(one.verdict)
    byReason.set(reason, [...(byReason.get(reason) ?? []), one])
  }
  return [...byReason].flatMap(([reason, group]) => [
    `- ${reason}`,
    ...group.map(({ each }) => `  - ${each.file}: \`${shortened(each.sql)}\``),
  ])
}

function reasonOf(verdict: Verdict): string {
  if (verdict.kind === 'agrees') return ''
  return verdict.reason ?? `**No reason is stated.** ${verdict.found}`
}

function shortened(sql: string): string {
  const line = sql.replace(/\s+/g, ' ').replaceAll('`', "'").trim()
  return line.length <= 110 ? line : `${line.slice(0, 109)}…`
}
