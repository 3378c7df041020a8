/** Whether a text has more characters (code points) than this. For most texts the length decides, without counting. */
export function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false
  return text.length > 2 * characters || [...text].length > characters
}
