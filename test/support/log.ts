import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** A line of the log, as JSON says it. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A log that keeps what it is told. */
export function aLog(): {
  readonly log: Logger;
  /** Lines of level `info` and above whose event begins with this. */
  lines(event: string): readonly LogLine[];
  /** Everything in it. */
  text(): string;
} {
  const kept: LogLine[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      kept.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return {
    log: pino({ level: 'info' }, sink),
    lines: (event) => kept.filter((line) => String(line['event']).startsWith(event)),
    text: () => kept.map((line) => JSON.stringify(line)).join('\n'),
  };
}
