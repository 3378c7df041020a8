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
})
