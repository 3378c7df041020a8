/**
 * Chooses the type of a column from the facts about its values, and reports which values made the type wider and which choices
 * are in doubt.
 */
import type { SchemaField } from '../../../googlesql/index.js'
import { excerptOf } from '../../../runner/engines/duckdb/tables/rows/bad-row.js'
import { isLikeValue, needsBackticks, whyNoColumn } from './column-name.js'
import type { Inference } from './inferred-table.js'
import type { Sample, ValueFacts } from './value-facts.js'
import { epochUnit, isValueOf, type ValueKind } from './value-kinds.js'

interface ChoiceContext extends Inference {
  /** The paths, in lower case, of columns and fields that become JSON. A path is removed when its column is found. */
  readonly asJson: Set<string>
  /** The keys that cannot name a column. */
  readonly leftOut: string[]
}

/** The fields of a record, from the facts about its objects. */
export function chooseFields(record: ValueFacts, within: string, into: ChoiceContext): readonly SchemaField[] {
  const objects = record.kinds.get('object')?.count ?? 0
  return [...record.fields].flatMap(([name, facts]) => {
    const path = within === '' ? name : `${within}.${name}`
    const doubt = (message: string): void => void into.doubts.push({ path, message })
    const reason = whyNoColumn(facts.key)
    if (reason !== null) {
      into.leftOut.push(facts.key)
      into.doubts.push({ path: `"${excerptOf(facts.key)}"`, message: `is left out: ${reason}` })
      return []
    }
    if (facts.renaming !== null) doubt(facts.renaming)
    if (needsBackticks(name)) doubt(`is a name that SQL needs in backticks: \`${name}\``)
    const index = into.columns.length
    leaveOutEmpty(facts)
    const { nested, ...field } = chooseField(name, path, facts, into)
    const fields = nested === null ? null : chooseFields(nested, path, into)
    const whole = fields === null ? field : { ...field, fields }
    if (facts.padded !== null)
      doubt(`has spaces around ${quote(facts.padded)}, which belong to the text: remove them from the file`)
    const example = [...facts.kinds.values()][0]?.first.text ?? null
    into.columns.splice(index, 0, { path, field: whole, nulls: objects - facts.count, example })
    return [whole]
  })
}

/** A field; for a RECORD also the facts about its fields. */
type ChosenField = SchemaField & { readonly nested: ValueFacts | null }

function chooseField(name: string, path: string, facts: ValueFacts, into: ChoiceContext): ChosenField {
  const doubt = (message: string): void => void into.doubts.push({ path, message })
  if (into.asJson.delete(path.toLowerCase())) return { name, type: 'JSON', mode: 'NULLABLE', nested: null }
  const list = facts.kinds.get('list')
  if (list !== undefined && facts.kinds.size === 1) {
    const { element } = facts
    if (element.kinds.has('list')) {
      doubt(
        `has lists within lists (${quote(element.kinds.get('list')!.first)}), which BigQuery does not allow: JSON keeps them`,
      )
      return { name, type: 'JSON', mode: 'NULLABLE', nested: null }
    }
    if (facts.nullElement !== null) {
      doubt(
        `has a list with null in it (${place(facts.nullElement)}): an array in BigQuery cannot hold NULL, and import refuses such a row`,
      )
    }
    if (element.count === 0) doubt('has only empty lists: STRING is a guess for their elements')
    const type = element.count === 0 ? 'STRING' : chooseType(element, doubt)
    return { name, type, mode: 'REPEATED', nested: type === 'RECORD' ? element : null }
  }
  if (facts.count === 0) doubt('is null in every row: STRING is a guess')
  const type = facts.count === 0 ? 'STRING' : chooseType(facts, doubt)
  return { name, type, mode: 'NULLABLE', nested: type === 'RECORD' ? facts : null }
}

const TIMES: readonly ValueKind[] = ['time', 'local-time', 'date']
const NUMBERS: readonly ValueKind[] = ['integer', 'large-integer', 'wide-integer', 'huge-number', 'number', 'decimal']

