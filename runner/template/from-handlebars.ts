/** Handlebars' tree → our nodes. A construct that is not listed here is refused, with its position. */
import type { NamePath, PartialArgument, TemplateNode, TemplateProblem } from './node.js'

const BLOCKS: readonly string[] = ['if', 'unless', 'each']
const PARTIAL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/

/** Reads the nodes of one template. Those that have problems are left out. */
export class NodeReader {
  readonly problems: TemplateProblem[] = []
  readonly #offsetOf: (position: hbs.AST.Position) => number

  constructor(offsetOf: (position: hbs.AST.Position) => number) {
    this.#offsetOf = offsetOf
  }

  nodesOf(program: hbs.AST.Program | undefined): readonly TemplateNode[] {
    return (program?.body ?? []).flatMap(statement => this.#nodeOf(statement) ?? [])
  }

  #nodeOf(statement: hbs.AST.Statement): TemplateNode | null {
    switch (statement.type) {
      case 'ContentStatement':
        return this.#text(statement as hbs.AST.ContentStatement)
      case 'CommentStatement':
        return null
      case 'MustacheStatement':
        return this.#value(statement as hbs.AST.MustacheStatement)
      case 'BlockStatement':
        return this.#block(statement as hbs.AST.BlockStatement)
      case 'PartialStatement':
        return this.#partial(statement as hbs.AST.PartialStatement)
      default:
        return this.#refuse(statement, REASONS[statement.type] ?? `${statement.type} is not supported in SQL templates`)
    }
  }

  #refuse(node: hbs.AST.Node, message: string, rule: TemplateProblem['rule'] = 'template/unsupported'): null {
    this.problems.push({ rule, offset: this.#offsetOf(node.loc.start), message })
    return null
  }

  /** Handlebars' white space control may have cut both ends of the text; finds where the rest begins in the original. */
  #text({ value, loc, ...content }: hbs.AST.ContentStatement): TemplateNode | null {
    if (value === '') return null
    const cut = Math.max(0, String(content.original).indexOf(value))
    return { kind: 'text', text: value, offset: this.#offsetOf(loc.start) + cut }
  }

  #path(node: hbs.AST.Node): NamePath | null {
    if (!isPath(node)) {
      const what = node.type === 'SubExpression' ? 'sub-expressions are' : 'literals are'
      return this.#refuse(node, `${what} not supported here; expected a name such as table.field`)
    }
    const { depth, data, parts, original } = node
    const isOwn = /^(?:\.\.\/)*(?:this(?:[./]|$)|\.(?:\/|$))/.test(original)
    const offset = this.#offsetOf(node.loc.start)
    return { up: depth, isData: data, isOwn, parts: [...parts], written: original, offset }
  }

  #value(tag: hbs.AST.MustacheStatement): TemplateNode | null {
    if (!tag.escaped) {
      const message =
        'triple braces and "&" are not allowed; write {{table.field}} for a constant and @name for an argument'
      return this.#refuse(tag, message, 'template/triple-braces')
    }
    const path = this.#path(tag.path)
    if (path === null) return null
    if (tag.params.length === 0 && tag.hash === undefined) {
      return { kind: 'value', path, offset: this.#offsetOf(tag.loc.start) }
    }
    const message = BLOCKS.includes(path.written)
      ? `"${path.written}" is a block; write {{#${path.written} …}}`
      : `unknown helper "${path.written}"; only #if, #unless and #each exist`
    return this.#refuse(tag.path, message, 'template/unknown-helper')
  }

  #block(block: hbs.AST.BlockStatement): TemplateNode | null {
    // `{{#1}}` and `{{#"if"}}` are named by literals, though the library's type says otherwise.
    if (!isPath(block.path as hbs.AST.Node)) {
      const message = 'a block is named by one word; only #if, #unless and #each exist'
      return this.#refuse(block.path, message, 'template/unknown-helper')
    }
    const helper = block.path.original
    const whenTrue = this.nodesOf(block.program)
    const whenFalse = this.nodesOf(block.inverse)
    if (!BLOCKS.includes(helper)) {
      const message = `unknown block "#${helper}"; only #if, #unless and #each exist`
      return this.#refuse(block.path, message, 'template/unknown-helper')
    }
    const params = block.program?.blockParams ?? block.inverse?.blockParams ?? []
    if (params.length > 0) {
      return this.#refuse(block, `block parameters (as |${params.join(' ')}|) are not supported; use this and ../`)
    }
    if (block.hash !== undefined) return this.#refuse(block.hash, `"#${helper}" takes no options`)
    if (block.params.length !== 1) {
      return this.#refuse(block, `"#${helper}" takes exactly one name, found ${block.params.length}`)
    }
    const path = this.#path(block.params[0]!)
    if (path === null) return null
    // `{{^if x}}` has only an inverse program: Handlebars has already negated it.
    if (helper === 'each') return { kind: 'each', path, body: whenTrue, whenFalse }
    return { kind: 'if', isNegated: helper === 'unless', path, whenTrue, whenFalse }
  }

  #partial(tag: hbs.AST.PartialStatement): TemplateNode | null {
    const name = isPath(tag.name) ? tag.name.original : (tag.name as unknown as { original?: unknown }).original
    if (tag.name.type === 'SubExpression' || !PARTIAL_NAME.test(String(name))) {
      return this.#refuse(tag.name, 'a partial is named by one word, of letters, digits, "_" and "-"')
    }
    if (tag.params.length > 0) {
      return this.#refuse(tag.params[0]!, 'a partial takes named values only, such as table="logs.edge"')
    }
    const args: PartialArgument[] = []
    for (const pair of tag.hash?.pairs ?? []) {
      const value = this.#argument(pair.value)
      if (args.some(({ name }) => name === pair.key)) this.#refuse(pair, `"${pair.key}" is given twice`)
      else if (value !== null) args.push({ name: pair.key, value, offset: this.#offsetOf(pair.loc.start) })
    }
    return { kind: 'partial', name: String(name), arguments: args, offset: this.#offsetOf(tag.loc.start) }
  }

  #argument(node: hbs.AST.Expression): PartialArgument['value'] | null {
    if (!/^(?:String|Number|Boolean)Literal$/.test(node.type)) return this.#path(node)
    const { value } = node as unknown as { readonly value: string | number | boolean }
    return { literal: value, offset: this.#offsetOf(node.loc.start) }
  }
}

const DECORATOR = 'inline partials and decorators are not supported; put the SQL into endpoints/partials/<name>.sql'
const REASONS: Readonly<Record<string, string>> = {
  Decorator: DECORATOR,
  DecoratorBlock: DECORATOR,
  PartialBlockStatement: 'partial blocks are not supported; write {{> name}}',
}

const isPath = (node: hbs.AST.Node): node is hbs.AST.PathExpression => node.type === 'PathExpression'
