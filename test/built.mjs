/** Loaded before tests: what they import of the sources comes from dist/, which starts engines without a TypeScript loader. */
import { register } from 'node:module'

register('./resolve-built.mjs', import.meta.url)
