/** Writes results of tests as JUnit's XML, which CI systems read: each test file is a suite. */

import { failureLines, isFailed, placeOf, type Report, repeatCommand } from './case-report.js'
import type { CaseResult } from './run-case.js'

/** The whole document. Mistakes in files are the errors of one more suite. */
export function junitText(report: Report): string {
  const { results, diagnostics, durationMs } = report
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const failed = results.filter(isFailed).length
  const suites = [...new Set(results.map(({ tests }) => tests))].map(tests =>
    suite(
      tests.file,
      results.filter(result => result.tests === tests),
      report,
    ),
  )
  if (errors.length > 0) suites.push(mistakesSuite(errors))
  const counts = { tests: results.length + errors.length, failures: failed, errors: errors.length }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { ...counts, time: seconds(durationMs) }, suites)}\n`
}

function mistakesSuite(errors: Report['diagnostics']): string {
  const mistakes = errors.map(({ file, line, column, rule, message }) =>
    element('testcase', { name: `${file}:${line}:${column}`, classname: rule, time: '0' }, [
      element('error', { message, type: rule }, [xmlText(`${file}:${line}:${column}: ${message}`)]),
    ]),
  )
  const counts = { tests: errors.length, failures: 0, errors: errors.length }
  return element('testsuite', { name: 'diagnostics', ...counts, time: '0' }, mistakes)
}

function suite(file: string, results: readonly CaseResult[], report: Report): string {
  const failures = results.filter(isFailed).length
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  return element(
    'testsuite',
    { name: file, tests: results.length, failures, errors: 0, time },
    results.map(result => testcase(result, report)),
  )
}

function testcase(result: CaseResult, { flags }: Report): string {
  const { test, loadedEndpoint, failures, durationMs } = result
  const { file, line } = placeOf(result)
  const attributes = { name: test.name, classname: loadedEndpoint.endpoint.name, file, line, time: seconds(durationMs) }
  if (failures.length === 0) return element('testcase', attributes, [])
  const text = [...failureLines(failures), `repeat: ${repeatCommand(result, flags)}`].join('\n')
  const [{ key, message }] = failures as [(typeof failures)[number]]
  return element('testcase', attributes, [element('failure', { message, type: key ?? 'call' }, [xmlText(text)])])
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[],
): string {
  const start = `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${xmlText(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('')}`
  if (children.length === 0) return `${start}/>`
  const isText = children.length === 1 && !children[0]!.startsWith('<')
  return isText ? `${start}>${children[0]}</${name}>` : `${start}>\n${children.join('\n')}\n</${name}>`
}

/** The text escaped; characters that XML 1.0 does not allow become U+FFFD. */
const xmlText = (text: string): string =>
  text
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const seconds = (ms: number): string => (ms / 1000).toFixed(3)
