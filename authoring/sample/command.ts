/** The command `sample`. */
import type { Declarer } from '../terminal/declare.js'
import type { SampleFlags } from './sample.js'

export function declareSample({ command, settings, io }: Declarer): void {
  command('sample', "Write demo data: made-up logs of one vendor's platform, in nine streams that end now.", ['--data'])
    .option('--count <entries>', 'entries of each stream', '10000')
    .option('--seed <number>', 'the same seed gives the same entries', '1')
    .option('--now <time>', 'ISO 8601 time of the newest entry')
    .option('--if-empty', 'do nothing when there are log files already')
    .runs(async (flags: SampleFlags) => (await import('./sample.js')).writeSample(settings(flags), flags, io))
}
