/** Makes labels of a job that fit BigQuery's rules, from any texts. */

/** BigQuery's limits ("Requirements for labels"). */
const MAX_LABELS = 64
const MAX_LENGTH = 63

/** Later groups win over earlier ones where they share a key. Keys and values that break a rule are changed to fit it. */
export function jobLabels(...groups: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const labels = new Map<string, string>()
  for (const [key, value] of groups.flatMap(group => Object.entries(group))) {
    const label = labelText(key.replace(/^[^\p{L}]+/u, '')) // A key begins with a letter.
    if (label !== '') labels.set(label, labelText(value))
  }
  return Object.fromEntries([...labels].slice(-MAX_LABELS))
}

/** Lower-case letters, digits, `_` and `-`; other characters become `-`. */
function labelText(text: string): string {
  return [...text.toLowerCase().replace(/[^\p{Ll}\p{Lo}\p{N}_-]/gu, '-')].slice(0, MAX_LENGTH).join('')
}
