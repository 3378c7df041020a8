/** Who may import whom inside runner/. Read top to bottom: a folder may use only itself and what is listed. */
const MAY_IMPORT = {
  model: [],
  template: ['model'],
  googlesql: ['model'],
  encode: ['model', 'googlesql'],
  cache: ['model'],
  observe: ['model'],
  sample: [],
  files: ['model'],
  engines: ['model', 'files', 'googlesql', 'encode'],
  stores: ['model', 'files'],
  manifest: ['model', 'template', 'googlesql'],
  request: ['model', 'template', 'cache'],
  http: ['model', 'request', 'observe'],
}

/** Each third-party package has one home; swapping it touches one folder. */
const HOME_OF = {
  express: 'http',
  yaml: 'manifest',
  ajv: 'manifest',
  handlebars: 'template',
  '@duckdb/node-api': 'engines/duckdb',
  tldts: 'engines/duckdb',
  fzstd: 'engines/duckdb',
  '@google-cloud/bigquery': 'engines/bigquery',
  'google-auth-library': 'engines/bigquery',
  'node-cache': 'stores',
  redis: 'stores',
  pino: 'observe',
  'prom-client': 'observe',
  commander: 'cli',
}

/** Folders that must stay free of I/O: same input, same output. */
const PURE = 'model|template|cache|request|engines/duckdb/generate|googlesql|encode|sample'

/** Where a process, or a program that uses the package, begins. */
const ENTRIES = '^(runner/(main|index|engines/duckdb/(child|translator))|tools/[^/]+)\\.ts$'

const layer = ([from, targets]) => ({
  name: `layer-${from}`,
  severity: 'error',
  comment: `${from}/ may import only: ${['itself', ...targets].join(', ')}`,
  from: { path: `^runner/${from}/` },
  to: { path: '^runner/', pathNot: `^runner/(${[from, ...targets].join('|')})/` },
})

const home = ([name, folder]) => ({
  name: `home-${name}`,
  severity: 'error',
  comment: `only runner/${folder}/ may import ${name}`,
  from: { path: '^runner/', pathNot: `^runner/${folder}/` },
  to: { path: `(^|node_modules/)${name}(/|$)` },
})

module.exports = {
  forbidden: [
    ...Object.entries(MAY_IMPORT).map(layer),
    ...Object.entries(HOME_OF).map(home),
    { name: 'no-cycles', severity: 'error', comment: 'type-only cycles count too', from: {}, to: { circular: true } },
    {
      name: 'pure-core',
      severity: 'error',
      comment: 'I/O belongs to the edges; hashing and URL parsing are pure',
      from: { path: `^runner/(${PURE})/` },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|url|util|buffer)$' },
    },
    {
      name: 'engines-are-strangers',
      severity: 'error',
      comment: 'one engine never imports another',
      from: { path: '^runner/engines/([^/]+)/' },
      to: { path: '^runner/engines/([^/]+)/', pathNot: '^runner/engines/$1/' },
    },
    {
      name: 'adapters-only-from-compose',
      severity: 'error',
      comment: 'engines/ and stores/ are built in one place',
      from: { path: '^runner/', pathNot: ['^runner/compose(/|\\.ts$)', '^runner/(engines|stores)/'] },
      to: { path: '^runner/(engines|stores)/' },
    },
    { name: 'not-to-test', severity: 'error', from: { path: '^runner/' }, to: { path: '^test/' } },
    {
      name: 'no-dev-dependency',
      severity: 'error',
      from: { path: '^runner/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      comment:
        'child.ts is started as a process of its own, translator.ts as a thread; main.ts and index.ts are entries',
      from: { orphan: true, path: '^runner/' },
      to: {},
    },
    {
      name: 'nothing-unused',
      severity: 'error',
      comment: 'every module is reached from an entry',
      from: { path: ENTRIES },
      to: { path: '^runner/', pathNot: ENTRIES, reachable: false },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // It has packages of its own, which are installed only where it runs.
    exclude: { path: '^tools/oracle/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
