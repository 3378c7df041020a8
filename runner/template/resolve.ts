/** Resolves a name in braces: to a constant, a field of a lookup table, or whether an argument was given. */
import { didYouMean } from '../model/suggest.js'
import type { NamePath, TemplateHint, TemplateProblem, TemplateRule } from './node.js'
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

export type Target = Binding | { readonly kind: 'given'; readonly parameter: string }
export type Outcome = Target | { readonly kind: 'problem'; readonly problem: TemplateProblem }

/** How a name is used: written into the text, tested by `#if`, or iterated by `#each`. */
export type Use = 'text' | 'condition' | 'list'

/** The names of one scope: the entry of a loop, or the arguments of a partial. */
export interface Frame {
  readonly origin: Origin
  /** The value of `this`; absent outside loops. */
  readonly self?: Constant
  readonly names: ReadonlyMap<string, Binding>
  /** The fields that at least one entry of the loop has. A field that this entry lacks is false in a condition. */
  readonly fields: ReadonlySet<string>
  readonly data?: { readonly index: number; readonly first: boolean; readonly last: boolean }
  /** True in a branch that is never taken: there, a field that this entry lacks is not a mistake. */
  readonly isDiscarded: boolean
  /** The enclosing scope; null at the top level of a manifest or partial. */
  readonly parent: Frame | null
}

/** Resolves one name. */
export class Resolver {
  readonly #path: NamePath
  readonly #names: TemplateNames
  readonly #isCondition: boolean

  constructor(path: NamePath, names: TemplateNames, use: Use) {
    this.#path = path
    this.#names = names
    this.#isCondition = use === 'condition'
  }

  resolve(frame: Frame): Outcome {
    const { isData, isOwn, up, parts, written } = this.#path
    if (isData) return this.#resolveData(frame)
    let scope: Frame = frame
    for (let i = 0; i < up; i++) {
      if (scope.parent === null) return this.#fail(`"${written}" leads out of the template`)
      scope = scope.parent
    }
    if (parts.length === 0) {
      if (scope.self === undefined) return this.#fail('"this" means something only inside "#each"')
      return { kind: 'constant', value: scope.self }
    }
    const [first, ...rest] = parts as [string, ...string[]]
    for (let outer: Frame | null = scope; outer !== null; outer = isOwn ? null : outer.parent) {
      const binding = outer.names.get(first)
      if (binding) return this.#follow(binding, rest)
      if (!outer.fields.has(first)) continue
      if (this.#isCondition || frame.isDiscarded) return { kind: 'constant', value: false }
      return this.#fail(`entry ${(outer.data?.index ?? 0) + 1} of the list has no "${first}", which other entries have`)
    }
    return isOwn ? this.#unknownName(scope.names.keys()) : this.#resolveGlobal(first, rest, scope)
  }

  #fail(message: string, rule: TemplateRule = 'template/unknown-name', more: TemplateHint = { hint: '' }): Outcome {
    return { kind: 'problem', problem: { rule, offset: this.#path.offset, message, more } }
  }

  /** The problem of a word that is not one of these: the message proposes the nearest. */
  #notOneOf(among: Iterable<string>, message: string, word = this.#path.parts.at(-1) ?? this.#path.written): Outcome {
    return this.#fail(message, 'template/unknown-name', didYouMean(word, among))
  }

  /** The first part of the path is unknown; the rest may be right. */
  #unknownName(among: Iterable<string>, otherwise?: TemplateHint): Outcome {
    const { parts, written } = this.#path
    const names = [...among].map(name => [name, ...parts.slice(1)].join('.'))
    const proposal = didYouMean(parts.join('.'), names)
    const more = proposal.meant === undefined ? otherwise : proposal
    return this.#fail(`unknown name "${written}"`, 'template/unknown-name', more)
  }