function chooseType(facts: ValueFacts, doubt: (message: string) => void): string {
  const { kinds } = facts
  const hasOnly = (...allowed: readonly ValueKind[]): boolean => [...kinds.keys()].every(kind => allowed.includes(kind))
  if (kinds.has('object') || kinds.has('list')) return chooseNested(facts, doubt)
  if (hasOnly('bool')) return 'BOOLEAN'
  if (hasOnly('integer')) {
    doubtEpoch(facts, 'INTEGER', doubt)
    return 'INTEGER'
  }
  if (hasOnly('integer', 'large-integer')) {
    doubt(`is NUMERIC, since ${quote(kinds.get('large-integer')!.first)} is beyond INT64`)
    return 'NUMERIC'
  }
  if (hasOnly('integer', 'large-integer', 'wide-integer')) {
    doubt(`is BIGNUMERIC, since ${quote(kinds.get('wide-integer')!.first)} is beyond NUMERIC`)
    return 'BIGNUMERIC'
  }
  if (hasOnly('integer', 'large-integer', 'decimal')) return 'NUMERIC'
  if (kinds.has('number') && hasOnly('integer', 'number', 'decimal')) {
    if (facts.rounded !== null) {
      const keeping = 'NUMERIC keeps up to 29 digits and 9 decimals, BIGNUMERIC 38 and 38'
      doubt(`is FLOAT, which rounds ${quote(facts.rounded)}; ${keeping}`)
    }
    const { first } = kinds.get('number')!
    if (/^\d+E\d+$/.test(first.text))
      doubt(`is FLOAT, which reads ${quote(first)} as ${Number(first.text)}: STRING, if it is a code and no number`)
    doubtEpoch(facts, 'FLOAT', doubt)
    return 'FLOAT'
  }
  if (hasOnly(...NUMBERS)) {
    const wide = kinds.get('huge-number') ?? kinds.get('wide-integer') ?? kinds.get('large-integer')!
    doubt(`is STRING, since no type of numbers keeps ${quote(wide.first)}`)
    return 'STRING'
  }
  if (hasOnly(...TIMES)) return chooseTime(facts, doubt)
  doubtText(facts, doubt)
  return 'STRING'
}

/** Leaves out CSV's empty cells in quotes (`""`), which are NULL for every type but STRING and BYTES. */
function leaveOutEmpty(facts: ValueFacts): void {
  const { kinds } = facts
  const empty = kinds.get('empty')
  const hasOnly = (allowed: readonly ValueKind[]): boolean =>
    [...kinds.keys()].every(kind => kind === 'empty' || allowed.includes(kind))
  if (!empty || kinds.size === 1 || ![NUMBERS, TIMES, ['bool'] as const].some(hasOnly)) return
  kinds.delete('empty')
  facts.count -= empty.count
}

function chooseNested({ kinds, fields, hasTooManyFields }: ValueFacts, doubt: (message: string) => void): string {
  if (kinds.size > 1) {
    const [first, second] = [...kinds.values()]
    doubt(`is JSON, since ${quote(first!.first)} and ${quote(second!.first)} have no type in common`)
    return 'JSON'
  }
  if (hasTooManyFields) {
    doubt('is JSON: its objects have too many keys or levels for a RECORD; its keys may be values')
    return 'JSON'
  }
  const keys = [...fields.values()].map(({ key }) => key)
  const value = keys.find(isLikeValue)
  if (value !== undefined) {
    doubt(`is JSON: its key ${JSON.stringify(value)} looks like a value`)
    return 'JSON'
  }
  const unusable = keys.find(key => whyNoColumn(key) !== null)
  if (keys.length > 0 && unusable === undefined) return 'RECORD'
  const why =
    unusable === undefined ? 'its objects are empty' : `its key "${excerptOf(unusable)}" cannot be the name of a field`
  doubt(`is JSON: ${why}`)
  return 'JSON'
}

function chooseTime(facts: ValueFacts, doubt: (message: string) => void): string {
  const { kinds, fineTime } = facts
  if (kinds.size === 1 && kinds.has('date')) return 'DATE'
  const date = kinds.get('date')
  if (date) doubt(`is TIMESTAMP, and has dates without a time (${quote(date.first)}), which count as midnight in UTC`)
  const local = kinds.get('local-time')
  if (local) {
    const which = local.count === facts.count ? 'without an offset' : `partly without an offset (${quote(local.first)})`
    const civil = isValueOf('DATETIME', local.first.text) ? '; DATETIME is for times without a zone' : ''
    doubt(`is TIMESTAMP, and its times are ${which}: they count as UTC${civil}`)
  }
  if (fineTime) doubt(`has digits beyond microseconds (${quote(fineTime)}), which are cut`)
  return 'TIMESTAMP'
}

/** What to do about a blank, or a word for NULL. */
const leaveEmpty = ({ text }: Sample): string =>
  `where a value is missing, leave the cell empty${text.trim() === '' ? '' : `, or in CSV give --null '${text}'`}`

