/** The text as one word of a POSIX shell: in quotes if a shell could read one of its characters differently. */
export const shellWord = (text: string): string =>
  /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
