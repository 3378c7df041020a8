/**
 * The text of the program that runs inside the sandbox. From a definition (JavaScriptDefinition) it creates a function that
 * takes the JSON text of the arguments of many calls, and returns the JSON text of their results. Each result is a text or
 * null.
 *
 * Values are passed as BigQuery passes them: BYTES in base64, DATE and TIMESTAMP as Date, STRUCT as an object. A NUMERIC is a number if it
 * is a whole number that a double holds, and otherwise a text. Where the result of QuickJS would differ from that of V8, BigQuery's
 * runtime, the call fails: this affects functions that depend on a locale, and the microseconds of a TIMESTAMP.
 */
export const PRELUDE = String.raw`
(definitionText => {
  'use strict'
  // The function's code may replace built-in functions such as JSON.parse; the prelude keeps the original ones.
  const { parse, stringify } = JSON
  const { apply } = Reflect
  const { parameters, returns, body } = parse(definitionText)

  const refuse = (prototype, methods) => {
    for (const method of methods) {
      const value = () => { throw new TypeError(method + ' is not supported by the embedded engine') }
      Object.defineProperty(prototype, method, { value, configurable: true })
    }
  }
  const dates = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']
  refuse(Date.prototype, dates)
  refuse(Number.prototype, ['toLocaleString'])
  refuse(BigInt.prototype, ['toLocaleString'])
  refuse(Array.prototype, ['toLocaleString'])
  refuse(String.prototype, ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase'])
  delete globalThis.performance
  const { toString, toTimeString } = Date.prototype
  const withZone = method => function () {
    const text = method.call(this)
    return text === 'Invalid Date' ? text : text + ' (Coordinated Universal Time)'
  }
  Date.prototype.toString = withZone(toString)
  Date.prototype.toTimeString = withZone(toTimeString)

  const timestamp = text => {
    const date = new Date(Date.parse(text.slice(0, 19) + 'Z') + Number((text.slice(20, -1) + '000').slice(0, 3)))
    const get = () => { throw new TypeError('microsecond of a TIMESTAMP is not supported by the embedded engine') }
    return Object.defineProperty(date, 'microsecond', { get })
  }
  /** The function that decodes the JSON values of a type; null where they need no decoding. */
  const decoderOf = type => {
    const decode = plainDecoderOf(type)
    return decode && (value => (value === null ? null : decode(value)))
  }
  const plainDecoderOf = ({ kind, element, fields }) => {
    if (kind === 'FLOAT64') return Number
    if (kind === 'DATE') return value => new Date(value)
    if (kind === 'TIMESTAMP') return timestamp
    if (kind === 'ARRAY') {
      const decode = decoderOf(element)
      return decode && (value => value.map(decode))
    }
    if (kind !== 'STRUCT') return null
    const decoders = fields.map(({ name, type }) => ({ name, decode: decoderOf(type) })).filter(({ decode }) => decode)
    if (decoders.length === 0) return null
    return value => {
      for (const { name, decode } of decoders) value[name] = decode(value[name])
      return value
    }
  }

  const displayText = value => {
    let text
    try { text = typeof value === 'bigint' ? String(value) : stringify(value) } catch {}
    text ??= String(value)
    return text.length > 100 ? text.slice(0, 100) + '…' : text
  }
  const typeName = type => {
    if (type.kind === 'ARRAY') return 'ARRAY<' + typeName(type.element) + '>'
    if (type.kind !== 'STRUCT') return type.kind
    return 'STRUCT<' + type.fields.map(field => field.name + ' ' + typeName(field.type)).join(', ') + '>'
  }
  class CoercionError extends Error {}
  const fail = (value, type) => {
    throw new CoercionError('Failed to coerce output value ' + displayText(value) + ' to type ' + typeName(type))
  }
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
  const DAY = /^\d{4}-\d{2}-\d{2}$/
  const isDate = value => value instanceof Date && !Number.isNaN(value.getTime())
  const isInYears = value => value.getUTCFullYear() >= 1 && value.getUTCFullYear() <= 9999
  const decimal = (value, type) => {
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
    return typeof value === 'string' && NUMBER.test(value) ? value : fail(value, type)
  }
  const ENCODERS = {
    STRING: (value, type) => (typeof value === 'symbol' ? fail(value, type) : String(value).toWellFormed()),
    BOOL: (value, type) => (typeof value === 'boolean' ? String(value) : fail(value, type)),
    INT64: (value, type) => {
      const isWhole = typeof value === 'bigint' || Number.isInteger(value) || (typeof value === 'string' && /^[+-]?\d+$/.test(value))
      const whole = isWhole ? BigInt(value) : fail(value, type)
      return BigInt.asIntN(64, whole) === whole ? String(whole) : fail(value, type)
    },
    FLOAT64: (value, type) => {
      if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
      return typeof value === 'string' && NUMBER.test(value) ? value : fail(value, type)
    },
    NUMERIC: decimal,
    BIGNUMERIC: decimal,
    BYTES: (value, type) => (typeof value === 'string' ? bytesText(value) : null) ?? fail(value, type),
    DATE: (value, type) => {
      if (isDate(value) && isInYears(value)) return value.toISOString().slice(0, 10)
      const isDay = typeof value === 'string' && DAY.test(value) && isDate(new Date(value))
      return isDay && new Date(value).toISOString().startsWith(value) ? value : fail(value, type)
    },
    TIMESTAMP: (value, type) => (isDate(value) && isInYears(value) ? value.toISOString() : fail(value, type)),
    JSON: (value, type) => stringify(value)?.toWellFormed() ?? fail(value, type),
    ARRAY: (value, type) => (Array.isArray(value) ? value.map(item => encode(item, type.element)) : fail(value, type)),
    STRUCT: (value, type) => {
      if (typeof value !== 'object') return fail(value, type)
      return Object.fromEntries(type.fields.map(field => [field.name, encode(value[field.name], field.type)]))
    },
  }
  const encode = (value, type) => (value === null || value === undefined ? null : ENCODERS[type.kind](value, type))

  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  /** The text that DuckDB casts to these bytes; null where the text is not base64. */
  const bytesText = text => {
    const digits = text.replace(/={1,2}$/, '')
    if (digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits)) return null
    const bits = digits.replace(/./g, digit => DIGITS.indexOf(digit).toString(2).padStart(6, '0'))
    const bytes = bits.match(/.{8}/g) ?? []
    return bytes.map(byte => '\\x' + parseInt(byte, 2).toString(16).padStart(2, '0').toUpperCase()).join('')
  }

  const compiled = new Function(...parameters.map(parameter => parameter.name), body)
  const decoders = parameters.map(({ type }, i) => ({ i, decode: decoderOf(type) })).filter(({ decode }) => decode)
  const encodeResult = ENCODERS[returns.kind]
  const isNested = returns.kind === 'ARRAY' || returns.kind === 'STRUCT'
  const resultOf = args => {
    for (const { i, decode } of decoders) args[i] = decode(args[i])
    const value = apply(compiled, undefined, args)
    if (value === null || value === undefined) return null
    const encoded = encodeResult(value, returns)
    return isNested ? stringify(encoded) : encoded
  }
  return callsText => stringify(parse(callsText).map(resultOf))
})
`
