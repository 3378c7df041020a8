/** What a call of the open manifest is: none of it needs VS Code. */

/** The name of the manifest's endpoint, and the line that has it, from 0; null where the text has none. */
export function endpointIn(text: string): { readonly name: string; readonly line: number } | null {
  const match = /^name:[ \t]*(["']?)([\w.-]+)\1[ \t]*(?:#.*)?$/m.exec(text)
  if (!match) return null
  return { name: match[2]!, line: text.slice(0, match.index).split('\n').length - 1 }
}

/** The words of a line such as `country=DE note="two words"`, as a shell would take them. */
export const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))

/** The folder that holds the manifest's `endpoints`, in which the command runs: `shop` for `shop/endpoints/a/b.yaml`. */
export function folderOf(path: string): string | null {
  const at = path.replaceAll('\\', '/').lastIndexOf('/endpoints/')
  return at < 0 ? null : path.slice(0, at) || '/'
}

export interface Folders {
  readonly endpoints?: string
  readonly tables?: string
  readonly functions?: string
  readonly data?: string
}

const FLAGS = { endpoints: '--endpoints', tables: '--tables', functions: '--functions-dir', data: '--data' } as const

/** The command's words behind the program: the endpoint, its arguments, and the folders that settings name. */
export const callOf = (name: string, given: string, folders: Folders): readonly string[] => [
  'call',
  name,
  ...wordsOf(given),
  ...Object.entries(FLAGS).flatMap(([key, flag]) => {
    const folder = folders[key as keyof Folders]
    return folder ? [flag, folder] : []
  }),
]
