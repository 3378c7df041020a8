/** Templates of entries, in the language that templates/sample.yaml explains. */
import { isRecord } from '../../runner/model/is-record.js'
import { type Random, seededRandom, seedOf } from './random.js'

type Scope = Readonly<Record<string, unknown>>

/** Makes the value of a template, from random numbers and the values that have names. */
export type Fill = (random: Random, scope: Scope) => unknown

/** Reads a template once, so that each entry only costs its own values. */
export function readTemplate(template: unknown): Fill {
  if (typeof template === 'string') return readText(template)
  if (Array.isArray(template)) {
    const items = template.map(readTemplate)
    return (random, scope) => items.map(fill => fill(random, scope))
  }
  if (!isRecord(template)) return () => template
  const { $pick: choices, $weighted: pairs, $case: name } = template
  if (choices !== undefined) {
    const fills = (choices as readonly unknown[]).map(readTemplate)
    return (random, scope) => random.pick(fills)(random, scope)
  }
  if (pairs !== undefined) {
    const fills = (pairs as readonly [unknown, number][]).map(
      ([value, weight]) => [readTemplate(value), weight] as const,
    )
    return (random, scope) => random.weighted(fills)(random, scope)
  }
  if (name !== undefined) return readCase(String(name), template)
  const members = Object.entries(template).map(([key, value]) => [key, readTemplate(value)] as const)
  return (random, scope) => {
    const filled: Record<string, unknown> = {}
    for (const [key, fill] of members) {
      const value = fill(random, scope)
      if (key.startsWith('...')) Object.assign(filled, value)
      else filled[key] = value
    }
    return filled
  }
}

function readCase(name: string, template: Readonly<Record<string, unknown>>): Fill {
  const subject = readPath(name)
  const cases = new Map(Object.entries(template).map(([key, value]) => [key, readTemplate(value)]))
  const otherwise = cases.get('else')
  return (random, scope) => (cases.get(String(subject(scope))) ?? otherwise)?.(random, scope)
}

function readText(text: string): Fill {
  // The odd parts are placeholders.
  const parts = text.split(/\{\{(.*?)\}\}/)
  if (parts.length === 3 && parts[0] === '' && parts[2] === '') return readPlaceholder(parts[1]!)
  const fills = parts.map((part, i): Fill => (i % 2 === 1 ? readPlaceholder(part) : () => part))
  return fills.length === 1 ? () => text : (random, scope) => fills.map(fill => fill(random, scope)).join('')
}

function readPlaceholder(text: string): Fill {
  const [word = '', ...words] = text.split(' ')
  const write = FORMS[word]
  if (write !== undefined) {
    const fill = readPlaceholder(words.join(' '))
    return (random, scope) => write(fill(random, scope))
  }
  if (word === 'word') return random => random.pick(words)
  const draw = DRAWS[word]
  if (draw !== undefined) {
    const operands = words.map(operand => (/^\d/.test(operand) ? () => Number(operand) : readPath(operand)))
    return (random, scope) => draw(random, ...operands.map(read => Number(read(scope))))
  }
  const read = readPath(words[0] ?? word)
  if (word === 'pick') return (random, scope) => random.pick(read(scope) as readonly unknown[])
  if (word !== 'by') return (_, scope) => read(scope)
  const fill = readPlaceholder(words.slice(1).join(' '))
  return (_, scope) => fill(seededRandom(seedOf(String(read(scope)), 0)), scope)
}

const FORMS: Readonly<Record<string, (value: unknown) => string>> = {
  text: String,
  json: value => JSON.stringify(value),
  upper: value => String(value).toUpperCase(),
}

const DRAWS: Readonly<Record<string, (random: Random, a?: number, b?: number) => unknown>> = {
  int: (random, low = 0, high = 0) => random.int(low, high),
  hex: (random, digits = 0) => random.hex(digits),
  uuid: random => random.uuid(),
  chance: (random, probability = 0) => random.isTrue(probability),
  skewed: (random, median = 0, spread = 0) => Math.max(1, Math.round(random.skewed(median, spread))),
}

/** Reads `name.member`. @throws TypeError, when an entry is made, for a name that has no value: a mistake in the template. */
function readPath(path: string): (scope: Scope) => unknown {
  const [name = '', ...members] = path.split('.')
  return scope => {
    if (!Object.hasOwn(scope, name)) throw new TypeError(`a template names "${name}", which has no value`)
    let value = scope[name]
    for (const member of members) value = (value as Scope)[member]
    return value
  }
}
