/** RESULTS.md: one section for each part of the benchmarks, updated when that part has run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'

const FILE = 'bench/RESULTS.md'
const TITLE = '# Results\n\nWritten by `make bench`, each section when its part ran last.'

/** The sections, in the order of the file. */
export const SECTIONS = [
  'Over HTTP',
  'At 10 million entries',
  'BigQuery',
  'Other formats of a result',
  'Exports',
  'Pages',
  'Refreshes',
  'The explorer',
  'Planning',
  'Text files',
  'Arithmetic',
  'In the process',
  'Unions of many tables',
  'Random queries',
  'The suite',
] as const
export type Section = (typeof SECTIONS)[number]

/** Replaces the section, or adds it in its place in the order. */
export function writeSection(section: Section, body: string): void {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : ''
  const kept = new Map<string, string>()
  for (const part of text.split(/^## /m).slice(1)) {
    const [heading = '', ...rest] = part.split('\n')
    kept.set(heading.trim(), rest.join('\n').trim())
  }
  const machine = `${process.platform} ${process.arch}, Node ${process.versions.node}`
  kept.set(section, `${machine}; load of the machine at the end: ${loadavg()[0]!.toFixed(1)}.\n\n${body.trim()}`)
  const sections = SECTIONS.filter(name => kept.has(name)).map(name => `## ${name}\n\n${kept.get(name)}`)
  writeFileSync(FILE, `${[TITLE, ...sections].join('\n\n')}\n`)
}
