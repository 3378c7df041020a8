/** A hook of Node's: `../../runner/cli/io.js`, as a test names it, is dist/runner/cli/io.js. */
const ROOT = new URL('..', import.meta.url).href
/** As a test writes it, or as tsx has resolved it where its hooks come first. */
const SOURCES = /^(?:googlesql|googlesql-duckdb|runner)\/.*\.[jt]s$/

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
