/** Finds the modules that this program's processes and threads start with. */

/**
 * The URL of a compiled module, or of its source where the program runs from its sources. It is found from the package, since
 * the code that calls this may have been bundled into any file.
 * @param path below the package, without extension: `runner/formats/derive-worker`
 */
export function ownModule(path: string): URL {
  const file = isSource ? `${path}.ts` : `dist/${path}.js`
  return new URL(file, import.meta.resolve('#package'))
}

/** Whether the program runs from its sources, with tsx, and is not compiled. */
export const isSource = import.meta.url.endsWith('.ts')
