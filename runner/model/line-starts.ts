/** The offset of the beginning of each line. Only `\n` and `\r\n` end lines in files that are accepted. */
export function lineStartsOf(text: string): readonly number[] {
  const starts = [0]
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  return starts
}
