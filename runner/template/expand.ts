/** Expands constants, loops and partials once, when the manifest loads, and reports every name that is not defined. */
import { nearest } from '../model/suggest.js'
import type { NamePath, ParsedTemplate, PartialArgument, TemplateNode, TemplateProblem } from './node.js'
import type { Origin, Piece } from './program.js'
import { type Binding, type Frame, type Meaning, resolve, type TemplateNames, type Use } from './resolve.js'
import { isTruthy, type Word, type WordMap, wordProblem, wordText } from './word.js'

/** BigQuery's limit on the length of a query; it also stops partials that include each other from growing without end. */
const MAX_TEXT_LENGTH = 1_048_576
const MAX_STEPS = 100_000

const NOTHING: Binding = { kind: 'constant', value: false }

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

/** Expands the manifest's own template. `partials` gives a partial by name, parsed. */
export function expandTemplate(
  nodes: readonly TemplateNode[],
  names: TemplateNames,
  partials: { find(name: string): ParsedTemplate | undefined; names(): readonly string[] },
): Expansion {
  const problems = new Map<string, PlacedProblem>()
  const used = { given: new Set<string>(), lookups: new Set<string>(), constants: new Set<string>() }
  const included = new Set<string>()
  const root: Origin = { partial: null, includedAt: null }
  let [textLength, steps, isExhausted] = [0, 0, false]

  const report = (origin: Origin, problem: TemplateProblem): void => {
    // The body of a loop would report the same mistake once for each entry.
    const key = `${origin.partial ?? ''}\0${problem.offset}\0${problem.rule}\0${problem.message}`
    if (!problems.has(key)) problems.set(key, { ...problem, origin })
  }

  const isOverBudget = (length: number, origin: Origin, offset: number): boolean => {
    textLength += length
    steps++
    if (!isExhausted && (textLength > MAX_TEXT_LENGTH || steps > MAX_STEPS)) {
      isExhausted = true
      const message = 'the SQL grows beyond 1 MB when loops and partials are written out'
      report(origin, { rule: 'template/too-large', offset, message })
    }
    return isExhausted
  }

  const expandAll = (list: readonly TemplateNode[], frame: Frame): Piece[] => list.flatMap(node => expand(node, frame))

  const expand = (node: TemplateNode, frame: Frame): Piece[] => {
    const offset = 'offset' in node ? node.offset : node.path.offset
    if (isOverBudget(node.kind === 'text' ? node.text.length : 1, frame.origin, offset)) return []
    switch (node.kind) {
      case 'text':
        return [{ kind: 'text', text: node.text, place: { origin: frame.origin, offset }, isVerbatim: true }]
      case 'value':
        return expandValue(node, frame)
      case 'if':
        return expandIf(node, frame)
      case 'each':
        return expandEach(node, frame)
      case 'partial':
        return expandPartial(node, frame)
      default:
        return node satisfies never
    }
  }

  const find = (path: NamePath, frame: Frame, use: Use): Meaning | null => {
    const found = resolve(path, frame, names, use)
    if (found.kind === 'problem') {
      report(frame.origin, found.problem)
      return null
    }
    if (found.kind === 'given') used.given.add(found.parameter)
    else if (found.kind === 'field') used.lookups.add(found.lookup)
    else if (found.kind === 'constant' && found.name !== undefined) used.constants.add(found.name)
    return found
  }

  const expandValue = (node: TemplateNode & { kind: 'value' }, frame: Frame): Piece[] => {
    const found = find(node.path, frame, 'text')
    const place = { origin: frame.origin, offset: node.offset }
    if (found?.kind === 'field') return [{ kind: 'field', lookup: found.lookup, field: found.field, place }]
    if (found?.kind !== 'constant') return []
    if (typeof found.value === 'object') {
      const message = `"${node.path.written}" is a ${Array.isArray(found.value) ? 'list' : 'map'}; only a single word or number can be written`
      report(frame.origin, { rule: 'template/not-a-word', offset: node.path.offset, message })
      return []
    }
    return [{ kind: 'text', text: wordText(found.value as Word), place, isVerbatim: false }]
  }

  const expandIf = (node: TemplateNode & { kind: 'if' }, frame: Frame): Piece[] => {
    const found = find(node.path, frame, 'condition')
    if (found === null) {
      expandAll([...node.whenTrue, ...node.whenFalse], { ...frame, isDiscarded: true })
      return []
    }
    const [yes, no] = node.isNegated ? [node.whenFalse, node.whenTrue] : [node.whenTrue, node.whenFalse]
    const isSettled = found.kind !== 'field' && !(found.kind === 'given' && names.optional.has(found.parameter))
    if (!isSettled) {
      const place = { origin: frame.origin, offset: node.path.offset }
      return [
        { kind: 'when', condition: found, place, whenTrue: expandAll(yes, frame), whenFalse: expandAll(no, frame) },
      ]
    }
    const holds = found.kind === 'given' || (found.kind === 'constant' && isTruthy(found.value))
    // The branch that is not taken is expanded too, so that its mistakes are reported.
    expandAll(holds ? no : yes, { ...frame, isDiscarded: true })
    return expandAll(holds ? yes : no, frame)
  }

  const expandEach = (node: TemplateNode & { kind: 'each' }, frame: Frame): Piece[] => {
    const found = find(node.path, frame, 'list')
    if (found === null) return []
    if (found.kind !== 'constant' || !Array.isArray(found.value)) {
      const message = `"${node.path.written}" is not a list; "#each" goes through a list of constants`
      report(frame.origin, { rule: 'template/not-a-list', offset: node.path.offset, message })
      return []
    }
    const list = found.value as readonly (Word | WordMap)[]
    if (list.length === 0) return expandAll(node.whenFalse, frame)
    const fields = new Set(list.flatMap(entry => (typeof entry === 'object' ? Object.keys(entry) : [])))
    return list.flatMap((entry, index) => {
      const data = { index, first: index === 0, last: index === list.length - 1 }
      return expandAll(node.body, { ...frame, self: entry, own: bindingsOf(entry), fields, data, parent: frame })
    })
  }

  const expandPartial = (node: TemplateNode & { kind: 'partial' }, frame: Frame): Piece[] => {
    const partial = partials.find(node.name)
    if (partial === undefined) {
      const message = `unknown partial "${node.name}"; expected endpoints/partials/${node.name}.sql`
      const near = { word: node.name, among: partials.names() }
      report(frame.origin, { rule: 'template/unknown-partial', offset: node.offset, message, near })
      return []
    }
    for (let origin: Origin | undefined = frame.origin; origin !== undefined; origin = origin.includedAt?.origin) {
      if (origin.partial !== node.name) continue
      report(frame.origin, {
        rule: 'template/recursion',
        offset: node.offset,
        message: `the partial "${node.name}" includes itself`,
      })
      return []
    }
    included.add(node.name)
    const own = new Map<string, Binding>()
    const misspelt = misspeltArguments(node.arguments, partial.nodes)
    for (const { name, offset, meant } of misspelt) {
      const message = `the partial "${node.name}" reads no "${name}"`
      report(frame.origin, { rule: 'template/unknown-name', offset, message, near: { word: name, among: [meant] } })
      own.set(meant, NOTHING)
    }
    // An argument that could not be read was reported already; its name still counts as defined.
    for (const argument of node.arguments) own.set(argument.name, argumentValue(argument, frame) ?? NOTHING)
    const origin: Origin = { partial: node.name, includedAt: { origin: frame.origin, offset: node.offset } }
    return expandAll(partial.nodes, { origin, own, fields: new Set(), isDiscarded: frame.isDiscarded, parent: null })
  }

  const argumentValue = (argument: PartialArgument, frame: Frame): Binding | null => {
    const { value } = argument
    if (!('literal' in value)) {
      const found = find(value, frame, 'text')
      return found?.kind === 'field' || found?.kind === 'constant' ? found : null
    }
    const wrong = wordProblem(value.literal)
    if (wrong === null) return { kind: 'constant', value: value.literal }
    const message = `${JSON.stringify(value.literal)} ${wrong}`
    report(frame.origin, { rule: 'template/not-a-word', offset: value.offset, message })
    return null
  }

  const pieces = expandAll(nodes, { origin: root, own: new Map(), fields: new Set(), isDiscarded: false, parent: null })
  return { pieces, problems: [...problems.values()], used, partials: included }
}

