/** Handlebars' tree → our nodes. A construct that is not listed here is refused, with its position. */
import type { NamePath, PartialArgument, TemplateNode, TemplateProblem } from './node.js'
import { askWhetherGiven } from './syntax-problem.js'

export interface Reading {
  readonly offsetOf: (position: hbs.AST.Position) => number
  readonly report: (problem: TemplateProblem) => void
}

/** The nodes of a program. Problems go to `reading.report`, and the nodes that have problems are left out. */
export function nodesOf(program: hbs.AST.Program | undefined, reading: Reading): readonly TemplateNode[] {
  return (program?.body ?? []).flatMap(statement => nodeOf(statement, reading) ?? [])
}

function nodeOf(statement: hbs.AST.Statement, reading: Reading): TemplateNode | null {
  switch (statement.type) {
    case 'ContentStatement':
      return textNode(statement as hbs.AST.ContentStatement, reading)
    case 'CommentStatement':
      return null
    case 'MustacheStatement':
      return valueNode(statement as hbs.AST.MustacheStatement, reading)
    case 'BlockStatement':
      return blockNode(statement as hbs.AST.BlockStatement, reading)
    case 'PartialStatement':
      return partialNode(statement as hbs.AST.PartialStatement, reading)
    case 'Decorator':
    case 'DecoratorBlock':
      return refuse(
        statement,
        reading,
        'inline partials and decorators are not supported; put the SQL into endpoints/partials/<name>.sql',
      )
    case 'PartialBlockStatement':
      return refuse(statement, reading, 'partial blocks are not supported; write {{> name}}')
    default:
      return refuse(statement, reading, `${statement.type} is not supported in SQL templates`)
  }
}

function refuse(
  node: hbs.AST.Node,
  reading: Reading,
  message: string,
  rule: TemplateProblem['rule'] = 'template/unsupported',
): null {
  reading.report({ rule, offset: reading.offsetOf(node.loc.start), message })
  return null
}

/** Handlebars' white space control may have cut both ends of the text; finds where the rest begins in the original. */
function textNode(content: hbs.AST.ContentStatement, reading: Reading): TemplateNode | null {
  const { value, loc } = content
  if (value === '') return null
  const original = content.original as unknown as string
  const first = value.search(/\S/)
  const cut = first >= 0 ? original.search(/\S/) - first : blankCut(original, value)
  return { kind: 'text', text: value, offset: reading.offsetOf(loc.start) + cut }
}

/**
 * The same for a text of white space alone, which has no other character to find: a tag on a line of its own took the rest of
 * that line.
 */
function blankCut(original: string, value: string): number {
  const line = /^[ \t]*\r?\n?/.exec(original)![0].length
  if (original.startsWith(value)) return 0
  return original.startsWith(value, line) ? line : original.lastIndexOf(value)
}

const isPath = (node: hbs.AST.Node): node is hbs.AST.PathExpression => node.type === 'PathExpression'

function pathOf(node: hbs.AST.Node, reading: Reading): NamePath | null {
  if (!isPath(node)) {
    const what = node.type === 'SubExpression' ? 'sub-expressions are' : 'literals are'
    return refuse(node, reading, `${what} not supported here; expected a name such as table.field`)
  }
  const isOwn = /^(?:\.\.\/)*(?:this(?:[./]|$)|\.(?:\/|$))/.test(node.original)
  const { depth, data, parts, original } = node
  return {
    up: depth,
    isData: data,
    isOwn,
    parts: [...parts],
    written: original,
    offset: reading.offsetOf(node.loc.start),
  }
}

const BLOCKS = ['if', 'unless', 'each'] as const

