/** Memoises checks of SQL for one load, and limits how many run at a time. */
import { memo } from '../../model/bounded-map.js'
import type { CheckSql } from './sql.js'

/** The most checks that run at a time: each check by a remote engine takes a round trip. */
const MAX_CHECKS = 32

/** Wraps `checkSql` so that a text is checked once: manifests that are copies of each other share texts. */
export function checkOnce(checkSql: CheckSql): CheckSql {
  const results = new Map<string, ReturnType<CheckSql>>()
  const check = limitChecks(checkSql)
  return (sql, types, values) =>
    memo(results, `${JSON.stringify([types, values])}\0${sql}`, () => check(sql, types, values))
}

function limitChecks(checkSql: CheckSql): CheckSql {
  let freeSlots = MAX_CHECKS
  const waiting: (() => void)[] = []
  return async (...args) => {
    if (freeSlots > 0) freeSlots -= 1
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await checkSql(...args)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else freeSlots += 1
    }
  }
}
