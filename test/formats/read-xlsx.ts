/** Reads a workbook with SheetJS into the texts that CSV would have, so that they become typed values in the same way. */
import { read, utils } from '@e965/xlsx'
import type { Type } from '../../googlesql/index.js'

type Cell = { readonly t: string; readonly v: string | number | boolean } | undefined

/** The cells below the header, and null for a missing one. */
export function readXlsx(file: Uint8Array, types: readonly Type[]): readonly (readonly (string | null)[])[] {
  const { Sheets, SheetNames } = read(file, { dense: false })
  const sheet = Sheets[SheetNames[0]!]!
  const { e: last } = utils.decode_range(sheet['!ref']!)
  return Array.from({ length: last.r }, (_, i) =>
    types.map((type, c) => textOf(sheet[utils.encode_cell({ r: i + 1, c })] as Cell, type)),
  )
}

function textOf(cell: Cell, { kind }: Type): string | null {
  if (cell === undefined) return null
  if (cell.t !== 'n') return String(cell.v)
  const number = Number(cell.v)
  switch (kind) {
    case 'DATE':
      return timeOf(number).slice(0, 10)
    case 'TIME':
      return timeOf(25_569 + number).slice(11)
    case 'DATETIME':
      return timeOf(number)
    case 'TIMESTAMP':
      return `${timeOf(number)}Z`
    case 'FLOAT64':
      return Object.is(number, -0) ? '-0' : String(number)
    default:
      return decimalText(number)
  }
}

/** Excel's days as `2026-01-31T12:34:56.123456`. */
function timeOf(serial: number): string {
  const day = Math.floor(serial)
  const micros = Math.round((serial - day) * 86_400_000_000)
  const seconds = new Date((day - 25_569) * 86_400_000 + Math.floor(micros / 1_000_000) * 1_000)
  return `${seconds.toISOString().slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}`
}

/** The digits of a double of at most 15 of them, without an exponent. */
function decimalText(number: number): string {
  const [, sign, first, more = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(number.toExponential())!
  const [digits, point] = [first! + more, Number(exponent) + 1]
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  const padded = digits.padEnd(point, '0')
  return `${sign}${padded.slice(0, point)}${padded.length > point ? `.${padded.slice(point)}` : ''}`
}
