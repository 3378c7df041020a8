/** A function of Google Apps Script that writes the result into the active sheet. */
import { addressOf, requestFormat } from './address.js'
import { javascriptText } from './literals.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const SHEETS: ConnectTool = { name: 'sheets', title: 'Google Sheets', language: 'javascript', write }

function write(call: ConnectCall): string {
  const { query, headers } = requestFormat(call, 'csv')
  const extraHeaders = headers.map(([name, value]) => `, ${javascriptText(name)}: ${javascriptText(value)}`).join('')
  return [
    '// Extensions, Apps Script. Put the token into the script property SLUICE_TOKEN (Project Settings), and run the function,',
    '// or let a trigger run it. Google must reach the server.',
    'function refreshFromSluice() {',
    "  const token = PropertiesService.getScriptProperties().getProperty('SLUICE_TOKEN')",
    `  const response = UrlFetchApp.fetch(${javascriptText(addressOf(call, query))}, {`,
    `    headers: { 'X-API-KEY': token${extraHeaders} },`,
    '  })',
    '  const rows = Utilities.parseCsv(response.getContentText())',
    '  // A text that begins like a formula stays a text.',
    '  const safe = cell => (/^[=+\\-@\\t\\r]/.test(cell) && isNaN(cell) ? "\'" + cell : cell)',
    '  const sheet = SpreadsheetApp.getActiveSheet()',
    '  sheet.clearContents()',
    '  sheet.getRange(1, 1, rows.length, rows[0].length).setValues(rows.map(row => row.map(safe)))',
    '}',
    '',
  ].join('\n')
}
