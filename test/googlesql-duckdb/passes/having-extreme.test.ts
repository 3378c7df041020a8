import { showsPass } from './shows-pass.js'

describe('the pass having-extreme', () => {
  showsPass(
    'having-extreme',
    'the extreme is a window over the group, and a filter compares with it',
    'SELECT s, SUM(id HAVING MAX x) AS a FROM t GROUP BY s',
    `
      project [s.7, a.8]
        project [s.9, sum.6, s.7 = s.9, a.8 = sum.6]
          aggregate [sum.6 = SUM(id.1 having max x.3)] by [s.9 = s.2]
            table t [id.1, s.2, x.3]
    `,
    `
      project [s.7, a.8]
        project [s.9, sum.6, s.7 = s.9, a.8 = sum.6]
          aggregate [sum.6 = SUM(id.1 where $eq(x.3, max.10))] by [s.9 = s.2]
            window [max.10 = MAX(x.3) over (partition s.2)]
              table t [id.1, s.2, x.3]
    `,
  )

  showsPass(
    'having-extreme',
    'aggregates without it stay',
    'SELECT SUM(id) AS a FROM t',
    `
      project [a.7]
        project [sum.6, a.7 = sum.6]
          aggregate [sum.6 = SUM(id.1)]
            table t [id.1]
    `,
    'the same',
  )
})
