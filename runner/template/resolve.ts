/** Resolves a name in braces: to a constant, a field of a lookup table, or whether an argument was given. */
import type { NamePath, TemplateProblem } from './node.js'
import type { Origin } from './program.js'
import type { Constant } from './word.js'

/** The names that the manifest declares. */
export interface TemplateNames {
  readonly parameters: ReadonlySet<string>
  /** Parameters whose argument may be absent; for all others `given` is always true. */
  readonly optional: ReadonlySet<string>
  /** Lookup table → its fields. */
  readonly lookups: ReadonlyMap<string, ReadonlySet<string>>
  readonly constants: ReadonlyMap<string, Constant>
}

export type Binding =
  /** `name`: the member of `constants` that the value comes from. */
  | { readonly kind: 'constant'; readonly value: Constant; readonly name?: string }
  | { readonly kind: 'field'; readonly lookup: string; readonly field: string }

export type Meaning = Binding | { readonly kind: 'given'; readonly parameter: string }
export type Resolved = Meaning | { readonly kind: 'problem'; readonly problem: TemplateProblem }

/** How a name is used: written into the text, tested by `#if`, or iterated by `#each`. */
export type Use = 'text' | 'condition' | 'list'

/** The names of one scope: the entry of a loop, or the arguments of a partial. */
export interface Frame {
  readonly origin: Origin
  /** The value of `this`; absent outside loops. */
  readonly self?: Constant
  readonly own: ReadonlyMap<string, Binding>
  /** The fields that at least one entry of the loop has: in a condition, an entry that lacks one counts as false. */
  readonly fields: ReadonlySet<string>
  readonly data?: { readonly index: number; readonly first: boolean; readonly last: boolean }
  /** True in a branch that is never taken: there, a field that this entry lacks is not a mistake. */
  readonly isDiscarded: boolean
  /** The enclosing scope; null at the top level of a manifest or partial. */
  readonly parent: Frame | null
}

/** Resolves a name; `use` is how it is used. */
export function resolve(path: NamePath, frame: Frame, names: TemplateNames, use: Use): Resolved {
  if (path.isData) return resolveData(path, frame, names)
  let scope: Frame = frame
  for (let i = 0; i < path.up; i++) {
    if (scope.parent === null) return wrong(path, `"${path.written}" leads out of the template`)
    scope = scope.parent
  }
  if (path.parts.length === 0) {
    if (scope.self === undefined) return wrong(path, '"this" means something only inside "#each"')
    return { kind: 'constant', value: scope.self }
  }
  const [first, ...rest] = path.parts as [string, ...string[]]
  for (let at: Frame | null = scope; at !== null; at = path.isOwn ? null : at.parent) {
    const binding = at.own.get(first)
    if (binding) return follow(binding, rest, path)
    if (at.fields.has(first)) return missingField(first, path, at, use === 'condition' || frame.isDiscarded)
  }
  return path.isOwn ? unknown(path, scope.own.keys()) : resolveGlobal(first, rest, path, scope, names, use)
}

interface Wrong {
  /** @default template/unknown-name */
  readonly rule?: TemplateProblem['rule']
  /** The words that may be meant. */
  readonly among?: Iterable<string>
}

function wrong({ parts, written, offset }: NamePath, message: string, { rule, among }: Wrong = {}): Resolved {
  const near = among && { near: { word: parts.at(-1) ?? written, among: [...among] } }
  return { kind: 'problem', problem: { rule: rule ?? 'template/unknown-name', offset, message, ...near } }
}

/** The first part of the path is unknown; the rest may be right. */
function unknown(
  path: NamePath,
  among: Iterable<string>,
  more: Pick<TemplateProblem, 'otherwise' | 'table'> = {},
): Resolved {
  const rest = path.parts.slice(1)
  const near = { word: path.parts.join('.'), among: [...among].map(name => [name, ...rest].join('.')) }
  const message = `unknown name "${path.written}"`
  return { kind: 'problem', problem: { rule: 'template/unknown-name', offset: path.offset, message, near, ...more } }
}

function resolveData(path: NamePath, frame: Frame, names: TemplateNames): Resolved {
  const name = path.parts.join('.')
  if (names.parameters.has(name) || name === 'now') {
    return wrong(path, `arguments are not read in braces: write @${name} alone`, { rule: 'template/argument-in-text' })
  }
  if (path.up === 0 && frame.data && Object.hasOwn(frame.data, name)) {
    return { kind: 'constant', value: frame.data[name as keyof typeof frame.data] }
  }
  const message = `unknown name "${path.written}"; only @index, @first and @last exist, inside "#each"`
  return wrong(path, message)
}

