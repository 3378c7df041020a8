/** Template text → nodes. Handlebars reads it and settles its white space; what we do not know by name is refused. */
import Handlebars from 'handlebars'
import { nodesOf } from './from-handlebars.js'
import type { ParsedTemplate, TemplateProblem } from './node.js'
import { findSyntaxProblem, findUnreadable, lineStarts } from './syntax-problem.js'

/** Never throws; a template with problems has no nodes, or only those that could be read. */
export function parseTemplate(text: string): ParsedTemplate {
  if (!text.includes('{{')) return { nodes: text === '' ? [] : [{ kind: 'text', text, offset: 0 }], problems: [] }
  const unreadable = findUnreadable(text)
  if (unreadable !== null) return { nodes: [], problems: [unreadable] }
  let program: hbs.AST.Program
  try {
    program = Handlebars.parse(text)
  } catch (error) {
    return { nodes: [], problems: [findSyntaxProblem(text, error)] }
  }
  const problems: TemplateProblem[] = []
  const starts = lineStarts(text)
  const nodes = nodesOf(program, {
    offsetOf: position => (starts[position.line - 1] ?? text.length) + position.column,
    report: problem => problems.push(problem),
  })
  return { nodes, problems }
}
