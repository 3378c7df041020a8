/** A module hook of Node: resolves `../../authoring/terminal/io.js`, as a test imports it, to dist/authoring/terminal/io.js. */
const ROOT = new URL('..', import.meta.url).href
/** The path of a source: with `.js` as a test imports it, or with `.ts` as tsx resolves it if its hooks run first. */
const SOURCES = /^(?:googlesql|googlesql-duckdb|runner|authoring|cli)\/.*\.[jt]s$/

export function resolve(specifier, context, next) {
  const { parentURL } = context
  if (specifier.startsWith('.') && parentURL?.startsWith(ROOT)) {
    const { href } = new URL(specifier, parentURL)
    const path = href.slice(ROOT.length)
    if (href.startsWith(ROOT) && SOURCES.test(path)) {
      return { url: `${ROOT}dist/${path.replace(/ts$/, 'js')}`, format: 'module', shortCircuit: true }
    }
  }
  return next(specifier, context)
}
