/**
 * Loaded before tests: resolves their imports of sources to the compiled files in dist/, which start engines without a
 * TypeScript loader.
 */
import { register } from 'node:module'

register('./resolve-built.mjs', import.meta.url)
