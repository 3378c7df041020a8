/** Which chart the types of a result make. */
import { expect } from 'chai'
import type { Column } from '../../explorer/api/contract.js'
import { joinPlans } from '../../explorer/chart/join.js'
import { axesOf, type BarPlan, type LinePlan, planChart } from '../../explorer/chart/plan.js'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 31, 0, minute)).toISOString()
const column = (name: string, type: string, unit?: string) => ({ name, type, ...(unit !== undefined && { unit }) })
const TIME = column('at', 'TIMESTAMP')
const lines = (...given: Parameters<typeof planChart>): LinePlan => planChart(...given) as LinePlan

describe('the plan of a chart', () => {
  it('is nothing without a number, or without a row', () => {
    expect(planChart([TIME, column('word', 'STRING')], [[at(0), 'a']])).to.equal(null)
    expect(planChart([TIME, column('n', 'INT64')], [])).to.equal(null)
    expect(planChart([column('n', 'INT64')], [[1]])).to.equal(null)
    expect(planChart([column('words', 'ARRAY<STRING>'), column('n', 'INT64')], [[['a'], 1]])).to.equal(null)
  })

  it('has at most eight lines, over the first time, sorted', () => {
    const names = Array.from({ length: 10 }, (_, i) => column(`n${i}`, i % 2 === 0 ? 'INT64' : 'NUMERIC(10, 2)'))
    const row = (minute: number) => [...names.map(() => '7'), at(minute), at(99 - minute)]
    const plan = lines([...names, TIME, column('later', 'TIMESTAMP')], [row(2), row(0), row(1)])
    expect(plan.x).to.equal('at')
    expect(plan.seconds).to.deep.equal([0, 1, 2].map(minute => Date.parse(at(minute)) / 1000))
    expect(plan.series.map(({ name }) => name)).to.deep.equal(names.slice(0, 8).map(({ name }) => name))
    expect(plan.series[0]!.values).to.deep.equal([7, 7, 7])
  })

  it('has a gap for NULL, for what is not a number, and for a time that is missing', () => {
    const rows = [0, 1, 2, 5, 6].map(minute => [at(minute), minute === 1 ? null : minute === 6 ? 'NaN' : minute])
    const plan = lines([TIME, column('n', 'FLOAT64')], rows)
    expect(plan.series[0]!.values).to.deep.equal([0, null, 2, null, 5, null])
    expect(plan.seconds).to.have.length(6)
  })

  it('joins points over a distance where distances differ', () => {
    const rows = [0, 1, 5, 7, 30].map(minute => [at(minute), minute])
    expect(lines([TIME, column('n', 'INT64')], rows).series[0]!.values).to.deep.equal([0, 1, 5, 7, 30])
  })

  it('splits one number by a word of few values, where times are repeated', () => {
    const rows = [
      [at(0), 'a', 1],
      [at(0), 'b', 2],
      [at(1), 'b', 4],
      [at(1), null, 5],
    ]
    const plan = lines([TIME, column('word', 'STRING'), column('n', 'INT64', 'bytes')], rows)
    expect(plan.series).to.deep.equal([
      { name: 'a', unit: 'bytes', values: [1, null] },
      { name: 'b', unit: 'bytes', values: [2, 4] },
      { name: 'NULL', unit: 'bytes', values: [null, 5] },
    ])
  })

  it('does not split by a word of many values', () => {
    const rows = Array.from({ length: 26 }, (_, i) => [at(i >> 1), `word ${i}`, i])
    expect(
      lines([TIME, column('word', 'STRING'), column('n', 'INT64')], rows).series.map(({ name }) => name),
    ).to.deep.equal(['n'])
  })

  it('does not join points where several rows have one time, and no word tells them apart', () => {
    const rows = [
      [at(0), 'a', 1],
      [at(0), 'a', 9],
      [at(1), 'b', 2],
    ]
    for (const columns of [
      [TIME, column('word', 'STRING'), column('n', 'INT64')],
      [TIME, column('flag', 'BOOL'), column('n', 'INT64')],
    ]) {
      const plan = lines(columns, rows)
      expect(plan.isScattered).to.equal(true)
      expect(plan.series).to.deep.equal([{ name: 'n', unit: null, values: [1, 9, 2] }])
    }
    expect(lines([TIME, column('word', 'STRING'), column('n', 'INT64')], rows.slice(1)).isScattered).to.equal(undefined)
  })

  it('draws no identifier, unless it has a unit', () => {
    const names = (...columns: readonly Column[]) =>
      planChart([TIME, ...columns], [[at(0), 1, 2]])?.kind === 'lines'
        ? lines([TIME, ...columns], [[at(0), 1, 2]]).series.map(({ name }) => name)
        : null
    expect(names(column('order_id', 'INT64'), column('paid', 'INT64'))).to.deep.equal(['paid'])
    expect(names(column('ID', 'NUMERIC'), column('userId', 'INT64'))).to.equal(null)
    expect(names(column('grid', 'INT64'), column('id', 'INT64', 'bytes'))).to.deep.equal(['grid', 'id'])
    expect(planChart([column('word', 'STRING'), column('id', 'INT64')], [['a', 1]])).to.equal(null)
  })

  it('has two axes, of the first two units', () => {
    const columns = [
      TIME,
      column('a', 'INT64', 'ms'),
      column('b', 'INT64'),
      column('c', 'INT64', 'ms'),
      column('d', 'INT64', 'bytes'),
    ]
    const { series } = lines(columns, [[at(0), 1, 2, 3, 4]])
    expect(axesOf(series)).to.deep.equal(['ms', null])
  })

  it('takes a DATE, a DATETIME, and the microseconds of a TIMESTAMP', () => {
    const second = Date.UTC(2026, 0, 31) / 1000
    for (const [type, value, hasZone] of [
      ['DATE', '2026-01-31', false],
      ['DATETIME', '2026-01-31T00:00:00', false],
      ['TIMESTAMP', '2026-01-31T00:00:00Z', true],
      ['TIMESTAMP', second * 1e6, true],
    ] as const) {
      const plan = lines([column('day', type), column('n', 'INT64')], [[value, 1]])
      expect([plan.seconds, plan.hasZone], `${type} ${value}`).to.deep.equal([[second], hasZone])
    }
  })

  it('is of bars without a time, at most fifty', () => {
    const rows = Array.from({ length: 60 }, (_, i) => [`word ${i}`, i === 3 ? null : -i])
    const plan = planChart([column('word', 'STRING'), column('n', 'INT64')], rows) as BarPlan
    expect([plan.kind, plan.bars.length, plan.left]).to.deep.equal(['bars', 50, 10])
    expect(plan.bars.slice(2, 5)).to.deep.equal([
      { label: 'word 2', value: -2 },
      { label: 'word 3', value: null },
      { label: 'word 4', value: -4 },
    ])
  })
})

describe('two plans in one chart', () => {
  const plan = (minutes: readonly number[]) =>
    lines(
      [TIME, column('n', 'INT64')],
      minutes.map(minute => [at(minute), minute]),
    )

  it('lie on one axis, each with its own places', () => {
    const joined = joinPlans(plan([0, 10, 25]), plan([10, 30, 60]), 0)
    expect(joined.seconds).to.have.length(5)
    expect(joined.series.map(({ isBefore = false, values }) => [isBefore, values])).to.deep.equal([
      [false, [0, 10, 25, undefined, undefined]],
      [true, [undefined, 10, undefined, 30, 60]],
    ])
  })

  it('are moved, and cut to the time of the first', () => {
    const joined = joinPlans(plan([60, 70, 90]), plan([0, 10, 40]), 3_600)
    expect(joined.seconds).to.deep.equal(plan([60, 70, 90]).seconds)
    expect(joined.series[1]!.values).to.deep.equal([0, 10, undefined])
  })
})
