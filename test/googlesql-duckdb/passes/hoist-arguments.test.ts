import { showsPass } from './shows-pass.js'

describe('the pass hoist-arguments', () => {
  showsPass(
    'hoist-arguments',
    'an argument that several aggregates of the SQL read',
    'SELECT AVG(x * y) AS a FROM t',
    `
      project [a.7]
        project [avg.6, a.7 = avg.6]
          aggregate [avg.6 = AVG($multiply(x.3, y.4))]
            table t [x.3, y.4]
    `,
    `
      project [a.7]
        project [avg.6, a.7 = avg.6]
          aggregate [avg.6 = AVG(.8)]
            project [x.3, y.4, .8 = $multiply(x.3, y.4)]
              table t [x.3, y.4]
    `,
  )

  showsPass(
    'hoist-arguments',
    'an argument with a subquery',
    'SELECT MAX((SELECT COUNT(*) FROM UNNEST(l))) AS a FROM t',
    `
      project [a.10]
        project [max.9, a.10 = max.9]
          aggregate [max.9 = MAX(scalar {project [.8] <- project [$count_star.7, .8 = $count_star.7] <- aggregate [$count_star.7 = $count_star()] <- unnest outer l.5 as l.6})]
            table t [l.5]
    `,
    `
      project [a.10]
        project [max.9, a.10 = max.9]
          aggregate [max.9 = MAX(.11)]
            project [l.5, .11 = scalar {project [.8] <- project [$count_star.7, .8 = $count_star.7] <- aggregate [$count_star.7 = $count_star()] <- unnest outer l.5 as l.6}]
              table t [l.5]
    `,
  )

  showsPass(
    'hoist-arguments',
    'arguments that read a column of an outer query',
    'SELECT (SELECT MAX(u.id + t.id) FROM u) AS a FROM t',
    `
      project [a.13]
        project [id.1, a.13 = scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX($add(id.6, outer id.1))] <- table u [id.6]}]
          table t [id.1]
    `,
    `
      project [a.13]
        project [id.1, a.13 = scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX(.14)] <- project [id.6, .14 = $add(id.6, outer id.1)] <- table u [id.6]}]
          table t [id.1]
    `,
  )

  showsPass(
    'hoist-arguments',
    'a column is not computed several times',
    'SELECT AVG(x) AS a FROM t',
    `
      project [a.7]
        project [avg.6, a.7 = avg.6]
          aggregate [avg.6 = AVG(x.3)]
            table t [x.3]
    `,
    'the same',
  )
})
