/** A query of Excel and Power BI, in the language M, with the types of the columns. */
import { argumentPairs, baseUrlOf, type Pair, pathOf, requestFormat } from './address.js'
import { hasUnixTimes, type TypedColumn, typedColumns } from './columns.js'
import { powerQueryName, powerQueryText } from './literals.js'
import type { ConnectCall, ConnectTool } from './tool.js'

export const EXCEL: ConnectTool = { name: 'excel', title: 'Excel, Power BI', language: 'powerquery', write }

function write(call: ConnectCall): string {
  const { query, headers } = requestFormat(call, 'csv')
  const isUnix = hasUnixTimes(call.endpoint)
  const columns = typedColumns(call.endpoint)
  const extraHeaders = headers.map(([name, value]) => `, ${powerQueryName(name)} = ${powerQueryText(value)}`).join('')
  const types = columns.map(column => `        {${powerQueryText(column.name)}, ${typeOf(column, isUnix)}}`)
  return [
    '// SLUICE_TOKEN is a parameter of the workbook (Home, Manage Parameters) that holds the token. When Excel asks how to',
    '// sign in to the server, choose Anonymous: the token is in a header.',
    'let',
    '    Source = Web.Contents(',
    `        ${powerQueryText(baseUrlOf(call))},`,
    '        [',
    `            RelativePath = ${powerQueryText(pathOf(call).slice(1))},`,
    `            Query = ${queryRecord([...argumentPairs(call), ...query])},`,
    `            Headers = [#"X-API-KEY" = SLUICE_TOKEN${extraHeaders}]`,
    '        ]',
    '    ),',
    '    Rows = Csv.Document(Source, [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),',
    '    Named = Table.PromoteHeaders(Rows, [PromoteAllScalars = true]),',
    // In CSV a NULL is nothing between two commas, which M reads as an empty text.
    '    WithNulls = Table.ReplaceValue(Named, "", null, Replacer.ReplaceValue, Table.ColumnNames(Named)),',
    '    Typed = Table.TransformColumnTypes(',
    '        WithNulls,',
    '        {',
    ...types.map((line, i) => `    ${line}${i === types.length - 1 ? '' : ','}`),
    '        },',
    '        "en-US"',
    '    )',
    'in',
    '    Typed',
    '',
  ].join('\n')
}

/** A record of texts, and of lists of texts where a name is repeated. */
function queryRecord(pairs: readonly Pair[]): string {
  const names = [...new Set(pairs.map(([name]) => name))]
  const fields = names.map(name => {
    const values = pairs.filter(([key]) => key === name).map(([, value]) => powerQueryText(value))
    return `${powerQueryName(name)} = ${values.length === 1 ? values[0] : `{${values.join(', ')}}`}`
  })
  return `[${fields.join(', ')}]`
}

/** A BIGNUMERIC, which has too many digits for any number of M, is text, and so are nested values. */
function typeOf({ scalar, json }: TypedColumn, isUnix: boolean): string {
  if (scalar === 'TIMESTAMP') return isUnix ? 'type text' : 'type datetimezone'
  if (scalar === 'INT64') return json === 'string' ? 'type text' : 'Int64.Type'
  return TYPES[scalar ?? ''] ?? 'type text'
}

const TYPES: Readonly<Record<string, string>> = {
  FLOAT64: 'type number',
  NUMERIC: 'type number',
  BOOL: 'type logical',
  DATE: 'type date',
  TIME: 'type time',
  DATETIME: 'type datetime',
}
