import { showsPass } from './shows-pass.js'

describe('the pass quantile-offsets', () => {
  showsPass(
    'quantile-offsets',
    'quantiles that are read by constant offsets alone',
    'SELECT q[OFFSET(50)], q[OFFSET(95)] FROM (SELECT APPROX_QUANTILES(x, 100) AS q FROM t)',
    `
      project [.8, .9]
        project [q.7, .8 = $array_at_offset(q.7, 50), .9 = $array_at_offset(q.7, 95)]
          project [q.7]
            project [approx_quantiles.6, q.7 = approx_quantiles.6]
              aggregate [approx_quantiles.6 = APPROX_QUANTILES(x.3, 100)]
                table t [x.3]
    `,
    `
      project [.8, .9]
        project [q.7, .8 = $safe_array_at_ordinal(q.7, 1), .9 = $safe_array_at_ordinal(q.7, 2)]
          project [q.7]
            project [approx_quantiles.6, q.7 = approx_quantiles.6]
              aggregate [approx_quantiles.6 = APPROX_QUANTILES(x.3, [100, 50, 95])]
                table t [x.3]
    `,
  )

  showsPass(
    'quantile-offsets',
    'but not those that are read as a whole',
    'SELECT q, q[OFFSET(50)] FROM (SELECT APPROX_QUANTILES(x, 100) AS q FROM t)',
    `
      project [q.8, .9]
        project [q.7, q.8 = q.7, .9 = $array_at_offset(q.7, 50)]
          project [q.7]
            project [approx_quantiles.6, q.7 = approx_quantiles.6]
              aggregate [approx_quantiles.6 = APPROX_QUANTILES(x.3, 100)]
                table t [x.3]
    `,
    'the same',
  )
})
