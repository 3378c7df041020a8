import { expect } from 'chai'
import { RESULT_FORMATS } from '../../runner/formats/index.js'
import { RunnerError } from '../../runner/model/errors.js'
import { chooseType, negotiate } from '../../runner/request/negotiate.js'
import { parsePairs } from '../../runner/request/raw-arguments.js'
import { parameter } from './hand-made.js'

const ACCEPTED: readonly (readonly [accept: string | undefined, format: string])[] = [
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['APPLICATION/JSON', 'json'],
  ['text/html, */*;q=0.1', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['text/html, *', 'json'],
  ['*/*;q=0, application/json', 'json'],
  ['text/csv;q=0.5, application/json;q=0.6', 'json'],
  ['text/csv', 'csv'],
  ['text/csv; header=present', 'csv'],
  ['text/*', 'csv'],
  ['text/csv, */*;q=0.1', 'csv'],
  ['text/csv;q=1, application/json;q=0.001', 'csv'],
  ['application/*;q=0, */*', 'csv'],
  ['application/json;q=0, */*', 'ndjson'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['application/vnd.sluice.table+json', 'table'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['application/vnd.apache.arrow.stream, application/json;q=0.9', 'arrow'],
]
const NOT_ACCEPTED = [
  'text/html',
  'application/json;q=0',
  '*/*;q=0',
  'image/*',
  'application/json;q=nonsense',
  'application/vnd.apache.orc',
  'json',
]

describe('Accept', () => {
  for (const [accept, format] of ACCEPTED) {
    it(`${accept} is answered with ${format}`, () => expect(negotiate(accept).name).to.equal(format))
  }
  for (const accept of NOT_ACCEPTED) {
    it(`${accept} cannot be answered, and the error names the available types`, () => {
      expect(() => negotiate(accept)).to.throw(
        RunnerError,
        /json \(application\/json\).*csv \(text\/csv\), excel \(CSV for Excel\), table.*arrow.*parquet.*xlsx/,
      )
    })
  }
})

describe('format in the address', () => {
  const choose = (address: string, accept?: string, parameters = [parameter('project')]): string =>
    chooseType({ parameters }, parsePairs(address), accept).name

  for (const format of RESULT_FORMATS) {
    it(`chooses ${format}, whatever Accept says`, () => {
      expect(choose(`project=a&format=${format}`)).to.equal(format)
      expect(choose(`format=${format}`, 'text/html')).to.equal(format)
    })
  }
  for (const address of ['format=orc', 'format=', 'format=CSV', 'format=csv&format=csv', 'format=__proto__']) {
    it(`${address} cannot be answered, and the error lists the formats`, () => {
      expect(() => choose(address)).to.throw(RunnerError, /ndjson .*excel.*arrow.*parquet.*xlsx/)
    })
  }
  it('is the argument of a parameter that has this name, so that Accept alone chooses', () => {
    const own = [parameter('format')]
    expect(choose('format=csv', undefined, own)).to.equal('json')
    expect(choose('format=orc', 'text/csv', own)).to.equal('csv')
  })
})
