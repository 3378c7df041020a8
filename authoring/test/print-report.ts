/** What `sluice test` prints, in each of its formats. */

import type { Io } from '../terminal/io.js'
import { annotation, reportDiagnostics } from '../terminal/report.js'
import { failureLines, isBelowMinimum, isFailed, placeOf, type Report, repeatCommand, summary } from './case-report.js'
import type { Coverage, UncoveredPart } from './coverage.js'
import { junitText } from './junit.js'

export type TestFormat = 'text' | 'junit' | 'github' | 'json'

export const reporterOf: Readonly<Record<TestFormat, (report: Report, io: Io) => void>> = {
  text: reportText,
  junit: (report, io) => io.print(junitText(report)),
  github: reportGithub,
  json: (report, io) => io.print(`${JSON.stringify(reportJson(report), null, 2)}\n`),
}

function reportText(report: Report, io: Io): void {
  reportDiagnostics(report.diagnostics, 'text', io)
  for (const result of report.results.filter(isFailed)) {
    const { file, line, column } = placeOf(result)
    const lines = [...failureLines(result.failures), `repeat: ${repeatCommand(result, report.flags)}`]
    io.print(`${file}:${line}:${column}: ${result.test.name}\n${lines.map(line => `  ${line}\n`).join('')}\n`)
  }
  for (const file of report.updated) io.print(`updated ${file}\n`)
  if (report.coverage) io.print(coverageText(report.coverage))
  io.print(`${summary(report)}\n`)
}

function reportGithub(report: Report, io: Io): void {
  reportDiagnostics(report.diagnostics, 'github', io)
  for (const result of report.results) {
    for (const failure of result.failures) {
      const message = [...failureLines([failure]), repeatCommand(result, report.flags)].join('\n')
      io.print(`${annotation({ ...placeOf(result, failure), rule: result.test.name, severity: 'error', message })}\n`)
    }
  }
  const severity = isBelowMinimum(report) ? 'error' : 'notice'
  for (const { file, uncovered } of report.coverage?.endpoints ?? []) {
    for (const part of uncovered) {
      const place = part.place ?? { file, line: 1, column: 1 }
      io.print(`${annotation({ ...place, rule: 'coverage', severity, message: uncoveredText(part) })}\n`)
    }
  }
  io.printError(`${summary(report)}\n`)
}

function reportJson(report: Report): object {
  const { results, diagnostics, skipped, coverage, updated, durationMs } = report
  const failed = results.filter(isFailed).length
  return {
    passed: results.length - failed,
    failed,
    skipped,
    milliseconds: Math.round(durationMs),
    tests: results.map(result => ({
      ...placeOf(result),
      endpoint: result.loadedEndpoint.endpoint.name,
      name: result.test.name,
      passed: result.failures.length === 0,
      milliseconds: Math.round(result.durationMs * 10) / 10,
      failures: result.failures.map(failure => ({
        expectation: failure.key,
        line: placeOf(result, failure).line,
        message: failure.message,
        diff: failure.lines,
      })),
      repeat: repeatCommand(result, report.flags),
    })),
    diagnostics,
    ...(updated.length > 0 && { updated }),
    ...(coverage && { coverage }),
  }
}

const uncoveredText = ({ kind, what }: UncoveredPart): string => `no test runs this ${kind}: ${what}`

function coverageText({ endpoints, percent }: Coverage): string {
  const lines = endpoints.flatMap(({ endpoint, file, covered, total, uncovered }) => [
    `${endpoint}: ${covered} of ${total}`,
    ...uncovered.map(part => {
      const { place } = part
      return `  ${place === null ? file : `${place.file}:${place.line}:${place.column}`}: ${uncoveredText(part)}`
    }),
  ])
  return `${[...lines, `coverage ${percent} %`].join('\n')}\n`
}