/** Follows the names of a path after the first. */
function follow(binding: Binding, rest: readonly string[], path: NamePath): Resolved {
  let value: Resolved = binding
  for (const part of rest) {
    if (value.kind !== 'constant' || typeof value.value !== 'object' || Array.isArray(value.value)) {
      const message = `unknown name "${path.written}": what stands before ".${part}" has no fields`
      return wrong(path, message)
    }
    const map = value.value as Readonly<Record<string, Constant>>
    if (!Object.hasOwn(map, part)) return unknown(path, Object.keys(map))
    value = { ...value, value: map[part]! }
  }
  return value
}

function missingField(name: string, path: NamePath, frame: Frame, isFalse: boolean): Resolved {
  if (isFalse) return { kind: 'constant', value: false }
  const message = `entry ${(frame.data?.index ?? 0) + 1} of the list has no "${name}", which other entries have`
  return wrong(path, message)
}

function resolveGlobal(
  first: string,
  rest: readonly string[],
  path: NamePath,
  scope: Frame,
  names: TemplateNames,
  use: Use,
): Resolved {
  if (first === 'given') return resolveGiven(rest, path, names, use)
  if (first === 'constants') {
    const [name, ...fields] = rest
    if (name === undefined)
      return wrong(path, '"constants" alone has no value; write constants.<name>', { rule: 'template/not-a-word' })
    const value = names.constants.get(name)
    if (value === undefined) return wrong(path, `unknown constant "${name}"`, { among: names.constants.keys() })
    return follow({ kind: 'constant', value, name }, fields, path)
  }
  const fields = names.lookups.get(first)
  if (fields && rest.length > 0) {
    const [field, ...more] = rest as [string, ...string[]]
    if (more.length > 0 || !fields.has(field)) {
      const message = `lookup table "${first}" has no field "${rest.join('.')}"; it has ${[...fields].join(', ')}`
      return wrong(path, message, { among: fields })
    }
    return { kind: 'field', lookup: first, field }
  }
  if (names.parameters.has(first)) {
    const isAsked = use === 'condition'
    const inText = `"${first}" is a parameter, and arguments never enter SQL text: write @${first}`
    const asked = `"${first}" is a parameter; ask whether it was given with {{#if given.${first}}}`
    return wrong(path, isAsked ? asked : inText, { rule: 'template/argument-in-text' })
  }
  if (fields) {
    const message = `"${first}" is a lookup table; write one of its fields: ${[...fields].join(', ')}`
    return wrong(path, message, { rule: 'template/not-a-word' })
  }
  const among = [...scope.own.keys(), ...names.lookups.keys(), 'given', 'constants']
  const { partial } = scope.origin
  if (partial === null || rest.length > 0) return unknown(path, among, insteadOf(first, rest, names, use))
  const message = `unknown name "${first}": where the partial is included, {{> ${partial} ${first}=…}} would give it`
  return wrong(path, message, { among })
}

/** What to write where no name is near. */
function insteadOf(
  first: string,
  rest: readonly string[],
  { lookups }: TemplateNames,
  use: Use,
): Pick<TemplateProblem, 'otherwise' | 'table'> {
  const field = rest.at(-1)
  if (field !== undefined) {
    const table = [...lookups].find(([, fields]) => fields.has(field))?.[0]
    return table === undefined
      ? {}
      : { otherwise: `write {{${table}.${field}}} for a field of the lookup table`, table }
  }
  if (use === 'condition') return { otherwise: `to ask whether an argument was given, write {{#if given.${first}}}` }
  return { otherwise: `an argument is written @${first}, without braces` }
}

function resolveGiven(rest: readonly string[], path: NamePath, names: TemplateNames, use: Use): Resolved {
  const name = rest.join('.')
  if (!names.parameters.has(name))
    return wrong(path, `"given.${name}": no parameter is named "${name}"`, { among: names.parameters })
  if (use !== 'condition') {
    const message = `"given.${name}" can only be asked about with {{#if}} or {{#unless}}; the argument itself is @${name}`
    return wrong(path, message, { rule: 'template/argument-in-text' })
  }
  return { kind: 'given', parameter: name }
}
