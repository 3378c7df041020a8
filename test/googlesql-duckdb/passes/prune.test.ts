import { showsPass } from './shows-pass.js'

describe('the pass prune', () => {
  showsPass(
    'prune',
    'columns that nothing reads',
    'SELECT a FROM (SELECT id + 1 AS a, x / 0 AS b, s FROM t)',
    `
      project [a.9]
        project [a.6, b.7, s.8, a.9 = a.6]
          project [a.6, b.7, s.8]
            project [id.1, s.2, x.3, y.4, l.5, a.6 = $add(id.1, 1), b.7 = $divide(x.3, 0), s.8 = s.2]
              table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [a.9]
        project [a.6, a.9 = a.6]
          project [a.6]
            project [id.1, a.6 = $add(id.1, 1)]
              table t [id.1]
    `,
  )

  showsPass(
    'prune',
    'aggregates and window functions that nothing reads',
    'SELECT n FROM (SELECT COUNT(*) AS n, SUM(x) AS total, RANK() OVER (ORDER BY COUNT(*)) AS place FROM t)',
    `
      project [n.13]
        project [n.10, total.11, place.12, n.13 = n.10]
          project [n.10, total.11, place.12]
            project [$count_star.6, sum.7, $count_star.8, rank.9, n.10 = $count_star.6, total.11 = sum.7, place.12 = rank.9]
              window [rank.9 = RANK() over (order $count_star.8)]
                aggregate [$count_star.6 = $count_star(), sum.7 = SUM(x.3), $count_star.8 = $count_star()]
                  table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [n.13]
        project [n.10, n.13 = n.10]
          project [n.10]
            project [$count_star.6, n.10 = $count_star.6]
              window []
                aggregate [$count_star.6 = $count_star()]
                  table t []
    `,
  )

  showsPass(
    'prune',
    'common table expressions that nothing reads',
    'WITH a AS (SELECT id, x FROM t), b AS (SELECT id FROM u) SELECT id FROM a',
    `
      with 1 [id.6, x.7], 2 [id.13]
        project [id.6, x.7]
          project [id.1, s.2, x.3, y.4, l.5, id.6 = id.1, x.7 = x.3]
            table t [id.1, s.2, x.3, y.4, l.5]
        project [id.13]
          project [id.8, s.9, x.10, y.11, l.12, id.13 = id.8]
            table u [id.8, s.9, x.10, y.11, l.12]
        project [id.16]
          project [id.14, x.15, id.16 = id.14]
            cte 1 [id.14, x.15]
    `,
    `
      with 1 [id.6]
        project [id.6]
          project [id.1, id.6 = id.1]
            table t [id.1]
        project [id.16]
          project [id.14, id.16 = id.14]
            cte 1 [id.14]
    `,
  )

  showsPass(
    'prune',
    'an order that a join does not keep',
    'SELECT t.id FROM (SELECT id FROM t ORDER BY x) t JOIN u USING (id)',
    `
      project [id.12]
        project [id.6, id.7, s.8, x.9, y.10, l.11, id.12 = id.6]
          inner join on $eq(id.6, id.7)
            project [id.6]
              order x.3
                project [id.1, s.2, x.3, y.4, l.5, id.6 = id.1]
                  table t [id.1, s.2, x.3, y.4, l.5]
            table u [id.7, s.8, x.9, y.10, l.11]
    `,
    `
      project [id.12]
        project [id.6, id.7, id.12 = id.6]
          inner join on $eq(id.6, id.7)
            project [id.6]
              project [id.1, x.3, id.6 = id.1]
                table t [id.1, x.3]
            table u [id.7]
    `,
  )

  showsPass(
    'prune',
    'but not an order that ARRAY_AGG sees',
    'SELECT ARRAY_AGG(id) FROM (SELECT id, s FROM t ORDER BY x)',
    `
      project [.9]
        project [array_agg.8, .9 = array_agg.8]
          aggregate [array_agg.8 = ARRAY_AGG(id.6)]
            project [id.6, s.7]
              order x.3
                project [id.1, s.2, x.3, y.4, l.5, id.6 = id.1, s.7 = s.2]
                  table t [id.1, s.2, x.3, y.4, l.5]
    `,
    `
      project [.9]
        project [array_agg.8, .9 = array_agg.8]
          aggregate [array_agg.8 = ARRAY_AGG(id.6)]
            project [id.6]
              order x.3
                project [id.1, x.3, id.6 = id.1]
                  table t [id.1, x.3]
    `,
  )

  showsPass(
    'prune',
    'columns of a UNION ALL, but none of one that compares rows',
    'SELECT id FROM (SELECT id, s FROM t UNION ALL SELECT id, s FROM u) UNION ALL SELECT id FROM (SELECT id, s FROM t UNION DISTINCT SELECT id, s FROM u)',
    `
      union all [id.35]
        project [id.17]
          project [id.15, s.16, id.17 = id.15]
            union all [id.15, s.16]
              project [id.6, s.7]
                project [id.1, s.2, x.3, y.4, l.5, id.6 = id.1, s.7 = s.2]
                  table t [id.1, s.2, x.3, y.4, l.5]
              project [id.13, s.14]
                project [id.8, s.9, x.10, y.11, l.12, id.13 = id.8, s.14 = s.9]
                  table u [id.8, s.9, x.10, y.11, l.12]
        project [id.34]
          project [id.32, s.33, id.34 = id.32]
            union [id.32, s.33]
              project [id.23, s.24]
                project [id.18, s.19, x.20, y.21, l.22, id.23 = id.18, s.24 = s.19]
                  table t [id.18, s.19, x.20, y.21, l.22]
              project [id.30, s.31]
                project [id.25, s.26, x.27, y.28, l.29, id.30 = id.25, s.31 = s.26]
                  table u [id.25, s.26, x.27, y.28, l.29]
    `,
    `
      union all [id.35]
        project [id.17]
          project [id.15, id.17 = id.15]
            union all [id.15]
              project [id.6]
                project [id.1, id.6 = id.1]
                  table t [id.1]
              project [id.13]
                project [id.8, id.13 = id.8]
                  table u [id.8]
        project [id.34]
          project [id.32, s.33, id.34 = id.32]
            union [id.32, s.33]
              project [id.23, s.24]
                project [id.18, s.19, id.23 = id.18, s.24 = s.19]
                  table t [id.18, s.19]
              project [id.30, s.31]
                project [id.25, s.26, id.30 = id.25, s.31 = s.26]
                  table u [id.25, s.26]
    `,
  )
})
