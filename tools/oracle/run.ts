/**
 * Compares every GoogleSQL case with the reference implementation and writes test/cases/googlesql/ORACLE.md. Exits with 1
 * when a case differs and states no reason. Arguments are names of files of cases; without arguments it compares all of them.
 */
import { writeFileSync } from 'node:fs'
import { openEmbeddedEngine } from '../../runner/index.js'
import { caseFiles, caseTables, embeddedTables, pathOfCases, readCases } from '../../test/googlesql/case-files.js'
import { installReference } from './install.js'
import { judge } from './judge.js'
import { openReference } from './reference.js'
import { type Judged, reportText } from './report.js'

const only = process.argv.slice(2)
const files = caseFiles().filter(file => only.length === 0 || only.some(name => file.includes(name)))
const tables = caseTables()
const reference = await openReference(installReference(), tables)
const engine = await openEmbeddedEngine({ tables: embeddedTables(tables) })
const judged: Judged[] = []
try {
  for (const each of files.flatMap(readCases)) judged.push({ each, verdict: await judge(each, reference, engine) })
} finally {
  await engine.close()
  reference.close()
}

if (only.length === 0) writeFileSync(pathOfCases('ORACLE.md'), reportText(judged, reference.version))
const unexplained = judged.flatMap(({ each, verdict }) =>
  'found' in verdict && verdict.reason === undefined
    ? [`${each.file}:${each.line}: ${verdict.found}\n  ${each.sql}`]
    : [],
)
const agree = judged.filter(({ verdict }) => verdict.kind === 'agrees').length
process.stdout.write([...unexplained, `${agree} of ${judged.length} cases agree with the reference\n`].join('\n'))
process.exitCode = unexplained.length === 0 ? 0 : 1
