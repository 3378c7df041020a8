/** What a record holds under a name that an author chose: `constructor` is a member of every object, and held by none. */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