/** Arguments that the partial does not read, each with a similar name that it reads and is not given. */
function misspeltArguments(
  given: readonly PartialArgument[],
  nodes: readonly TemplateNode[],
): readonly (PartialArgument & { readonly meant: string })[] {
  const read = firstNames(nodes)
  const names = new Set(given.map(({ name }) => name))
  const unread = given.filter(({ name }) => !read.has(name))
  return unread.flatMap(argument => {
    const meant = nearest(
      argument.name,
      [...read].filter(name => !names.has(name)),
    )
    return meant === undefined ? [] : [{ ...argument, meant }]
  })
}

/** The first parts of all names that a template reads. */
function firstNames(nodes: readonly TemplateNode[]): ReadonlySet<string> {
  const paths = (node: TemplateNode): readonly NamePath[] => {
    switch (node.kind) {
      case 'text':
        return []
      case 'value':
        return [node.path]
      case 'if':
        return [node.path, ...node.whenTrue.flatMap(paths), ...node.whenFalse.flatMap(paths)]
      case 'each':
        return [node.path, ...node.body.flatMap(paths), ...node.whenFalse.flatMap(paths)]
      case 'partial':
        return node.arguments.flatMap(({ value }) => ('literal' in value ? [] : [value]))
      default:
        return node satisfies never
    }
  }
  return new Set(nodes.flatMap(paths).flatMap(({ parts, isData }) => (isData ? [] : parts.slice(0, 1))))
}

function bindingsOf(entry: Word | WordMap): ReadonlyMap<string, Binding> {
  const fields = typeof entry === 'object' ? Object.entries(entry) : []
  return new Map(fields.map(([name, value]) => [name, { kind: 'constant', value }]))
}
