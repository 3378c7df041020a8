/** Asks an engine about each text once a load, however many manifests have it, and about some texts at a time. */
import type { CheckSql } from './sql.js'

/** Asked of an engine at a time: one that is far away takes its time for each. */
const AT_ONCE = 16

/** Manifests that were copied from one another share their texts. */
export function checkOnce(checkSql: CheckSql): CheckSql {
  const results = new Map<string, ReturnType<CheckSql>>()
  const check = someAtOnce(checkSql)
  return (sql, types, values) => {
    const key = `${JSON.stringify([types, values])}\0${sql}`
    const known = results.get(key)
    if (known !== undefined) return known
    const result = check(sql, types, values)
    results.set(key, result)
    return result
  }
}

function someAtOnce(checkSql: CheckSql): CheckSql {
  let free = AT_ONCE
  const waiting: (() => void)[] = []
  return async (...args) => {
    if (free > 0) free -= 1
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await checkSql(...args)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
