/** The modules that processes and threads of this program start with. */

/**
 * The address of a module, whatever file the code that asks for it was bundled into: the compiled one, or its source where this runs
 * from the sources.
 * @param path below the package, without extension: `runner/derive/derive-worker`
 */
export function ownModule(path: string): URL {
  const file = isSource ? `${path}.ts` : `dist/${path}.js`
  return new URL(file, import.meta.resolve('#package'))
}

/** Whether this runs from the sources, with tsx, and not compiled. */
export const isSource = import.meta.url.endsWith('.ts')
