/** Compares the settings of an endpoint, with their defaults filled in. */

import type { Endpoint } from '../../runner/model/endpoint.js'
import type { Pages as PageSettings } from '../../runner/model/manifest.js'
import { equalValues } from '../test/files/equal-values.js'
import type { ChangeKind, Report } from './change-rules.js'
import { show } from './show.js'

export function diffSettings(base: Endpoint, head: Endpoint, report: Report): void {
  const names = [...new Set([...Object.keys(base.settings), ...Object.keys(head.settings)])]
  for (const name of names) {
    const [before, after] = [base.settings[name], head.settings[name]]
    if (equalValues(before, after)) continue
    if (name === 'export' && equalValues(base.export, head.export)) continue
    const kind = name === 'export' ? exportKind(base, head) : kindOf(name, before, after, base)
    report(kind, `${name} is ${show(after)}; it was ${show(before)}`)
  }
}

function exportKind({ export: before }: Endpoint, { export: after }: Endpoint): ChangeKind {
  if (before === null) return 'setting/export-widened'
  const isNarrower = after === null || after.maxRows < before.maxRows || after.timeoutMs < before.timeoutMs
  return isNarrower ? 'setting/export-narrowed' : 'setting/export-widened'
}

function kindOf(name: string, before: unknown, after: unknown, { columns }: Endpoint): ChangeKind {
  if (name === 'max_rows')
    return Number(after) < Number(before) ? 'setting/max-rows-lowered' : 'setting/max-rows-raised'
  if (name === 'pages') return kindOfPages(before as PageSettings | undefined, after as PageSettings | undefined)
  if (name === 'unknown_arguments') return `setting/arguments-${after === 'reject' ? 'rejected' : 'ignored'}`
  if (name === 'cache' || name === 'labels') return `setting/${name}`
  const isTime = name === 'timestamps' && columns.some(({ type }) => /\bTIMESTAMP\b/.test(type))
  return isTime ? 'setting/timestamps' : 'setting/changed'
}

function kindOfPages(before: PageSettings | undefined, after: PageSettings | undefined): ChangeKind {
  if (!before) return 'setting/pages-added'
  if (!after) return 'setting/pages-removed'
  if (before.max_size === after.max_size) return 'setting/changed'
  return after.max_size! < before.max_size! ? 'setting/page-size-lowered' : 'setting/page-size-raised'
}
