import { showsPass } from './shows-pass.js'

describe('the pass frame-arguments', () => {
  showsPass(
    'frame-arguments',
    'an argument is computed for the rows of the mirrored frame',
    'SELECT SUM(x / y) OVER (PARTITION BY s ORDER BY id ROWS BETWEEN 5 PRECEDING AND 4 PRECEDING) AS a FROM t',
    `
      project [a.7]
        project [id.1, s.2, x.3, y.4, sum.6, a.7 = sum.6]
          window [sum.6 = SUM($divide(x.3, y.4)) over (partition s.2 order id.1 rows from 5 preceding to 4 preceding)]
            table t [id.1, s.2, x.3, y.4]
    `,
    `
      project [a.7]
        project [id.1, s.2, x.3, y.4, sum.6, a.7 = sum.6]
          window [sum.6 = SUM(case when $gt(frames.8, 0) then $divide(x.3, y.4) end) over (partition s.2 order id.1 rows from 5 preceding to 4 preceding)]
            window [frames.8 = $count_star() over (partition s.2 order id.1 rows from 4 following to 5 following)]
              table t [id.1, s.2, x.3, y.4]
    `,
  )

  showsPass(
    'frame-arguments',
    'for all rows where each is in its own frame',
    'SELECT SUM(x / y) OVER (ORDER BY id ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS a FROM t',
    `
      project [a.7]
        project [id.1, x.3, y.4, sum.6, a.7 = sum.6]
          window [sum.6 = SUM($divide(x.3, y.4)) over (order id.1 rows from 5 preceding to current-row)]
            table t [id.1, x.3, y.4]
    `,
    'the same',
  )

  showsPass(
    'frame-arguments',
    'for all rows where it cannot fail',
    'SELECT SUM(x) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS a FROM t',
    `
      project [a.7]
        project [id.1, x.3, sum.6, a.7 = sum.6]
          window [sum.6 = SUM(x.3) over (order id.1 rows from 1 following to unbounded-following)]
            table t [id.1, x.3]
    `,
    'the same',
  )

  showsPass(
    'frame-arguments',
    'for all rows where the function is not an aggregate',
    'SELECT FIRST_VALUE(x / y) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS a FROM t',
    `
      project [a.7]
        project [id.1, x.3, y.4, first_value.6, a.7 = first_value.6]
          window [first_value.6 = FIRST_VALUE($divide(x.3, y.4)) over (order id.1 rows from 1 following to unbounded-following)]
            table t [id.1, x.3, y.4]
    `,
    'the same',
  )
})
