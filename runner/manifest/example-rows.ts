/** Reads `<name>.example.json`: reviewed rows of a result, which documents show. */
import { posix } from 'node:path'
import { parseExact } from '../model/exact-json.js'

const ENDING = '.example.json'

/** Whether a path, relative to the folder of manifests, is an example of a result. */
export const isExample = (name: string): boolean => name.endsWith(ENDING)

/** The example of the endpoint of this name, beside the file of its manifest. */
export const exampleFile = (manifestFile: string, name: string): string =>
  posix.join(posix.dirname(manifestFile), `${name}${ENDING}`)

/** The name of the endpoint that the file is an example of. */
export const exampledName = (file: string): string => posix.basename(file, ENDING)

/** The rows, whose numbers `stringifyExact` writes with all digits; null where the text is not an example, which `validate` reports. */
export function exampleRows({ text }: { readonly text: string }): readonly unknown[] | null {
  try {
    const { result } = parseExact(text) as { readonly result?: unknown }
    return Array.isArray(result) ? Object.freeze(result) : null
  } catch {
    return null
  }
}
