/** What the package exports: each type that a public signature names can be imported from where the signature was. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}
/** `sluice/googlesql` and its declaration file. */
const ENTRIES = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [{ name: `sluice${path.slice(1)}`, file: resolve(target.types) }],
)

describe('the declarations of the package', function () {
  this.timeout(600_000)

  it('are there for three entries', () => {
    expect(ENTRIES.map(entry => entry.name)).to.deep.equal(['sluice', 'sluice/googlesql', 'sluice/googlesql-duckdb'])
  })

  for (const { name, file } of ENTRIES) {
    it(`of ${name} name no type that it does not export`, () => {
      expect(unexported(file)).to.deep.equal([])
    })
  }
})

const program = ts.createProgram(
  ENTRIES.map(entry => entry.file),
  {
    // Names are all that is looked at: neither the language's own declarations nor Node's are needed for them.
    noLib: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  },
)

/** `Scan (plan/nodes.d.ts), which ResolvedQuery names`, for each type of the package's own that is out of reach. */
function unexported(entry: string): readonly string[] {
  const checker = program.getTypeChecker()
  const origin = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!
  const exported = new Set(checker.getExportsOfModule(module).map(origin))
  const dist = dirname(dirname(entry))
  const found = new Set<string>()

  const visit = (node: ts.Node, owner: string): void => {
    const named = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : ts.isImportTypeNode(node)
          ? node.qualifier
          : undefined
    const symbol = named && checker.getSymbolAtLocation(named)
    if (symbol) {
      const target = origin(symbol)
      const declared = target.declarations?.[0]
      const isParameter = declared !== undefined && ts.isTypeParameterDeclaration(declared)
      const from = declared?.getSourceFile().fileName
      if (from?.startsWith(dist) && !isParameter && !exported.has(target)) {
        found.add(`${target.name} (${from.slice(dist.length + 1)}), which ${owner} names`)
      }
    }
    ts.forEachChild(node, child => visit(child, owner))
  }
  for (const symbol of exported) {
    for (const declaration of symbol.declarations ?? []) visit(declaration, symbol.name)
  }
  return [...found].sort()
}