/** Kinds of texts: one text of such a kind is enough to show that the column should probably have another type. */
const TELLING: readonly (readonly [ValueKind, (quoted: string, text: string) => string])[] = [
  ['thousands', quoted => `${quoted} has commas between thousands: without them it would be a number`],
  [
    'spaced-thousands',
    (quoted, text) =>
      `${quoted} has ${text.includes(' ') ? 'spaces' : 'no-break spaces'} between thousands: without them${text.includes(',') ? ', and in CSV with --decimal-comma,' : ''} it would be a number`,
  ],
  [
    'decimal-comma',
    (quoted, text) =>
      /,\d{3}$/.test(text)
        ? `${quoted} has a comma, between thousands or before decimals: without it, or in CSV with --decimal-comma, it would be a number`
        : `${quoted} has a decimal comma: with a point, 1234.50, or in CSV with --decimal-comma, it would be a number`,
  ],
  ['day-first', quoted => `${quoted} has the day first: as 2026-01-31 it would be a DATE`],
  ['month-first', quoted => `${quoted} has the month first: as 2026-01-31 it would be a DATE`],
  ['worded-date', quoted => `${quoted} has its month in words: as 2026-01-31 it would be a DATE`],
  ['local-date', quoted => `${quoted} may have the day or the month first: as 2026-01-31 it would be a DATE`],
]

/** Reports which other type a STRING column may have, or which value made it a STRING. */
function doubtText(facts: ValueFacts, doubt: (message: string) => void): void {
  const { kinds, count } = facts
  const sumOf = (set: readonly ValueKind[]): number => set.reduce((n, kind) => n + (kinds.get(kind)?.count ?? 0), 0)
  const isAll = (...set: readonly ValueKind[]): boolean => sumOf(set) === count
  const leadingZero = kinds.get('leading-zero')
  const misfit = (set: readonly ValueKind[]): Sample => [...kinds].find(([kind]) => !set.includes(kind))![1].first
  const isMixed = kinds.has('day-first') && kinds.has('month-first')
  const telling = TELLING.find(([kind]) => kinds.has(kind) && !(isMixed && kind.endsWith('-first')))
  const missing = kinds.get('null-word') ?? kinds.get('blank')
  const misfitText = (allowed: readonly ValueKind[]): string => {
    const sample = misfit(allowed)
    return sample === missing?.first ? `${quote(sample)}: ${leaveEmpty(sample)}` : quote(sample)
  }
  const isMisfit = [NUMBERS, ['bool'] as const, TIMES].some(set => sumOf(set) > 0 && missing?.first === misfit(set))
  if (missing && (telling || !isMisfit))
    doubt(`has ${quote(missing.first)}, which stays a text: ${leaveEmpty(missing.first)}`)
  if (telling) {
    const { first } = kinds.get(telling[0])!
    doubt(`is STRING, since ${telling[1](quote(first), first.text)}`)
    return
  }
  if (isAll('digits')) {
    const unit = epochUnit(facts.min, facts.max)
    const time = unit === null ? '' : `, or TIMESTAMP, since it looks like ${unit.name} since 1970`
    doubt(`is STRING, and every value is digits in quotes: INTEGER, if it is a number${time}`)
  } else if (isAll('digits', 'decimal-text')) {
    doubt('is STRING, and every value is a number in quotes: NUMERIC, if it is one')
  } else if (isAll('bool-text')) {
    doubt('is STRING, and every value is true or false in quotes: BOOLEAN, if it is one')
  } else if (leadingZero && isAll('integer', 'number', 'digits', 'decimal-text', 'leading-zero')) {
    doubt(`is STRING, since ${quote(leadingZero.first)} begins with a zero, which a number would lose`)
  } else if (sumOf(NUMBERS) > 0) {
    doubt(`is STRING, since beside numbers it has ${misfitText(NUMBERS)}`)
  } else if (kinds.has('bool')) {
    doubt(`is STRING, since beside true and false it has ${misfitText(['bool'])}`)
  } else if (sumOf(TIMES) > 0) {
    doubt(`is STRING, since beside ${sumOf(TIMES) === sumOf(['date']) ? 'dates' : 'times'} it has ${misfitText(TIMES)}`)
  }
}

function doubtEpoch({ min, max }: ValueFacts, type: string, doubt: (message: string) => void): void {
  const unit = epochUnit(min, max)
  if (unit === null) return
  const time = new Date(Math.floor(min / unit.perSecond) * 1000).toISOString().replace('.000Z', 'Z')
  const remedy =
    unit.name === 'nanoseconds'
      ? 'in SQL, TIMESTAMP_MICROS(DIV(…, 1000)) makes a TIMESTAMP of it'
      : 'TIMESTAMP, if it is a time'
  doubt(`is ${type}, and looks like ${unit.name} since 1970 (the least is ${time}): ${remedy}`)
}

const place = ({ file, line }: Sample): string => `${file}:${line}`
const quote = (sample: Sample): string => `"${sample.text}" in ${place(sample)}`
