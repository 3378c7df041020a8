import { showsPass } from './shows-pass.js'

describe('the pass guard-branches', () => {
  showsPass(
    'guard-branches',
    'a subquery that may fail sees rows where its branch is taken',
    'SELECT IF(id = 1, 0, (SELECT MAX(1 / x) FROM u)) FROM t',
    `
      project [.13]
        project [id.1, s.2, x.3, y.4, l.5, .13 = IF($eq(id.1, 1), 0, scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX($divide(1, x.8))] <- table u [id.6, s.7, x.8, y.9, l.10]})]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [.13]
        project [id.1, s.2, x.3, y.4, l.5, .13 = IF(taken.14, 0, scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX($divide(1, x.8))] <- guard case when taken.14 then false else true end <- table u [id.6, s.7, x.8, y.9, l.10]})]
          project [id.1, s.2, x.3, y.4, l.5, taken.14 = $eq(id.1, 1)]
            table t [id.1, s.2, x.3, y.4, l.5]
    `,
  )

  showsPass(
    'guard-branches',
    'an argument of COALESCE that is computed after it',
    'SELECT COALESCE(x, (SELECT MAX(LN(y)) FROM u WHERE u.id = t.id)) FROM t',
    `
      project [.13]
        project [id.1, s.2, x.3, y.4, l.5, .13 = COALESCE(x.3, scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX(LN(y.9))] <- filter $eq(id.6, outer id.1) <- table u [id.6, s.7, x.8, y.9, l.10]})]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [.13]
        project [id.1, s.2, x.3, y.4, l.5, .13 = COALESCE(x.3, scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX(LN(y.9))] <- filter case when taken.14 then $eq(id.6, outer id.1) else false end <- guard taken.14 <- table u [id.6, s.7, x.8, y.9, l.10]})]
          project [id.1, s.2, x.3, y.4, l.5, taken.14 = $is_null(x.3)]
            table t [id.1, s.2, x.3, y.4, l.5]
    `,
  )

  showsPass(
    'guard-branches',
    'one that cannot fail is left alone',
    'SELECT IF(id = 1, 0, (SELECT MAX(id) FROM u)) FROM t',
    `
      project [.13]
        project [id.1, s.2, x.3, y.4, l.5, .13 = IF($eq(id.1, 1), 0, scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX(id.6)] <- table u [id.6, s.7, x.8, y.9, l.10]})]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    'the same',
  )

  showsPass(
    'guard-branches',
    'the guard of a FULL JOIN is above it',
    "SELECT IF(s = 'a', (SELECT SUM(CAST(u.s AS INT64)) FROM u FULL JOIN t AS v ON u.id = v.id), 0) AS n FROM t",
    `
      project [n.18]
        project [id.1, s.2, x.3, y.4, l.5, n.18 = IF($eq(s.2, 'a'), scalar {project [.17] <- project [sum.16, .17 = sum.16] <- aggregate [sum.16 = SUM(s.7::INT64)] <- full join on $eq(id.6, id.11) <- (table u [id.6, s.7, x.8, y.9, l.10]; table t [id.11, s.12, x.13, y.14, l.15])}, 0)]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [n.18]
        project [id.1, s.2, x.3, y.4, l.5, n.18 = IF(taken.19, scalar {project [.17] <- project [sum.16, .17 = sum.16] <- aggregate [sum.16 = SUM(s.7::INT64)] <- guard taken.19 <- full join on $eq(id.6, id.11) <- (table u [id.6, s.7, x.8, y.9, l.10]; table t [id.11, s.12, x.13, y.14, l.15])}, 0)]
          project [id.1, s.2, x.3, y.4, l.5, taken.19 = $eq(s.2, 'a')]
            table t [id.1, s.2, x.3, y.4, l.5]
    `,
  )
})
