/** Memoises checks of SQL for one load, and limits how many run at a time. */
import { getOrMake } from '../../../googlesql/get-or-make.js'
import type { CheckSql } from './sql.js'

/** The most checks that run at a time: each check by a remote engine takes a round trip. */
const AT_ONCE = 32

/** Wraps `checkSql` so that a text is checked once: manifests that are copies of each other share texts. */
export function checkOnce(checkSql: CheckSql): CheckSql {
  const results = new Map<string, ReturnType<CheckSql>>()
  const check = someAtOnce(checkSql)
  return (sql, types, values) => {
    const key = `${JSON.stringify([types, values])}\0${sql}`
    return getOrMake(results, key, () => check(sql, types, values))
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
