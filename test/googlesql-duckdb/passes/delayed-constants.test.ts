import { showsPass } from './shows-pass.js'

describe('the pass delayed-constants', () => {
  showsPass(
    'delayed-constants',
    'a constant in a branch that not every row takes is left to the rows',
    "SELECT IF(id > 0, 'a', CHR(-1)) FROM t",
    `
      project [.6]
        project [id.1, s.2, x.3, y.4, l.5, .6 = IF($gt(id.1, 0), 'a', CHR(-1))]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [.6]
        project [id.1, s.2, x.3, y.4, l.5, .6 = IF($gt(id.1, 0), 'a', case when $lt(RAND(), 2) then CHR(case when $lt(RAND(), 2) then -1 end) end)]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    'branches',
  )

  showsPass(
    'delayed-constants',
    'a constant that every row needs is left to them where the query has none',
    'SELECT id FROM t WHERE x > SQRT(-1)',
    `
      project [id.6]
        project [id.1, s.2, x.3, y.4, l.5, id.6 = id.1]
          filter $gt(x.3, SQRT(-1))
            table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [id.6]
        project [id.1, s.2, x.3, y.4, l.5, id.6 = id.1]
          filter $gt(x.3, case when $and($lt(RAND(), 2), $not($is_null($is_null(id.1)))) then SQRT(case when $and($lt(RAND(), 2), $not($is_null($is_null(id.1)))) then -1 end) end)
            table t [id.1, s.2, x.3, y.4, l.5]
    `,
    'rows',
  )

  showsPass(
    'delayed-constants',
    'nothing is delayed that cannot fail',
    "SELECT IF(id > 0, 'a', LOWER('B')) FROM t",
    `
      project [.6]
        project [id.1, s.2, x.3, y.4, l.5, .6 = IF($gt(id.1, 0), 'a', LOWER('B'))]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    'the same',
    'branches',
  )

  showsPass(
    'delayed-constants',
    'a subquery of one row is computed where there is a row that asks for it',
    'SELECT (SELECT SQRT(-1)) FROM t',
    `
      project [.7]
        project [id.1, s.2, x.3, y.4, l.5, .7 = scalar {project [.6 = SQRT(-1)] <- one row}]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [.7]
        project [id.1, s.2, x.3, y.4, l.5, .7 = scalar {project [.6 = case when $lt(RAND(), 2) then SQRT(case when $lt(RAND(), 2) then -1 end) end] <- one row}]
          table t [id.1, s.2, x.3, y.4, l.5]
    `,
    'rows',
  )
})
