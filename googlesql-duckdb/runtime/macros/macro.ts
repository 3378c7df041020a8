/** A macro of DuckDB, whose parts are read from its definition once. */

export interface Macro {
  readonly name: string
  readonly parameters: readonly string[]
  readonly body: string
  /** `name(parameters) AS body`. */
  readonly definition: string
}

export function macroOf(definition: string): Macro {
  const [, name, parameters, body] = /^(\w+)\(([^)]*)\)\s+AS\s+(.*)$/s.exec(definition)!
  return { name: name!, parameters: parameters!.split(',').map(parameter => parameter.trim()), body: body!, definition }
}
