/** Reads the name and id of a manifest whose YAML may be broken, so that a call for it can be answered with what is wrong. */
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ID_LINE = new RegExp(`^["']?id["']?\\s*:\\s*["']?(${UUID})(?![\\w-])`, 'im')
const NAME_LINE = /^["']?name["']?\s*:\s*["']?([a-z0-9][a-z0-9.-]*)(?![\w-])/m

/** The members `id` and `name` at the beginning of a line; null where they cannot be read. */
export function writtenIdentity(text: string): { readonly id: string | null; readonly name: string | null } {
  return { id: ID_LINE.exec(text)?.[1]?.toLowerCase() ?? null, name: NAME_LINE.exec(text)?.[1] ?? null }
}