function valueNode(tag: hbs.AST.MustacheStatement, reading: Reading): TemplateNode | null {
  if (!tag.escaped) {
    const message =
      'triple braces and "&" are not allowed; write {{table.field}} for a constant and @name for an argument'
    return refuse(tag, reading, message, 'template/triple-braces')
  }
  const path = pathOf(tag.path, reading)
  if (path === null) return null
  if (tag.params.length > 0 || tag.hash !== undefined) return unknownHelper(tag.path, path, reading)
  return { kind: 'value', path, offset: reading.offsetOf(tag.loc.start) }
}

function unknownHelper(node: hbs.AST.Node, path: NamePath, reading: Reading): null {
  const message = (BLOCKS as readonly string[]).includes(path.written)
    ? `"${path.written}" is a block; write {{#${path.written} …}}`
    : `unknown helper "${path.written}"; only #if, #unless and #each exist`
  return refuse(node, reading, message, 'template/unknown-helper')
}

function blockNode(block: hbs.AST.BlockStatement, reading: Reading): TemplateNode | null {
  const helper = block.path.original
  const whenTrue = nodesOf(block.program, reading)
  const whenFalse = nodesOf(block.inverse, reading)
  if (!(BLOCKS as readonly string[]).includes(helper)) {
    const message = helper.startsWith('given.')
      ? askWhetherGiven(helper, block.program === undefined)
      : `unknown block "#${helper}"; only #if, #unless and #each exist`
    return refuse(block.path, reading, message, 'template/unknown-helper')
  }
  const params = block.program?.blockParams ?? block.inverse?.blockParams ?? []
  if (params.length > 0)
    return refuse(block, reading, `block parameters (as |${params.join(' ')}|) are not supported; use this and ../`)
  if (block.hash !== undefined) return refuse(block.hash, reading, `"#${helper}" takes no options`)
  if (block.params.length !== 1) {
    const [first, second] = block.params.map(one =>
      one.type === 'PathExpression' ? (one as hbs.AST.PathExpression).original : null,
    )
    const negated = first === 'not' && second !== undefined && second !== null && block.params.length === 2
    const hint = negated
      ? `; write {{#unless ${second}}} … {{/unless}}`
      : '; for two conditions put one block inside the other'
    const message = `"#${helper}" takes exactly one name, found ${block.params.length}`
    return refuse(block, reading, helper === 'if' && block.params.length > 1 ? message + hint : message)
  }
  const path = pathOf(block.params[0]!, reading)
  if (path === null) return null
  // `{{^if x}}` has only an inverse program: Handlebars has already negated it.
  if (helper === 'each') return { kind: 'each', path, body: whenTrue, whenFalse }
  return { kind: 'if', isNegated: helper === 'unless', path, whenTrue, whenFalse }
}

const PARTIAL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/

function partialNode(tag: hbs.AST.PartialStatement, reading: Reading): TemplateNode | null {
  const name = isPath(tag.name) ? tag.name.original : (tag.name as unknown as { original?: unknown }).original
  if (tag.name.type === 'SubExpression' || !PARTIAL_NAME.test(String(name))) {
    return refuse(tag.name, reading, 'a partial is named by one word, of letters, digits, "_" and "-"')
  }
  if (tag.params.length > 0)
    return refuse(tag.params[0]!, reading, 'a partial takes named values only, such as table="logs.edge"')
  const args: PartialArgument[] = []
  for (const pair of tag.hash?.pairs ?? []) {
    const value = argumentOf(pair.value, reading)
    if (value !== null) args.push({ name: pair.key, value, offset: reading.offsetOf(pair.loc.start) })
  }
  return { kind: 'partial', name: String(name), arguments: args, offset: reading.offsetOf(tag.loc.start) }
}

function argumentOf(node: hbs.AST.Expression, reading: Reading): PartialArgument['value'] | null {
  if (node.type === 'StringLiteral' || node.type === 'NumberLiteral' || node.type === 'BooleanLiteral') {
    const literal = (node as unknown as { value: string | number | boolean }).value
    return { literal, offset: reading.offsetOf(node.loc.start) }
  }
  return pathOf(node, reading)
}
