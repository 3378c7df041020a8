import { showsPass } from './shows-pass.js'

describe('the pass interval-keys', () => {
  showsPass(
    'interval-keys',
    'the key of a group is the length, and the INTERVAL is one of its rows',
    'SELECT i, COUNT(*) AS n FROM (SELECT INTERVAL id DAY AS i FROM t) GROUP BY i',
    `
      project [i.8, n.9]
        project [i.10, $count_star.7, i.8 = i.10, n.9 = $count_star.7]
          aggregate [$count_star.7 = $count_star()] by [i.10 = i.6]
            project [i.6]
              project [id.1, i.6 = $interval(id.1, DAY)]
                table t [id.1]
    `,
    `
      project [i.8, n.9]
        project [i.10, $count_star.7, i.8 = i.10, n.9 = $count_star.7]
          aggregate [$count_star.7 = $count_star(), i.10 = ANY_VALUE(i.11)] by [length.12 = $interval_key(i.11)]
            project [i.6, i.11 = i.6]
              project [i.6]
                project [id.1, i.6 = $interval(id.1, DAY)]
                  table t [id.1]
    `,
  )

  showsPass(
    'interval-keys',
    'keys of other types stay',
    'SELECT s, COUNT(*) AS n FROM t GROUP BY s',
    `
      project [s.7, n.8]
        project [s.9, $count_star.6, s.7 = s.9, n.8 = $count_star.6]
          aggregate [$count_star.6 = $count_star()] by [s.9 = s.2]
            table t [s.2]
    `,
    'the same',
  )

  showsPass(
    'interval-keys',
    'the parts of each element of an array must have one sign',
    'SELECT a, COUNT(*) AS n FROM (SELECT [INTERVAL id DAY] AS a FROM t) GROUP BY a',
    `
      project [a.8, n.9]
        project [a.10, $count_star.7, a.8 = a.10, n.9 = $count_star.7]
          aggregate [$count_star.7 = $count_star()] by [a.10 = a.6]
            project [a.6]
              project [id.1, a.6 = [$interval(id.1, DAY)]]
                table t [id.1]
    `,
    `
      project [a.8, n.9]
        project [a.10, $count_star.7, a.8 = a.10, n.9 = $count_star.7]
          aggregate [$count_star.7 = $count_star()] by [a.10 = ARRAY_TRANSFORM(a.6, (.11) -> $interval_of_one_sign(.11))]
            project [a.6]
              project [id.1, a.6 = [$interval(id.1, DAY)]]
                table t [id.1]
    `,
  )

  showsPass(
    'interval-keys',
    'so must those of an argument with DISTINCT, also with OVER',
    'SELECT SUM(DISTINCT INTERVAL id DAY) OVER (PARTITION BY s) AS n FROM t',
    `
      project [n.7]
        project [id.1, s.2, sum.6, n.7 = sum.6]
          window [sum.6 = SUM(distinct $interval(id.1, DAY)) over (partition s.2)]
            table t [id.1, s.2]
    `,
    `
      project [n.7]
        project [id.1, s.2, sum.6, n.7 = sum.6]
          window [sum.6 = SUM(distinct $interval_of_one_sign($interval(id.1, DAY))) over (partition s.2)]
            table t [id.1, s.2]
    `,
  )

  showsPass(
    'interval-keys',
    'and those of the rows of a recursive UNION DISTINCT',
    'WITH RECURSIVE w AS (SELECT INTERVAL id DAY AS i FROM t UNION DISTINCT SELECT i FROM w) SELECT i FROM w',
    `
      with 1 [i.6]
        project [i.6]
          project [id.1, i.6 = $interval(id.1, DAY)]
            table t [id.1]
        project [i.8]
          project [i.7, i.8 = i.7]
            cte 1 [i.7]
        project [i.10]
          project [i.9, i.10 = i.9]
            cte 1 [i.9]
    `,
    `
      with 1 [i.6]
        project [i.11]
          project [i.6, i.11 = $interval_of_one_sign(i.6)]
            project [i.6]
              project [id.1, i.6 = $interval(id.1, DAY)]
                table t [id.1]
        project [i.12]
          project [i.8, i.12 = $interval_of_one_sign(i.8)]
            project [i.8]
              project [i.7, i.8 = i.7]
                cte 1 [i.7]
        project [i.10]
          project [i.9, i.10 = i.9]
            cte 1 [i.9]
    `,
  )
})