  #resolveData({ data }: Frame): Outcome {
    const { parts, up, written } = this.#path
    const name = parts.join('.')
    if (this.#names.parameters.has(name) || name === 'now') {
      return this.#fail(`arguments are not read in braces: write @${name} alone`, 'template/argument-in-text')
    }
    if (up === 0 && data && Object.hasOwn(data, name)) {
      return { kind: 'constant', value: data[name as keyof typeof data] }
    }
    return this.#fail(`unknown name "${written}"; only @index, @first and @last exist, inside "#each"`)
  }

  /** Follows the names of a path after the first. */
  #follow(binding: Binding, rest: readonly string[]): Outcome {
    let value: Outcome = binding
    for (const part of rest) {
      if (value.kind !== 'constant' || typeof value.value !== 'object' || Array.isArray(value.value)) {
        return this.#fail(`unknown name "${this.#path.written}": what stands before ".${part}" has no fields`)
      }
      const map = value.value as Readonly<Record<string, Constant>>
      if (!Object.hasOwn(map, part))
        return this.#notOneOf(Object.keys(map), `unknown name "${this.#path.written}"`, part)
      value = { ...value, value: map[part]! }
    }
    return value
  }

  #resolveGlobal(first: string, rest: readonly string[], scope: Frame): Outcome {
    const { constants, lookups, parameters } = this.#names
    if (first === 'given') return this.#resolveGiven(rest.join('.'))
    if (first === 'constants') {
      const [name, ...fields] = rest
      if (name === undefined) {
        return this.#fail('"constants" alone has no value; write constants.<name>', 'template/not-a-word')
      }
      const value = constants.get(name)
      if (value === undefined) return this.#notOneOf(constants.keys(), `unknown constant "${name}"`)
      return this.#follow({ kind: 'constant', value, name }, fields)
    }
    const fields = lookups.get(first)
    const fieldList = [...(fields ?? [])].join(', ')
    if (fields && rest.length > 0) {
      const field = rest.join('.')
      if (fields.has(field)) return { kind: 'field', lookup: first, field }
      return this.#notOneOf(fields, `lookup table "${first}" has no field "${field}"; it has ${fieldList}`)
    }
    if (parameters.has(first)) {
      const inText = `"${first}" is a parameter, and arguments never enter SQL text: write @${first}`
      const inCondition = `"${first}" is a parameter; ask whether it was given with {{#if given.${first}}}`
      return this.#fail(this.#isCondition ? inCondition : inText, 'template/argument-in-text')
    }
    if (fields) {
      return this.#fail(`"${first}" is a lookup table; write one of its fields: ${fieldList}`, 'template/not-a-word')
    }
    const among = [...scope.names.keys(), ...lookups.keys(), 'given', 'constants']
    const { partial } = scope.origin
    if (partial === null || rest.length > 0) return this.#unknownName(among, this.#insteadOf(first, rest.at(-1)))
    const how = `where the partial is included, {{> ${partial} ${first}=…}} would give it`
    return this.#notOneOf(among, `unknown name "${first}": ${how}`)
  }

  /** What to write where no name is near. */
  #insteadOf(first: string, field: string | undefined): TemplateHint {
    if (field !== undefined) {
      const table = [...this.#names.lookups].find(([, fields]) => fields.has(field))?.[0]
      return table ? { hint: `; write {{${table}.${field}}} for a field of the lookup table`, table } : { hint: '' }
    }
    const inCondition = `to ask whether an argument was given, write {{#if given.${first}}}`
    return { hint: `; ${this.#isCondition ? inCondition : `an argument is written @${first}, without braces`}` }
  }

  #resolveGiven(name: string): Outcome {
    const { parameters } = this.#names
    if (!parameters.has(name)) return this.#notOneOf(parameters, `"given.${name}": no parameter is named "${name}"`)
    if (this.#isCondition) return { kind: 'given', parameter: name }
    const message = `"given.${name}" can only be asked about with {{#if}} or {{#unless}}; the argument itself is @${name}`
    return this.#fail(message, 'template/argument-in-text')
  }
}
