/** Values that are simpler than a given value of the same type, for the shrinker. */
import type { ScalarKind, Type } from '../../googlesql/types/types.js'
import type { Value } from './literals.js'

const SIMPLEST: Readonly<Record<ScalarKind, readonly Value[]>> = {
  INT64: ['1', '0', '2', '-1'],
  FLOAT64: [1, 0, 1.5, -1],
  NUMERIC: ['1', '0', '0.5'],
  BIGNUMERIC: ['1', '0', '0.5'],
  BOOL: [true, false],
  STRING: ['a', '', 'b'],
  BYTES: ['YQ==', ''],
  DATE: ['2024-01-01', '2024-02-29'],
  DATETIME: ['2024-01-01T00:00:00'],
  TIME: ['00:00:00', '12:34:56'],
  TIMESTAMP: ['2024-01-01T00:00:00Z'],
  INTERVAL: ['0-0 1 0:0:0', '0-0 0 1:0:0'],
  'RANGE<DATE>': ['[2024-01-01, 2024-02-29)', '[UNBOUNDED, UNBOUNDED)'],
  'RANGE<DATETIME>': ['[2024-01-01T00:00:00, UNBOUNDED)'],
  'RANGE<TIMESTAMP>': ['[2024-01-01T00:00:00Z, UNBOUNDED)'],
  JSON: ['1', '{"a":1}', 'null'],
}

/** The simplest values of a type, NULL first. */
export function simplestValues(type: Type): readonly Value[] {
  if (type.kind === 'ARRAY') return [null, [], simplestValues(type.element).slice(1, 2), [null]]
  if (type.kind === 'STRUCT') {
    return [null, type.fields.map(field => simplestValues(field.type)[1]), type.fields.map(() => null)]
  }
  return [null, ...SIMPLEST[type.kind]]
}

/** Values that are simpler than this one, the simplest first. */
export function simplerValues(value: Value, type: Type): readonly Value[] {
  if (value === null) return []
  const simplest = simplestValues(type)
  const at = simplest.findIndex(other => JSON.stringify(other) === JSON.stringify(value))
  return [...(at >= 0 ? simplest.slice(0, at) : simplest), ...(at >= 0 ? [] : shorter(value, type))]
}

function shorter(value: Value, type: Type): readonly Value[] {
  switch (type.kind) {
    case 'ARRAY': {
      const items = value as Value[]
      const without = items.map((_, i) => items.filter((_, j) => j !== i))
      return [...without, ...eachSimpler(items, () => type.element)]
    }
    case 'STRUCT':
      return eachSimpler(value as Value[], i => type.fields[i]!.type)
    case 'STRING': {
      const chars = [...String(value)]
      const half = Math.ceil(chars.length / 2)
      const cuts = [chars.slice(0, half), chars.slice(half), ...chars.map((_, i) => chars.filter((_, j) => j !== i))]
      return chars.length > 1 && chars.length < 60 ? cuts.map(cut => cut.join('')) : []
    }
    case 'BYTES': {
      const bytes = Buffer.from(String(value), 'base64')
      return [...bytes.keys()].map(i => Buffer.from(bytes.filter((_, j) => j !== i)).toString('base64'))
    }
    case 'INT64': {
      const number = BigInt(String(value))
      return number < 0n ? [String(-number), String(number / 10n)] : number > 10n ? [String(number / 10n), '10'] : []
    }
    case 'FLOAT64': {
      const number = Number(value)
      if (!Number.isFinite(number)) return []
      const rounded = [1, 2, 4, 8].map(digits => Number(number.toPrecision(digits)))
      return [Math.trunc(number), ...rounded, Math.abs(number)].filter(other => isShorter(other, number))
    }
    case 'NUMERIC':
    case 'BIGNUMERIC': {
      const text = String(value)
      return [text.split('.')[0]!, text.slice(0, -1), text.replace('-', '')].filter(
        other => other !== text && /^-?\d+(\.\d+)?$/.test(other),
      )
    }
    case 'DATETIME':
    case 'TIMESTAMP':
    case 'TIME': {
      const text = String(value)
      const cuts = [text.replace(/\d\d:\d\d:\d\d(\.\d+)?/, '00:00:00'), text.replace(/\.\d+/, '')]
      return cuts.filter(other => other !== text)
    }
    case 'JSON':
      return ['{"a":1}', '[1]', '"a"', '1'].filter(other => other.length < String(value).length)
    default:
      return []
  }
}

const isShorter = (other: number, number: number): boolean =>
  !Object.is(other, number) && String(other).length < String(number).length

function eachSimpler(items: readonly Value[], typeAt: (i: number) => Type): readonly Value[] {
  return items.flatMap((item, i) =>
    simplerValues(item, typeAt(i)).map(simpler => items.map((other, j) => (i === j ? simpler : other))),
  )
}
