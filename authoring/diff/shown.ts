/** Values of manifests as the details of changes show them. */

const MAX_LENGTH = 200

/** As JSON on one line; `nothing` for a member that is not there. Long values are cut. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > MAX_LENGTH ? `${[...text].slice(0, MAX_LENGTH - 1).join('')}…` : text
}
