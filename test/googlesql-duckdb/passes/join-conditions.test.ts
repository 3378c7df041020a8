import { showsPass } from './shows-pass.js'

describe('the pass join-conditions', () => {
  showsPass(
    'join-conditions',
    'a subquery that reads one side is a column of that side',
    'SELECT t.id FROM t LEFT JOIN u ON t.id = u.id AND (SELECT COUNT(*) > 0 FROM UNNEST(t.l))',
    `
      project [id.14]
        project [id.1, l.5, id.6, id.14 = id.1]
          left join on $and($eq(id.1, id.6), scalar {project [.13] <- project [$count_star.12, .13 = $gt($count_star.12, 0)] <- aggregate [$count_star.12 = $count_star()] <- unnest outer l.5 as l.11})
            table t [id.1, l.5]
            table u [id.6]
    `,
    `
      project [id.14]
        project [id.1, l.5, id.6, id.14 = id.1]
          left join on $and($eq(id.1, id.6), .15)
            project [id.1, l.5, .15 = scalar {project [.13] <- project [$count_star.12, .13 = $gt($count_star.12, 0)] <- aggregate [$count_star.12 = $count_star()] <- unnest outer l.5 as l.11}]
              table t [id.1, l.5]
            table u [id.6]
    `,
  )

  showsPass(
    'join-conditions',
    'a column of an outer query is one of the side whose rows are kept',
    'SELECT (SELECT COUNT(*) FROM UNNEST(l) a LEFT JOIN u ON a = u.id AND u.x > t.x) FROM t',
    `
      project [.14]
        project [x.3, l.5, .14 = scalar {project [.13] <- project [$count_star.12, .13 = $count_star.12] <- aggregate [$count_star.12 = $count_star()] <- left join on $and($eq(a.6, id.7), $gt(x.9, outer x.3)) <- (unnest outer l.5 as a.6; table u [id.7, x.9])}]
          table t [x.3, l.5]
    `,
    `
      project [.14]
        project [x.3, l.5, .14 = scalar {project [.13] <- project [$count_star.12, .13 = $count_star.12] <- aggregate [$count_star.12 = $count_star()] <- left join on $and($eq(a.6, id.7), $gt(x.9, .15)) <- (project [a.6, .15 = outer x.3] <- unnest outer l.5 as a.6; table u [id.7, x.9])}]
          table t [x.3, l.5]
    `,
  )

  showsPass(
    'join-conditions',
    'an inner join is left alone',
    'SELECT t.id FROM t JOIN u ON t.id = u.id AND EXISTS (SELECT 1 FROM UNNEST(t.l))',
    `
      project [id.13]
        project [id.1, l.5, id.6, id.13 = id.1]
          inner join on $and($eq(id.1, id.6), exists {project [] <- project [] <- unnest outer l.5 as l.11})
            table t [id.1, l.5]
            table u [id.6]
    `,
    'the same',
  )
})
