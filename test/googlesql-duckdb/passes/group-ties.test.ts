import { showsPass } from './shows-pass.js'

const shows = (says: string, sql: string, before: string, after: string): void =>
  showsPass('group-ties', says, sql, before, after)

describe('the pass group-ties', () => {
  shows(
    'the columns of the result are further keys, until they tell all groups apart',
    'SELECT COUNT(*) AS n, s, MAX(id) AS m FROM t GROUP BY s ORDER BY n DESC',
    `
      project [n.8, s.9, m.10]
        order n.8 desc
          project [s.11, $count_star.6, max.7, n.8 = $count_star.6, s.9 = s.11, m.10 = max.7]
            aggregate [$count_star.6 = $count_star(), max.7 = MAX(id.1)] by [s.11 = s.2]
              table t [id.1, s.2]
    `,
    `
      project [n.8, s.9, m.10]
        order n.8 desc, s.9
          project [s.11, $count_star.6, max.7, n.8 = $count_star.6, s.9 = s.11, m.10 = max.7]
            aggregate [$count_star.6 = $count_star(), max.7 = MAX(id.1)] by [s.11 = s.2]
              table t [id.1, s.2]
    `,
  )
  shows(
    'below a LIMIT, too, and of a common table expression',
    'WITH g AS (SELECT s, COUNT(*) AS n FROM t GROUP BY s) SELECT n, UPPER(s) AS u FROM g WHERE n > 1 ORDER BY n LIMIT 1',
    `
      with 1 [s.7, n.8]
        project [s.7, n.8]
          project [s.9, $count_star.6, s.7 = s.9, n.8 = $count_star.6]
            aggregate [$count_star.6 = $count_star()] by [s.9 = s.2]
              table t [s.2]
        project [n.12, u.13]
          limit 1
            order n.12
              project [s.10, n.11, n.12 = n.11, u.13 = UPPER(s.10)]
                filter $gt(n.11, 1)
                  cte 1 [s.10, n.11]
    `,
    `
      with 1 [s.7, n.8]
        project [s.7, n.8]
          project [s.9, $count_star.6, s.7 = s.9, n.8 = $count_star.6]
            aggregate [$count_star.6 = $count_star()] by [s.9 = s.2]
              table t [s.2]
        project [n.12, u.13]
          limit 1
            order n.12, u.13
              project [s.10, n.11, n.12 = n.11, u.13 = UPPER(s.10)]
                filter $gt(n.11, 1)
                  cte 1 [s.10, n.11]
    `,
  )
  shows(
    'keys that tell all groups apart are enough',
    'SELECT s, COUNT(*) AS n FROM t GROUP BY s ORDER BY s',
    `
      project [s.7, n.8]
        order s.7
          project [s.9, $count_star.6, s.7 = s.9, n.8 = $count_star.6]
            aggregate [$count_star.6 = $count_star()] by [s.9 = s.2]
              table t [s.2]
    `,
    'the same',
  )
  shows(
    'a set operation of groups needs all columns, those without an order last',
    "SELECT ARRAY_AGG(id) AS ids, s, COUNT(*) AS n FROM t GROUP BY s UNION ALL SELECT [0], 'none', 0 ORDER BY n",
    `
      order n.20
        union all [ids.18, s.19, n.20]
          project [ids.8, s.9, n.10]
            project [s.11, array_agg.6, $count_star.7, ids.8 = array_agg.6, s.9 = s.11, n.10 = $count_star.7]
              aggregate [array_agg.6 = ARRAY_AGG(id.1), $count_star.7 = $count_star()] by [s.11 = s.2]
                table t [id.1, s.2]
          project [.15 = .12, .16 = 'none', .17 = 0]
            project [.12 = [0]]
              one row
    `,
    `
      order n.20, s.19, ids.18
        union all [ids.18, s.19, n.20]
          project [ids.8, s.9, n.10]
            project [s.11, array_agg.6, $count_star.7, ids.8 = array_agg.6, s.9 = s.11, n.10 = $count_star.7]
              aggregate [array_agg.6 = ARRAY_AGG(id.1), $count_star.7 = $count_star()] by [s.11 = s.2]
                table t [id.1, s.2]
          project [.15 = .12, .16 = 'none', .17 = 0]
            project [.12 = [0]]
              one row
    `,
  )
  shows(
    'a column with one value for all rows is none of them',
    "SELECT 'a' AS kind, s, id FROM t GROUP BY s, id ORDER BY id",
    `
      project [kind.6, s.7, id.8]
        order id.8
          project [s.9, id.10, kind.6 = 'a', s.7 = s.9, id.8 = id.10]
            aggregate [] by [s.9 = s.2, id.10 = id.1]
              table t [id.1, s.2]
    `,
    `
      project [kind.6, s.7, id.8]
        order id.8, s.7
          project [s.9, id.10, kind.6 = 'a', s.7 = s.9, id.8 = id.10]
            aggregate [] by [s.9 = s.2, id.10 = id.1]
              table t [id.1, s.2]
    `,
  )
  shows(
    'grouping sets have rows with the same keys',
    'SELECT s, SUM(id) AS a FROM t GROUP BY ROLLUP(s) ORDER BY s',
    `
      project [s.7, a.8]
        order s.7
          project [s.9, sum.6, s.7 = s.9, a.8 = sum.6]
            aggregate [sum.6 = SUM(id.1)] by [s.9 = s.2]
              table t [id.1, s.2]
    `,
    `
      project [s.7, a.8]
        order s.7, a.8
          project [s.9, sum.6, s.7 = s.9, a.8 = sum.6]
            aggregate [sum.6 = SUM(id.1)] by [s.9 = s.2]
              table t [id.1, s.2]
    `,
  )
  shows(
    'in a subquery, too',
    'SELECT ARRAY(SELECT l FROM UNNEST(t.l) AS l GROUP BY l ORDER BY COUNT(*)) AS most FROM t',
    `
      project [most.10]
        project [l.5, most.10 = array {project [l.7] <- order $count_star.9 <- project [l.8, $count_star.9, l.7 = l.8] <- aggregate [$count_star.9 = $count_star()] by [l.8 = l.6] <- unnest outer l.5 as l.6}]
          table t [l.5]
    `,
    `
      project [most.10]
        project [l.5, most.10 = array {project [l.7] <- order $count_star.9, l.7 <- project [l.8, $count_star.9, l.7 = l.8] <- aggregate [$count_star.9 = $count_star()] by [l.8 = l.6] <- unnest outer l.5 as l.6}]
          table t [l.5]
    `,
  )
  shows(
    'rows of a table keep their order',
    'SELECT id, s FROM t ORDER BY s LIMIT 2',
    `
      project [id.6, s.7]
        limit 2
          order s.7
            project [id.1, s.2, id.6 = id.1, s.7 = s.2]
              table t [id.1, s.2]
    `,
    'the same',
  )
  shows(
    'and so do constants',
    'SELECT 1 AS a, 2 AS b UNION ALL SELECT 0, 2 ORDER BY b',
    `
      order b.10
        union all [a.9, b.10]
          project [a.5 = 1, b.6 = 2]
            project []
              one row
          project [.7 = 0, .8 = 2]
            project []
              one row
    `,
    'the same',
  )
})
