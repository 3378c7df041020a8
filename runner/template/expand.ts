/** Expands constants, loops and partials once, when the manifest loads, and reports every name that is not defined. */
import { didYouMean } from '../model/suggest.js'
import type { NamePath, ParsedTemplate, PartialArgument, TemplateNode, TemplateProblem } from './node.js'
import type { Origin, Piece } from './program.js'
import { type Binding, type Frame, Resolver, type Target, type TemplateNames, type Use } from './resolve.js'
import { isTruthy, type Word, type WordMap, wordProblem, wordText } from './word.js'

/** BigQuery's limit on the length of a query; it also stops partials that include each other from growing without end. */
export const MAX_TEXT_LENGTH = 1_048_576
const MAX_STEPS = 100_000

const NO_VALUE: Binding = { kind: 'constant', value: false }
const OUTERMOST = { names: new Map<string, Binding>(), fields: new Set<string>(), isDiscarded: false, parent: null }

export interface PlacedProblem extends TemplateProblem {
  readonly origin: Origin
}

export interface Expansion {
  readonly pieces: readonly Piece[]
  readonly problems: readonly PlacedProblem[]
  /** Every name that the template uses, in text or in a condition, also in branches that are not taken. */
  readonly used: {
    readonly given: ReadonlySet<string>
    readonly lookups: ReadonlySet<string>
    readonly constants: ReadonlySet<string>
  }
  readonly partials: ReadonlySet<string>
}

/** The partials that templates may include, by name. */
type Partials = ReadonlyMap<string, { readonly template: ParsedTemplate }>

/** Expands the manifest's own template. */
export const expandTemplate = (nodes: readonly TemplateNode[], names: TemplateNames, partials: Partials): Expansion =>
  new Expander(names, partials).expandTemplate(nodes)

class Expander {
  readonly #names: TemplateNames
  readonly #partials: Partials
  readonly #problems = new Map<string, PlacedProblem>()
  readonly #used = { given: new Set<string>(), lookups: new Set<string>(), constants: new Set<string>() }
  readonly #includedPartials = new Set<string>()
  #textLength = 0
  #steps = 0
  #isExhausted = false

  constructor(names: TemplateNames, partials: Partials) {
    this.#names = names
    this.#partials = partials
  }

