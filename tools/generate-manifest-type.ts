/** Generates runner/model/manifest.ts from schemas/endpoint.schema.json; `--check` only checks that it is up to date. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compile, type JSONSchema } from 'json-schema-to-typescript'

const SCHEMA = new URL('../schemas/endpoint.schema.json', import.meta.url)
const TARGET = new URL('../runner/model/manifest.ts', import.meta.url)

const BANNER = `/** The manifest as authored. Generated from schemas/endpoint.schema.json by \`npm run generate\`; do not edit. */`

/** The text of runner/model/manifest.ts for this schema. */
export async function manifestTypeText(schema: JSONSchema): Promise<string> {
  return await compile(onlyNamedTypes(schema), 'Manifest', {
    bannerComment: BANNER,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, semi: false, printWidth: 120 },
  })
}

/** The schema of manifests in schemas/. */
export async function readSchema(): Promise<JSONSchema> {
  return JSON.parse(await readFile(SCHEMA, 'utf8')) as JSONSchema
}

/** The schema without its titles: each title would become a type of its own, but only the types of `$defs` are useful. */
function onlyNamedTypes(schema: JSONSchema): JSONSchema {
  const untitled = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(untitled)
    if (node === null || typeof node !== 'object') return node
    const entries = Object.entries(node).filter(([key, value]) => key !== 'title' || typeof value !== 'string')
    return Object.fromEntries(entries.map(([key, value]) => [key, untitled(value)]))
  }
  return { ...(untitled(schema) as JSONSchema), title: 'Manifest' }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await manifestTypeText(await readSchema())
  if (process.argv.includes('--check')) {
    process.exitCode = text === (await readFile(TARGET, 'utf8')) ? 0 : 1
  } else {
    await writeFile(TARGET, text)
  }
}