  expandTemplate(nodes: readonly TemplateNode[]): Expansion {
    const pieces = this.#expandAll(nodes, { ...OUTERMOST, origin: { partial: null, includedAt: null } })
    return { pieces, problems: [...this.#problems.values()], used: this.#used, partials: this.#includedPartials }
  }

  #expandAll(list: readonly TemplateNode[], frame: Frame): Piece[] {
    return list.flatMap(node => this.#expand(node, frame))
  }

  #expand(node: TemplateNode, frame: Frame): Piece[] {
    const offset = 'offset' in node ? node.offset : node.path.offset
    if (this.#isOverBudget(node.kind === 'text' ? node.text.length : 1, frame.origin, offset)) return []
    switch (node.kind) {
      case 'text':
        return [{ kind: 'text', text: node.text, place: { origin: frame.origin, offset }, isVerbatim: true }]
      case 'value':
        return this.#expandValue(node, frame)
      case 'if':
        return this.#expandIf(node, frame)
      case 'each':
        return this.#expandEach(node, frame)
      case 'partial':
        return this.#expandPartial(node, frame)
      default:
        return node satisfies never
    }
  }

  #expandValue(node: TemplateNode & { kind: 'value' }, frame: Frame): Piece[] {
    const target = this.#find(node.path, frame, 'text')
    const place = { origin: frame.origin, offset: node.offset }
    if (target?.kind === 'field') return [{ kind: 'field', lookup: target.lookup, field: target.field, place }]
    if (target?.kind !== 'constant') return []
    if (typeof target.value === 'object') {
      const message = `"${node.path.written}" is a ${Array.isArray(target.value) ? 'list' : 'map'}; only a single word or number can be written`
      this.#report(frame.origin, { rule: 'template/not-a-word', offset: node.path.offset, message })
      return []
    }
    return [{ kind: 'text', text: wordText(target.value as Word), place, isVerbatim: false }]
  }

  #expandIf(node: TemplateNode & { kind: 'if' }, frame: Frame): Piece[] {
    const target = this.#find(node.path, frame, 'condition')
    if (target === null) {
      this.#expandAll([...node.whenTrue, ...node.whenFalse], { ...frame, isDiscarded: true })
      return []
    }
    const [yes, no] = node.isNegated ? [node.whenFalse, node.whenTrue] : [node.whenTrue, node.whenFalse]
    const isSettled =
      target.kind !== 'field' && !(target.kind === 'given' && this.#names.optional.has(target.parameter))
    if (!isSettled) {
      const place = { origin: frame.origin, offset: node.path.offset }
      const [whenTrue, whenFalse] = [this.#expandAll(yes, frame), this.#expandAll(no, frame)]
      return [{ kind: 'when', condition: target, place, whenTrue, whenFalse }]
    }
    const holds = target.kind === 'given' || (target.kind === 'constant' && isTruthy(target.value))
    // The branch that is not taken is expanded too, so that its mistakes are reported.
    this.#expandAll(holds ? no : yes, { ...frame, isDiscarded: true })
    return this.#expandAll(holds ? yes : no, frame)
  }

  #expandEach(node: TemplateNode & { kind: 'each' }, frame: Frame): Piece[] {
    const target = this.#find(node.path, frame, 'list')
    if (target === null) return []
    if (target.kind !== 'constant' || !Array.isArray(target.value)) {
      const message = `"${node.path.written}" is not a list; "#each" goes through a list of constants`
      this.#report(frame.origin, { rule: 'template/not-a-list', offset: node.path.offset, message })
      return []
    }
    const list = target.value as readonly (Word | WordMap)[]
    if (list.length === 0) return this.#expandAll(node.whenFalse, frame)
    const fields = new Set(list.flatMap(entry => (typeof entry === 'object' ? Object.keys(entry) : [])))
    return list.flatMap((entry, index) => {
      const data = { index, first: index === 0, last: index === list.length - 1 }
      return this.#expandAll(node.body, { ...frame, self: entry, names: namesOf(entry), fields, data, parent: frame })
    })
  }

  #expandPartial(node: TemplateNode & { kind: 'partial' }, frame: Frame): Piece[] {
    const partial = this.#partials.get(node.name)?.template
    if (partial === undefined) {
      const message = `unknown partial "${node.name}"; expected endpoints/partials/${node.name}.sql`
      const more = didYouMean(node.name, this.#partials.keys())
      this.#report(frame.origin, { rule: 'template/unknown-partial', offset: node.offset, message, more })
      return []
    }
    for (let origin: Origin | undefined = frame.origin; origin !== undefined; origin = origin.includedAt?.origin) {
      if (origin.partial !== node.name) continue
      const message = `the partial "${node.name}" includes itself`
      this.#report(frame.origin, { rule: 'template/recursion', offset: node.offset, message })
      return []
    }
    this.#includedPartials.add(node.name)
    const names = new Map<string, Binding>()
    const namesRead = firstNames(partial.nodes)
    const argumentNames = new Set(node.arguments.map(({ name }) => name))
    for (const { name, offset } of node.arguments.filter(argument => !namesRead.has(argument.name))) {
      const unsetNames = [...namesRead].filter(word => !argumentNames.has(word))
      const more = didYouMean(name, unsetNames)
      if (more.meant === undefined) continue
      const message = `the partial "${node.name}" reads no "${name}"`
      this.#report(frame.origin, { rule: 'template/unknown-name', offset, message, more })
      names.set(more.meant, NO_VALUE)
    }
    // An argument that could not be read was reported already; its name still counts as defined.
    for (const argument of node.arguments) names.set(argument.name, this.#argumentValue(argument, frame) ?? NO_VALUE)
    const origin: Origin = { partial: node.name, includedAt: { origin: frame.origin, offset: node.offset } }
    return this.#expandAll(partial.nodes, { ...OUTERMOST, origin, names, isDiscarded: frame.isDiscarded })
  }

  #argumentValue(argument: PartialArgument, frame: Frame): Binding | null {
    const { value } = argument
    if (!('literal' in value)) {
      const target = this.#find(value, frame, 'text')
      return target?.kind === 'field' || target?.kind === 'constant' ? target : null
    }
    const problem = wordProblem(value.literal)
    if (problem === null) return { kind: 'constant', value: value.literal }
    const message = `${JSON.stringify(value.literal)} ${problem}`
    this.#report(frame.origin, { rule: 'template/not-a-word', offset: value.offset, message })
    return null
  }

  #find(path: NamePath, frame: Frame, use: Use): Target | null {
    const target = new Resolver(path, this.#names, use).resolve(frame)
    if (target.kind === 'problem') {
      this.#report(frame.origin, target.problem)
      return null
    }
    if (target.kind === 'given') this.#used.given.add(target.parameter)
    else if (target.kind === 'field') this.#used.lookups.add(target.lookup)
    else if (target.kind === 'constant' && target.name !== undefined) this.#used.constants.add(target.name)
    return target
  }

  #isOverBudget(length: number, origin: Origin, offset: number): boolean {
    this.#textLength += length
    this.#steps++
    if (!this.#isExhausted && (this.#textLength > MAX_TEXT_LENGTH || this.#steps > MAX_STEPS)) {
      this.#isExhausted = true
      const message = 'the SQL grows beyond 1 MB when loops and partials are written out'
      this.#report(origin, { rule: 'template/too-large', offset, message })
    }
    return this.#isExhausted
  }

  #report(origin: Origin, problem: TemplateProblem): void {
    // The body of a loop would report the same mistake once for each entry.
    const key = `${origin.partial ?? ''}\0${problem.offset}\0${problem.rule}\0${problem.message}`
    if (!this.#problems.has(key)) this.#problems.set(key, { ...problem, origin })
  }
}

/** The first parts of all names that a template reads. */
function firstNames(nodes: readonly TemplateNode[]): ReadonlySet<string> {
  const paths = (node: TemplateNode): readonly NamePath[] => {
    if (node.kind === 'text') return []
    if (node.kind === 'value') return [node.path]
    if (node.kind === 'partial') return node.arguments.flatMap(({ value }) => ('literal' in value ? [] : [value]))
    const whenTrue = node.kind === 'if' ? node.whenTrue : node.body
    return [node.path, ...[...whenTrue, ...node.whenFalse].flatMap(paths)]
  }
  return new Set(nodes.flatMap(paths).flatMap(({ parts, isData }) => (isData ? [] : parts.slice(0, 1))))
}

function namesOf(entry: Word | WordMap): ReadonlyMap<string, Binding> {
  const fields = typeof entry === 'object' ? Object.entries(entry) : []
  return new Map(fields.map(([name, value]) => [name, { kind: 'constant', value }]))
}
